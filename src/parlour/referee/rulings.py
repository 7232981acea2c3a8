"""What an intent leads to: at most one event, or a refusal that says why not.

One event per intent is what makes a crash harmless: either the event is in the record and its consequences follow
from it, or the intent was never taken.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.fouls import Consequence, Rule
from parlour.core.game import FoulKind, Outcome, Seat, Violation
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.terms import PressMode
from parlour.errors import ParlourError
from parlour.referee.state import Place, State, Status

MAX_NAME = 64
MAX_REASON = 500
MAX_ASKED_AGAIN = 100
"""How often one turn is asked for again where the conduct table sets no limit."""
MAX_NOTES = 300
"""Fouls of one seat that are written down; a player that floods beyond it is refused silently."""

Ruling = Event | Refusal
_PLAYING = (Status.RUNNING, Status.PAUSED)


def rule(state: State, intent: Intent, now: float) -> Ruling:
    """The event that the intent leads to, or why it does not."""
    if state.status is Status.UNOPENED:
        return Refusal(RefusalCode.NOT_STARTED, "the match is not open yet")
    if state.status is Status.OVER and not isinstance(intent, it.Report):
        return Refusal(RefusalCode.OVER, "the match is over")
    seat = getattr(intent, "seat", None)
    if seat is not None and seat not in state.places:
        return Refusal(RefusalCode.UNKNOWN_SEAT, f"there is no seat {str(seat)[:MAX_NAME]!r} in this match")
    return _RULINGS[type(intent)](state, intent, now)


def sanction(state: State, place: Place, kind: FoulKind, stage: str) -> tuple[Consequence, Rule]:
    """What a foul costs this seat now: the conduct table's cell, with its limits applied.

    Whatever the table says, a seat that the turn waits for must not hold it up for ever: it is asked again only so
    often and not once its time is up, and a foul that costs nothing still counts as absence.
    """
    rule = state.terms.conduct.rule(stage, kind)
    does = rule.does
    if state.status is Status.OVER:
        return Consequence.NOTE, rule
    if place.seat not in state.pending:
        stands = does is Consequence.REMOVE or kind is FoulKind.DISCONNECTED
        return (does if stands else Consequence.NOTE), rule
    exhausted = kind is FoulKind.LATE or place.asked_again >= (rule.limit or MAX_ASKED_AGAIN)
    if does is Consequence.ASK_AGAIN and exhausted:
        does = rule.beyond or Consequence.SKIP
    late = state.terms.conduct.rule(stage, FoulKind.LATE)
    if does is Consequence.SKIP and late.limit is not None and place.skips + 1 >= late.limit:
        does = late.beyond or Consequence.SKIP
    if does is Consequence.NOTE or (exhausted and does in (Consequence.ASK_AGAIN, Consequence.MEND)):
        does = Consequence.DEFAULT
    if does is Consequence.DEFAULT and _default_missing(state, place.seat):
        does = Consequence.SKIP
    return does, rule


def foul(
    state: State,
    place: Place,
    kind: FoulKind,
    detail: str,
    now: float,
    *,
    stage: str = "",
    violation: Violation | None = None,
) -> ev.Fouled:
    """The foul of a seat, in the current turn unless a stage is named, with its consequence."""
    does, rule = sanction(state, place, kind, stage or state.stage)
    if does is Consequence.MEND:  # there was nothing to keep
        does = Consequence.SKIP if _default_missing(state, place.seat) else Consequence.DEFAULT
    standing = rule.standing if does is Consequence.REMOVE else None
    return ev.Fouled(now, place.seat, kind, stage or state.stage, state.turn, detail, does, standing, violation)


def _default_missing(state: State, seat: Seat) -> bool:
    return state.position is None or seat not in state.to_act or state.position.default(seat) is None


def _unseated(state: State, place: Place) -> Refusal | None:
    if place.removed:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{place.seat} was removed from the match")
    if not place.present:
        return Refusal(RefusalCode.NOT_SEATED, f"nobody sits on {place.seat}")
    return None


def _act(state: State, intent: it.Act, now: float) -> Ruling:
    place = state.places[intent.seat]
    if refusal := _unseated(state, place) or _not_playing(state):
        return refusal
    if intent.turn is not None and intent.turn != state.turn:
        return Refusal(RefusalCode.TOO_LATE, f"that answers turn {intent.turn}, this is turn {state.turn}")
    if intent.seat not in state.to_act or not state.turn_running or place.passed:
        return Refusal(RefusalCode.OUT_OF_TURN, f"{intent.seat} is not to act now")
    assert state.position is not None
    violations = state.position.check(intent.seat, intent.action)
    if not violations:
        return ev.Acted(now, intent.seat, state.turn, intent.action)
    return _illegal(state, place, intent, violations, now)


def _illegal(state: State, place: Place, intent: it.Act, violations: tuple[Violation, ...], now: float) -> Ruling:
    assert state.position is not None
    worst = next((v for v in violations if v.foul is FoulKind.GARBLED), violations[0])
    if intent.seat not in state.pending:
        # A replacement that is not allowed leaves what was submitted before.
        return Refusal(RefusalCode.ILLEGAL, worst.message)
    does, _ = sanction(state, place, worst.foul, state.stage)
    if does is Consequence.MEND:
        mended = state.position.mend(intent.seat, intent.action)
        if mended is not None:
            return ev.Acted(now, intent.seat, state.turn, mended, violations)
    return foul(state, place, worst.foul, worst.message, now, violation=worst)


def _retract(state: State, intent: it.Retract, now: float) -> Ruling:
    place = state.places[intent.seat]
    if refusal := _unseated(state, place) or _not_playing(state):
        return refusal
    if intent.seat not in state.to_act or not place.acted:
        return Refusal(RefusalCode.NO_CHANGE, f"{intent.seat} has no action in this turn to take back")
    return ev.Retracted(now, intent.seat, state.turn)


def _say(state: State, intent: it.Say, now: float) -> Ruling:
    place, press = state.places[intent.seat], state.terms.press
    if refusal := _unseated(state, place) or _not_playing(state) or _press_shut(state):
        return refusal
    alive = state.alive()
    if intent.seat not in alive:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} is out of the game and cannot send press")
    for seat in intent.to:
        if seat == intent.seat:
            return Refusal(RefusalCode.BAD_VALUE, "press to oneself is not delivered")
        if seat not in state.places:
            return Refusal(RefusalCode.UNKNOWN_SEAT, f"there is no seat {str(seat)[:MAX_NAME]!r} to write to")
        if seat not in alive:
            return Refusal(RefusalCode.OUT_OF_GAME, f"{seat} is out of the game and gets no press")
        if not state.places[seat].present:
            return Refusal(RefusalCode.NOT_SEATED, f"nobody sits at {seat} now, so that nobody gets this")
    if not intent.text.strip():
        return Refusal(RefusalCode.BAD_VALUE, "an empty message is not delivered")
    if not _is_text(intent.text):
        return Refusal(RefusalCode.BAD_VALUE, "a message with half of a surrogate pair is no text")
    if len(intent.text) > press.max_length:
        return Refusal(RefusalCode.TOO_LONG, f"a message has at most {press.max_length} characters")
    if place.said >= press.max_per_turn:
        return Refusal(RefusalCode.TOO_MUCH, f"a seat sends at most {press.max_per_turn} messages a turn")
    if refusal := _senseless(state, intent):
        return refusal
    return ev.Said(now, intent.seat, tuple(dict.fromkeys(intent.to)), intent.text, state.turn)


def _is_text(text: str) -> bool:
    """Whether it can be written down: a player's string may hold what UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _bad_name(name: str) -> Refusal | None:
    if 0 < len(name) <= MAX_NAME and name.isprintable():
        return None
    return Refusal(RefusalCode.BAD_VALUE, f"a name has 1 to {MAX_NAME} printable characters")


