"""Seals: secret plans of seats, and actions that are refused for want of one."""

from __future__ import annotations

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core import seeds
from parlour.core.intents import Intent, PlayerType, Refusal, RefusalCode
from parlour.core.terms import SealMode
from parlour.referee.rulings import MAX_NAME, Ruling, led_to_by, not_playing, rules_on, unseated
from parlour.referee.state import MatchState, Place, folds

MAX_SEAL = 16_384
"""Maximum bytes of one seal in MessagePack."""
MAX_SEALS_PER_TURN = 1000
_FRACTION = 2.0**-64
_UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError)
"""Exceptions from encoding values that a record cannot hold; a UnicodeEncodeError is a ValueError."""


def is_sealing(state: MatchState, turn: int, stage: str) -> bool:
    """Return True if seats may seal in that turn; turns are drawn from the match's seed, which players do not know."""
    seals = state.terms.sealing
    match seals.mode:
        case SealMode.NONE:
            return False
        case SealMode.DRAWN if stage in state.terms.press.stages:
            return seeds.sealed_turn(state.opened.seed, turn) * _FRACTION < seals.chance
        case SealMode.DRAWN:
            return False
        case SealMode.INVITED | SealMode.REQUIRED:
            return True


def owes_seal(state: MatchState, place: Place) -> bool:
    """Return True if a seal is required of a seat that may talk, and it has none since its last message, in or out."""
    return (
        state.sealing
        and not place.sealed
        and state.terms.sealing.mode is not SealMode.INVITED
        and state.stage in state.terms.press.stages
        and place.player_type is not PlayerType.NO_PRESS_BOT
    )


@rules_on(it.Seal, leads_to=ev.Sealed)
def seal(state: MatchState, intent: it.Seal, now: float) -> Ruling:
    """Record a seat's plan as given; its orders are not checked."""
    place = state.places[intent.seat]
    if refusal := unseated(place) or not_playing(state):
        return refusal
    if not state.sealing or not state.turn_running:
        mode = state.terms.sealing.mode
        why = "this match is played without seals" if mode is SealMode.NONE else "no seals are taken in this turn"
        return Refusal(RefusalCode.NO_SEALS, why)
    if intent.seat not in state.alive():
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} is out of the game and plans nothing")
    if refusal := _unfit(state, intent):
        return refusal
    if place.seals >= MAX_SEALS_PER_TURN:
        return Refusal(RefusalCode.TOO_MUCH, f"a seat seals at most {MAX_SEALS_PER_TURN} times per turn")
    return ev.Sealed(
        now,
        intent.seat,
        state.turn,
        intent.action,
        intent.stances,
        intent.expects,
        intent.text,
        state.terms.sealing.opens,
    )


def _unfit(state: MatchState, intent: it.Seal) -> Refusal | None:
    for seat in intent.expects:
        if seat not in state.places:
            return Refusal(RefusalCode.UNKNOWN_SEAT, f"there is no seat {str(seat)[:MAX_NAME]!r} to expect anything of")
    if intent.action is None and not intent.stances and not intent.text.strip():
        return Refusal(RefusalCode.BAD_VALUE, "a seal holds an action, stances or a text; this one is empty")
    try:
        size = len(msgspec.msgpack.encode(intent))
    except _UNENCODABLE:
        return Refusal(RefusalCode.BAD_VALUE, "a seal: expected JSON values, 64-bit numbers and valid Unicode")
    if size > MAX_SEAL:
        return Refusal(RefusalCode.TOO_LONG, f"a seal has at most {MAX_SEAL} bytes, this one has {size}")
    return None


@folds(ev.Sealed)
def _sealed(state: MatchState, event: ev.Sealed) -> None:
    place = state.places[event.seat]
    place.sealed = True
    place.seals += 1


@led_to_by(ev.SealWanted)
def _unsealed_acts(state: MatchState, event: ev.SealWanted) -> tuple[Intent, ...]:
    return (it.Act(event.seat, None, event.turn),)


@folds(ev.SealWanted)
def _seal_wanted(state: MatchState, event: ev.SealWanted) -> None:
    state.places[event.seat].seal_wanted = True
