"""Questions that the pages of the sandbox send: read within bounds, and answered in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from parlour.errors import Denied, ParlourError
from parlour.net.fair_pool import FairPool
from parlour.net.http.bodies import read_body, read_json
from parlour.net.http.problems import Answered, answer_to
from parlour.web.visitors import asker_of, is_ours

LARGEST = 32 * 1024

Question = TypeVar("Question")


async def answered(
    request: Request, form: type[Question], answer: Callable[[Question], dict[str, Any]], pool: FairPool
) -> Response:
    """Return the answer to a request, computed in turn, or an error response."""
    if not is_ours(request):
        return _json({"reason": "this came from another site"}, 403)
    try:
        question = read_json(await read_body(request, LARGEST), form)
        found = await pool.run(asker_of(request), partial(_encoded, answer, question))
        return Response(found, media_type="application/json")
    except Answered as problem:
        return _refused(problem)
    except Denied as denied:
        return _refused(answer_to(denied))
    except ParlourError as error:
        return _json({"reason": str(error)}, 400)


def _encoded(answer: Callable[[Question], dict[str, Any]], question: Question) -> bytes:
    return msgspec.json.encode(answer(question))


def _refused(problem: Answered) -> Response:
    return _json({"reason": str(problem)}, problem.status, problem.headers)


def _json(value: dict[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")
