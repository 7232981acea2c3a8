"""Reads bodies and queries of requests, with limits on size, depth and form."""

from __future__ import annotations

from http import HTTPStatus
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from parlour.core.game import Plain
from parlour.core.text import printable, too_large
from parlour.net.framing.json_stream import MAX_DEPTH, deeper_than
from parlour.net.http.problems import Answered

Form = TypeVar("Form")
Query = TypeVar("Query", bound=msgspec.Struct)


async def read_body(request: Request, most: int) -> bytes:
    """Return the body; raise Answered as soon as it is known to be too large."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > most:
        raise _too_large(most)
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise _too_large(most)
    except ClientDisconnect:
        raise Answered(HTTPStatus.BAD_REQUEST, "cut off", "the body was cut off") from None
    return bytes(body)


def read_json(body: bytes, form: type[Form]) -> Form:
    """Return the body as a value of that form; raise Answered with one line that names the error and its place."""
    try:
        value: Plain = msgspec.json.decode(body)
        if deeper_than(MAX_DEPTH, value):
            raise _too_deep()
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        raise _bad(f"body: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _bad(f"body: not JSON: {error}") from None
    except RecursionError:
        raise _too_deep() from None


def read_query(request: Request, form: type[Query]) -> Query:
    """Return the query of a request as a value of that form; raise Answered for a bad field."""
    given: dict[str, Plain] = {}
    known = [field.encode_name for field in msgspec.structs.fields(form)]
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise _bad(f"query: expected one of {', '.join(known) or 'none'}, got {printable(name, 40)!r}")
        given[name] = value
    try:
        return msgspec.convert(given, form, strict=False)
    except msgspec.ValidationError as error:
        raise _bad(f"query: {error}") from None


def _bad(detail: str) -> Answered:
    return Answered(HTTPStatus.BAD_REQUEST, "bad value", printable(detail, 400))


def _too_deep() -> Answered:
    return _bad(f"body: nested too deeply: at most {MAX_DEPTH} levels")


def _too_large(most: int) -> Answered:
    told = too_large("body", most)
    return Answered(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too large", told, {"Connection": "close"})