def _senseless(state: State, intent: it.Say) -> Refusal | None:
    """Whether the game has a language, and the press is in it but not fit for this table."""
    check = getattr(state.game, "press_check", "")
    if not check:
        return None
    return _press_check(check)(intent.text, state.terms.press.level, state.position, intent.seat, intent.to)


@cache
def _press_check(name: str) -> Callable[..., Refusal | None]:
    """A game names its check, because its language is in a layer above it."""
    module, _, function = name.partition(":")
    check: Callable[..., Refusal | None] = getattr(importlib.import_module(module), function)
    return check


def _press_shut(state: State) -> Refusal | None:
    mode = state.terms.press.mode
    if mode is PressMode.NONE:
        return Refusal(RefusalCode.PRESS_CLOSED, "this match is played without press")
    if mode is PressMode.WINDOW and state.window_until is None:
        return Refusal(RefusalCode.PRESS_CLOSED, "the press window is not open")
    return None


def _set_comm_status(state: State, intent: it.SetCommStatus, now: float) -> Ruling:
    place = state.places[intent.seat]
    if refusal := _unseated(state, place):
        return refusal
    if place.comm_status is intent.status:
        return Refusal(RefusalCode.NO_CHANGE, f"the comm status is {intent.status} already")
    return ev.CommStatusSet(now, intent.seat, intent.status)


