"""Questions that the pages of the sandbox send: read within bounds, and answered in JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from parlour.errors import ParlourError
from parlour.net.http.bodies import read_body, read_json
from parlour.net.http.problems import Answered
from parlour.web.visitors import is_ours

LARGEST = 32 * 1024

Question = TypeVar("Question")


async def answered(request: Request, form: type[Question], answer: Callable[[Question], dict[str, Any]]) -> Response:
    """The answer to what a request asks, or the reason why there is none."""
    if not is_ours(request):
        return _json({"reason": "this came from another site"}, 403)
    try:
        return _json(answer(read_json(await read_body(request, LARGEST), form)))
    except Answered as problem:
        return _json({"reason": str(problem)}, problem.status)
    except ParlourError as error:
        return _json({"reason": str(error)}, 400)


def _json(value: dict[str, Any], status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")
