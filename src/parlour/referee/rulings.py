"""Rulings: an intent leads to at most one event, or to a refusal with its reason.

One event per intent makes a crash harmless: either the event is in the record and its consequences follow from it, or
the intent was never accepted. The rulings themselves are in rules/, each beside the changes that its event makes and,
for the audit of records, the intents that may have led to the event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Outcome
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.referee.state import MatchState, Place

MAX_NAME = 100
MAX_REASON = 500

Ruling = Event | Refusal
_UNOPENED, _OVER = MatchStatus.UNOPENED, MatchStatus.OVER


class MustBe(NamedTuple):
    """The event that must stand in the record, for an intent that cannot be inferred."""

    event: Event


Cause = Intent | MustBe
_Rule = TypeVar("_Rule", bound=Callable[[MatchState, Any, float], Ruling])
_Inference = TypeVar("_Inference", bound=Callable[[MatchState, Any], tuple[Cause, ...]])
_RULINGS: dict[type[Any], Callable[[MatchState, Any, float], Ruling]] = {}
_INFERENCES: dict[type[Any], Callable[[MatchState, Any], tuple[Cause, ...]]] = {}
_MIRRORED: defaultdict[type[Any], list[type[Any]]] = defaultdict(list)
"""By the type of an event, the intents whose fields it repeats."""


def rules_on(kind: type[Any], *, leads_to: type[Any] | None = None) -> Callable[[_Rule], _Rule]:
    """Register the function that rules on intents of that kind; the seat that an intent names exists.

    An event of the type `leads_to` repeats all fields of the intent, from which the audit infers the intent.
    """
    if leads_to is not None:
        assert set(kind.__struct_fields__) <= set(leads_to.__struct_fields__)
        _MIRRORED[leads_to].append(kind)

    def register(ruling: _Rule) -> _Rule:
        assert kind not in _RULINGS
        _RULINGS[kind] = ruling
        return ruling

    return register


def led_to_by(kind: type[Any]) -> Callable[[_Inference], _Inference]:
    """Register a function that infers the intents behind an event that does not repeat all their fields.

    The function returns intents to rule on again or, if the intent cannot be inferred, the event that must stand there.
    It returns nothing for a consequence.
    """

    def register(inference: _Inference) -> _Inference:
        assert kind not in _INFERENCES
        _INFERENCES[kind] = inference
        return inference

    return register


def rule(state: MatchState, intent: Intent, now: float) -> Ruling:
    """Return the event that an intent leads to, or its refusal."""
    if state.status is _UNOPENED:
        return Refusal(RefusalCode.NOT_STARTED, "the match is not open yet")
    if state.status is _OVER and not isinstance(intent, it.Report):
        return Refusal(RefusalCode.OVER, "the match is over")
    seat = getattr(intent, "seat", None)
    if seat is not None and seat not in state.places:
        return Refusal(RefusalCode.UNKNOWN_SEAT, f"there is no seat {str(seat)[:MAX_NAME]!r} in this match")
    return _RULINGS[type(intent)](state, intent, now)


def inferred(state: MatchState, event: Event) -> tuple[Cause, ...]:
    """Return the intents that may have led to an event, or the event that must stand there; none for a consequence."""
    if (inference := _INFERENCES.get(type(event))) is not None:
        return inference(state, event)
    return tuple(_mirrored(kind, event) for kind in _MIRRORED.get(type(event), ()))


def _mirrored(kind: type[Any], event: Event) -> Intent:
    intent: Intent = kind(**{field: getattr(event, field) for field in kind.__struct_fields__})
    return intent


# Refusals that several rulings share


def unseated(place: Place, by: str = "") -> Refusal | None:
    """Refuse an intent of a seat that is removed, or that has neither a player nor a proxy."""
    if place.removed:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{place.seat} was removed from the match")
    if not place.present and not by:
        return Refusal(RefusalCode.NOT_SEATED, f"nobody sits on {place.seat}")
    return None


def not_playing(state: MatchState) -> Refusal | None:
    """Refuse an intent if play has not begun or is over."""
    return None if state.playing else Refusal(RefusalCode.NOT_STARTED, "the match has not started")


def bad_name(name: str, what: str = "a name") -> Refusal | None:
    """Return a refusal if a text cannot be a name."""
    if 0 < len(name) <= MAX_NAME and name.isprintable():
        return None
    return Refusal(RefusalCode.BAD_VALUE, f"{what} has 1 to {MAX_NAME} printable characters")


def bad_text(text: str, longest: int, *, blank: bool = False) -> Refusal | None:
    """Refuse a text that is too long, that UTF-8 cannot hold, or that is empty, unless it may be blank."""
    if not blank and not text.strip():
        return Refusal(RefusalCode.BAD_VALUE, "an empty message is not delivered")
    if len(text) > longest:
        return Refusal(RefusalCode.TOO_LONG, f"a message has at most {longest} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        return Refusal(RefusalCode.BAD_VALUE, "a message: expected valid Unicode, got half of a surrogate pair")
    return None


def nobody(reason: str) -> Outcome:
    """Return the outcome in which nobody is ranked."""
    return Outcome(scores={}, places=(), reason=reason)
