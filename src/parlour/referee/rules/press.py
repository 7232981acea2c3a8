"""Press and its window, comm status, private notes, and announcements of the host."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.declaration import fetch
from parlour.core.game import Seat
from parlour.core.intents import Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.core.terms import FREE_TEXT, PressMode
from parlour.referee.rulings import MAX_NAME, Ruling, bad_text, not_playing, rules_on, unseated
from parlour.referee.state import MatchState, folds

MAX_NOTE = 16_384
MAX_ADVICE_KIND = 64
"""Maximum characters of the kind of an adviser's message."""
MAX_NOTES_PER_TURN = 1000


@rules_on(it.Say, leads_to=ev.Said)
def say(state: MatchState, intent: it.Say, now: float) -> Ruling:
    """Deliver press, if the terms allow it now and the addressees can receive it."""
    place, press = state.places[intent.seat], state.terms.press
    early = state.status is MatchStatus.FORMING and press.before_start
    if refusal := unseated(place) or (None if early else not_playing(state)) or _press_shut(state, intent, now, early):
        return refusal
    if not early and (refusal := _out_of_reach(state, intent)):
        return refusal
    if refusal := bad_text(intent.text, press.max_length, blank=press.level >= FREE_TEXT):
        return refusal
    if place.said >= press.max_per_turn:
        return Refusal(RefusalCode.TOO_MUCH, f"a seat sends at most {press.max_per_turn} messages per turn")
    if refusal := _senseless(state, intent):
        return refusal
    return ev.Said(now, intent.seat, tuple(dict.fromkeys(intent.to)), intent.text, state.turn)


def _press_shut(state: MatchState, intent: it.Say, now: float, early: bool) -> Refusal | None:
    press = state.terms.press
    if press.mode is PressMode.NONE:
        return Refusal(RefusalCode.PRESS_CLOSED, "this match is played without press")
    if intent.to and not press.private:
        return Refusal(RefusalCode.PRESS_CLOSED, "in this match press is for all")
    if intent.to and early:
        return Refusal(RefusalCode.PRESS_CLOSED, "before the start press is for all")
    if press.mode is PressMode.WINDOW and state.window_until is None and not early:
        return Refusal(RefusalCode.PRESS_CLOSED, "the press window is not open")
    if state.stage in press.silent_stages and not early:
        return Refusal(RefusalCode.PRESS_CLOSED, f"in {state.stage} nobody may talk in this match")
    limit = state.turn_limit if press.silent_before and state.stage in press.stages else None
    if limit is not None and now > limit - press.silent_before:
        return Refusal(RefusalCode.PRESS_CLOSED, f"nobody may talk in the last {press.silent_before:g} seconds")
    return None


def _out_of_reach(state: MatchState, intent: it.Say) -> Refusal | None:
    alive = tuple(state.places) if state.terms.press.eliminated is True else state.alive()
    if intent.seat not in alive:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} is out of the game and cannot send press")
    for seat in intent.to:
        if refusal := _cannot_get(state, seat, intent.seat, alive):
            return refusal
    return None


def _cannot_get(state: MatchState, seat: Seat, sender: Seat, alive: tuple[Seat, ...]) -> Refusal | None:
    if seat == sender:
        return Refusal(RefusalCode.BAD_VALUE, "press to oneself is not delivered")
    if seat not in state.places:
        return Refusal(RefusalCode.UNKNOWN_SEAT, f"there is no seat {str(seat)[:MAX_NAME]!r} to write to")
    if seat not in alive:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{seat} is out of the game and gets no press")
    if not state.places[seat].present and not state.seats_stay:
        return Refusal(RefusalCode.NOT_SEATED, f"{seat} has no player now, so nobody would receive this")
    return None


def _senseless(state: MatchState, intent: it.Say) -> Refusal | None:
    """Return the refusal of press that the game's own check rejects; None if it is accepted."""
    check = getattr(state.game, "press_check", "")
    if not check or state.position is None:
        return None
    return _press_check(check)(intent.text, state.terms.press.level, state.position, intent.seat, intent.to)


@cache
def _press_check(name: str) -> Callable[..., Refusal | None]:
    """Return the check of that name: a game names its check, because its language is in a layer above it."""
    check: Callable[..., Refusal | None] = fetch(name)
    return check


@folds(ev.Said)
def _said(state: MatchState, event: ev.Said) -> None:
    state.places[event.seat].said += 1
    if state.sealing:
        for seat in (event.seat, *event.to) if event.to else state.places:
            state.places[seat].sealed = False


@folds(ev.PressOpened)
def _press_opened(state: MatchState, event: ev.PressOpened) -> None:
    state.window_until, state.window_used = event.until, True


@folds(ev.PressClosed)
def _press_closed(state: MatchState, event: ev.PressClosed) -> None:
    state.window_until = None


@rules_on(it.SetCommStatus, leads_to=ev.CommStatusSet)
def set_comm_status(state: MatchState, intent: it.SetCommStatus, now: float) -> Ruling:
    """Set a seat's readiness to talk."""
    place = state.places[intent.seat]
    if refusal := unseated(place, intent.by):
        return refusal
    if place.comm_status is intent.status:
        return Refusal(RefusalCode.NO_CHANGE, f"the comm status is {intent.status} already")
    return ev.CommStatusSet(now, intent.seat, intent.status, intent.by)


@folds(ev.CommStatusSet)
def _comm_status_set(state: MatchState, event: ev.CommStatusSet) -> None:
    state.places[event.seat].comm_status = event.status
    state.rows.pop(event.seat, None)


@rules_on(it.Note, leads_to=ev.Noted)
def note(state: MatchState, intent: it.Note, now: float) -> Ruling:
    """Record a note of a seat."""
    place = state.places[intent.seat]
    if refusal := unseated(place) or bad_text(intent.text, MAX_NOTE):
        return refusal
    if place.noted >= MAX_NOTES_PER_TURN:
        return Refusal(RefusalCode.TOO_MUCH, f"a seat writes at most {MAX_NOTES_PER_TURN} notes per turn")
    return ev.Noted(now, intent.seat, intent.text, state.turn)


@folds(ev.Noted)
def _noted(state: MatchState, event: ev.Noted) -> None:
    state.places[event.seat].noted += 1


@rules_on(it.Announce, leads_to=ev.Proclaimed)
def proclaim(state: MatchState, intent: it.Announce, now: float) -> Ruling:
    """Send a text to all; an announcement is not press."""
    kind = intent.advice if isinstance(intent.advice, str) else ""
    refusal = bad_text(intent.text, MAX_NOTE) or bad_text(kind, MAX_ADVICE_KIND, blank=True)
    return refusal or ev.Proclaimed(now, intent.by, intent.text, intent.advice)


@folds(ev.Proclaimed)
def _proclaimed(state: MatchState, event: ev.Proclaimed) -> None:
    pass
