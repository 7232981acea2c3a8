"""Forms of our own pages, read with bounds; those of other sites are refused."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered
from parlour.web.visitors import is_ours

MAX_FORM = 64 * 1024
MAX_FIELDS = 200


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form of ours; a form of another site is refused."""
    if not is_ours(request):
        raise HTTPException(403, "this form came from another site")
    try:
        body = await read_body(request, MAX_FORM)
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except Answered as answered:
        raise HTTPException(answered.status, str(answered), answered.headers) from None
    except ValueError:
        raise HTTPException(400, f"a form of ours has at most {MAX_FIELDS} fields") from None
