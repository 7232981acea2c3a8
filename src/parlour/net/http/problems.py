"""Errors as problem details (RFC 9457): a status, a code, and the one-line message that every door sends."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from parlour.core.intents import Refusal
from parlour.errors import ConfigError, Denied, IllegalAction, NotationError, ParlourError, RuleError, StoreError
from parlour.net.permission_errors import NOT_KEPT, DenialCode

MEDIA = "application/problem+json"

STATUS: Mapping[str, HTTPStatus] = {
    DenialCode.UNKNOWN_MATCH: HTTPStatus.NOT_FOUND,
    DenialCode.UNKNOWN_ACCOUNT: HTTPStatus.NOT_FOUND,
    DenialCode.MATCH_EXISTS: HTTPStatus.CONFLICT,
    DenialCode.NAME_TAKEN: HTTPStatus.CONFLICT,
    DenialCode.BEGIN_ANEW: HTTPStatus.CONFLICT,
    DenialCode.NOT_SIGNED_IN: HTTPStatus.UNAUTHORIZED,
    DenialCode.BAD_TOKEN: HTTPStatus.UNAUTHORIZED,
    DenialCode.NOT_ALLOWED: HTTPStatus.FORBIDDEN,
    DenialCode.WRONG_PASSWORD: HTTPStatus.FORBIDDEN,
    DenialCode.BAD_VALUE: HTTPStatus.BAD_REQUEST,
    DenialCode.TOO_MANY: HTTPStatus.TOO_MANY_REQUESTS,
    DenialCode.TOO_OFTEN: HTTPStatus.TOO_MANY_REQUESTS,
    DenialCode.CLOSING: HTTPStatus.SERVICE_UNAVAILABLE,
    DenialCode.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    DenialCode.HELD_BACK: HTTPStatus.CONFLICT,
}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of every error answer."""

    status: int
    title: str
    """The status in words."""
    detail: str
    """A sentence that explains the error."""
    code: str
    """A short code by which programs tell errors apart."""
    type: str = "about:blank"


class Answered(Exception):
    """Raised to answer at once with a problem."""

    def __init__(self, status: HTTPStatus, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.problem = Problem(status.value, status.phrase, detail, code)
        self.headers = {**(headers or {})}


def refused(refusal: Refusal) -> Answered:
    """Return the answer to a refused intent: a conflict with the state of the match."""
    return Answered(HTTPStatus.CONFLICT, refusal.code.value, refusal.reason)


def answer_to(error: ParlourError) -> Answered:
    """Return the answer to an error that Parlour raises on purpose."""
    match error:
        case Denied():
            return _denied(error)
        case StoreError():
            return Answered(HTTPStatus.SERVICE_UNAVAILABLE, "store", NOT_KEPT, {"Retry-After": "1"})
        case NotationError() | ConfigError():
            return Answered(HTTPStatus.BAD_REQUEST, "bad value", str(error))
        case IllegalAction() | RuleError():
            return Answered(HTTPStatus.UNPROCESSABLE_ENTITY, "illegal", str(error))
        case _:
            return Answered(HTTPStatus.BAD_REQUEST, "bad value", str(error))


def _denied(error: Denied) -> Answered:
    status = STATUS.get(error.code, HTTPStatus.FORBIDDEN)
    headers = {}
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if error.wait:
        headers["Retry-After"] = str(int(error.wait) + 1)
    return Answered(status, str(error.code), str(error), headers)