def _set_wait(state: State, intent: it.SetWait, now: float) -> Ruling:
    place = state.places[intent.seat]
    if refusal := _unseated(state, place) or _not_playing(state):
        return refusal
    if place.wait is intent.wait:
        return Refusal(RefusalCode.NO_CHANGE, f"the wait flag is {'up' if intent.wait else 'down'} already")
    return ev.WaitSet(now, intent.seat, intent.wait)


def _vote(state: State, intent: it.Vote, now: float) -> Ruling:
    place = state.places[intent.seat]
    if refusal := _unseated(state, place) or _not_playing(state):
        return refusal
    if not state.terms.draw_votes:
        return Refusal(RefusalCode.BAD_VALUE, "this match is played without votes on a draw")
    if intent.seat not in state.alive():
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} is out of the game and has no vote")
    if place.ballot is intent.ballot:
        return Refusal(RefusalCode.NO_CHANGE, f"the vote is {intent.ballot} already")
    in_favour = len(state.in_favour - {intent.seat}) + (intent.ballot is it.Ballot.YES)
    return ev.Voted(now, intent.seat, intent.ballot, in_favour)


def _join(state: State, intent: it.Join, now: float) -> Ruling:
    if refusal := _bad_name(intent.name):
        return refusal
    if state.status in _PLAYING and not state.terms.rejoin:
        return Refusal(RefusalCode.SEAT_TAKEN, "nobody may join once the match has started")
    free = [p.seat for p in state.places.values() if not p.present and not p.removed]
    if intent.seat is None and not free:
        return Refusal(RefusalCode.NO_SEAT_FREE, "all seats are taken")
    seat = free[0] if intent.seat is None else intent.seat
    if seat not in free:
        return Refusal(RefusalCode.SEAT_TAKEN, f"{seat} is taken")
    return ev.Joined(now, seat, intent.name, intent.player_type)


def _leave(state: State, intent: it.Leave, now: float) -> Ruling:
    return _unseated(state, state.places[intent.seat]) or ev.Left(now, intent.seat)


def _report(state: State, intent: it.Report, now: float) -> Ruling:
    place = state.places[intent.seat]
    if refusal := _unseated(state, place):
        return refusal
    if intent.turn is not None and intent.turn != state.turn:
        return Refusal(RefusalCode.TOO_LATE, f"that concerns turn {intent.turn}, this is turn {state.turn}")
    if place.notes >= MAX_NOTES:
        return Refusal(RefusalCode.TOO_MUCH, f"{MAX_NOTES} fouls of {intent.seat} are on record already")
    stage = "end" if state.status is Status.OVER else intent.stage or state.stage or "identify"
    return foul(state, place, intent.kind, intent.detail[:MAX_REASON], now, stage=stage)


def _start(state: State, intent: it.Start, now: float) -> Ruling:
    if state.status is not Status.FORMING:
        return Refusal(RefusalCode.NO_CHANGE, "the match has started already")
    taken = sum(p.present for p in state.places.values())
    needed = state.game.fewest(state.opened.config)
    if taken < needed:
        return Refusal(RefusalCode.NOT_STARTED, f"{taken} of at least {needed} seats are taken")
    return started(state, now)


