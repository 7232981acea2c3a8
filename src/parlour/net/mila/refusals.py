"""What the referee refuses, in the classes that clients of the protocol know."""

from __future__ import annotations

from collections.abc import Iterable

from parlour.core.intents import Refusal, RefusalCode
from parlour.net.mila import faults
from parlour.net.mila.faults import ResponseException
from parlour.referee.table import Answer

_CLASSES: dict[RefusalCode, type[ResponseException]] = {
    RefusalCode.NOT_STARTED: faults.GameNotPlayingException,
    RefusalCode.OVER: faults.GameFinishedException,
    RefusalCode.UNKNOWN_SEAT: faults.MapPowerException,
    RefusalCode.NOT_SEATED: faults.GamePlayerException,
    RefusalCode.TOO_LATE: faults.GamePhaseException,
}
"""Whatever is not here is a ResponseException with the referee's sentence."""
HARMLESS = (RefusalCode.NO_CHANGE, RefusalCode.OUT_OF_TURN)
"""What the original takes without a word: what is so already, and orders where there is nothing to order."""


def raise_refusal(answers: Iterable[Answer]) -> None:
    """Raise the first refusal that matters."""
    for answer in answers:
        if answer.refusal is not None and answer.refusal.code not in HARMLESS:
            raise fault_of(answer.refusal)


def fault_of(refusal: Refusal) -> ResponseException:
    """The fault of a refusal."""
    return _CLASSES.get(refusal.code, ResponseException)(sentence(refusal.reason))


def sentence(reason: str) -> str:
    """A reason as a sentence."""
    return f"{reason[:1].upper()}{reason[1:]}." if not reason.endswith(".") else reason
