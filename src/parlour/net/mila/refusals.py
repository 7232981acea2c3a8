"""Translates refusals of the referee and denials of the server into the classes that clients know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from parlour.core.intents import Refusal, RefusalCode
from parlour.errors import Denied
from parlour.net.mila import faults
from parlour.net.mila.faults import ResponseException
from parlour.net.permission_errors import DenialCode
from parlour.referee.table import Answer

_CLASSES: dict[RefusalCode, type[ResponseException]] = {
    RefusalCode.NOT_STARTED: faults.GameNotPlayingException,
    RefusalCode.OVER: faults.GameFinishedException,
    RefusalCode.UNKNOWN_SEAT: faults.MapPowerException,
    RefusalCode.NOT_SEATED: faults.GamePlayerException,
    RefusalCode.TOO_LATE: faults.GamePhaseException,
}
"""Classes by code; any other code becomes a ResponseException with the referee's reason."""
_DENIALS: dict[str, type[ResponseException]] = {
    DenialCode.UNKNOWN_MATCH: faults.GameIdException,
    DenialCode.MATCH_EXISTS: faults.GameIdException,
    DenialCode.NOT_SIGNED_IN: faults.TokenException,
    DenialCode.BAD_TOKEN: faults.TokenException,
    DenialCode.UNKNOWN_ACCOUNT: faults.UserException,
    DenialCode.NAME_TAKEN: faults.UserException,
}
HARMLESS = (RefusalCode.NO_CHANGE, RefusalCode.OUT_OF_TURN)
"""Refusals that the package's server does not report: no change, and orders that are not due."""


def raise_refusal(answers: Iterable[Answer]) -> None:
    """Raise the first refusal, apart from harmless ones."""
    for answer in answers:
        if answer.refusal is not None and answer.refusal.code not in HARMLESS:
            raise fault_of(answer.refusal)


def fault_of(refusal: Refusal) -> ResponseException:
    """Return the exception for a refusal."""
    return _CLASSES.get(refusal.code, ResponseException)(sentence(refusal.reason))


def fault_of_denial(denied: Denied, kind: type[ResponseException] | None = None) -> ResponseException:
    """Return the exception for a denial: of class `kind` if given, else of the class for its code."""
    return (kind or _DENIALS.get(denied.code, ResponseException))(sentence(denied.reason))


@contextmanager
def denials_as(kind: type[ResponseException] | None = None, **kinds: type[ResponseException]) -> Iterator[None]:
    """Turn a Denied in the block into a fault: of the class given for its code, else of the default class."""
    try:
        yield
    except Denied as error:
        raise fault_of_denial(error, kinds.get(str(error.code).replace(" ", "_")) or kind) from None


def sentence(reason: str) -> str:
    """Return a reason as a sentence."""
    return f"{reason[:1].upper()}{reason[1:]}." if not reason.endswith(".") else reason