def started(state: State, now: float) -> Ruling:
    """The start with the seats that are taken; a configuration that does not fit them is refused."""
    seats = tuple(p.seat for p in state.places.values() if p.present)
    try:
        position = state.game.start(state.opened.config, seats, state.opened.seed)
    except ParlourError as error:
        return Refusal(RefusalCode.BAD_VALUE, f"the match cannot start: {error}")
    return ev.Started(now, seats, position.encode())


def _pause(state: State, intent: it.Pause, now: float) -> Ruling:
    if state.status is not Status.RUNNING:
        return Refusal(RefusalCode.NO_CHANGE, f"the match is {state.status}, so it cannot be paused")
    return ev.Paused(now, intent.by)


def _resume(state: State, intent: it.Resume, now: float) -> Ruling:
    if state.status is not Status.PAUSED:
        return Refusal(RefusalCode.NO_CHANGE, f"the match is {state.status}, so it cannot be resumed")
    return ev.Resumed(now, intent.by)


def _cancel(state: State, intent: it.Cancel, now: float) -> Ruling:
    # If all others were thrown out before play could begin, whoever is left has won without a move.
    left = [place.seat for place in state.places.values() if place.present]
    walkover = state.status is Status.FORMING and len(left) == 1 and any(p.removed for p in state.places.values())
    places = ((str(left[0]),),) if walkover else ()
    return ended(state, Outcome(scores={}, places=places, reason=intent.reason[:MAX_REASON]), now)


def _force_turn(state: State, intent: it.ForceTurn, now: float) -> Ruling:
    if refusal := _not_playing(state):
        return refusal
    if not state.turn_running or state.status is Status.PAUSED:
        return Refusal(RefusalCode.NO_CHANGE, "no turn is running")
    return ev.TurnForced(now, intent.by, state.turn)


def _set_position(state: State, intent: it.SetPosition, now: float) -> Ruling:
    if refusal := _not_playing(state):
        return refusal
    try:
        position = state.game.decode(intent.position)
    except ParlourError as error:
        return Refusal(RefusalCode.BAD_VALUE, f"that is no position: {error}")
    strangers = [seat for seat in (*position.alive(), *position.to_act()) if seat not in state.places]
    if strangers:
        return Refusal(RefusalCode.BAD_VALUE, f"that position has a seat {strangers[0]!r}, which this match has not")
    return ev.PositionSet(now, intent.by, position.encode())


def _remove(state: State, intent: it.Remove, now: float) -> Ruling:
    if state.places[intent.seat].removed:
        return Refusal(RefusalCode.NO_CHANGE, f"{intent.seat} was removed before")
    return ev.Removed(now, intent.seat, intent.reason[:MAX_REASON])


def _substitute(state: State, intent: it.Substitute, now: float) -> Ruling:
    if state.places[intent.seat].removed:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} was removed from the match")
    if refusal := _bad_name(intent.name):
        return refusal
    return ev.Joined(now, intent.seat, intent.name, intent.player_type)


def _not_playing(state: State) -> Refusal | None:
    if state.status not in _PLAYING:
        return Refusal(RefusalCode.NOT_STARTED, "the match has not started")
    return None


def ended(state: State, outcome: Outcome, now: float) -> ev.Ended:
    """The end with that outcome."""
    return ev.Ended(now, outcome, state.standings())


_RULINGS: dict[type[Any], Callable[[State, Any, float], Ruling]] = {
    it.Act: _act,
    it.Retract: _retract,
    it.Say: _say,
    it.SetCommStatus: _set_comm_status,
    it.SetWait: _set_wait,
    it.Vote: _vote,
    it.Join: _join,
    it.Leave: _leave,
    it.Report: _report,
    it.Start: _start,
    it.Pause: _pause,
    it.Resume: _resume,
    it.Cancel: _cancel,
    it.ForceTurn: _force_turn,
    it.SetPosition: _set_position,
    it.Remove: _remove,
    it.Substitute: _substitute,
}
