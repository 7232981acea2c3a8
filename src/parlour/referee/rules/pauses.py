"""Pauses: clocks stop and resume, deadlines are moved, and downtime of the host is compensated."""

from __future__ import annotations

import math

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.intents import Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.core.terms import MAX_SECONDS
from parlour.referee.rulings import Ruling, not_playing, rules_on
from parlour.referee.state import MatchState, folds


def missing(state: MatchState) -> int:
    """Return the number of seats that must be taken before the match may continue."""
    quorum = state.terms.quorum
    if state.quorum_waived:
        return 0
    if state.terms.stops_while_away and (away := _awaited(state)):
        return away
    if quorum is None:
        return 0
    for place in state.places.values():
        if not place.present:
            break
    else:
        return 0
    vacant = sum(not state.places[seat].present for seat in state.alive())
    return max(0, vacant - max(0, len(state.places) - quorum))


def _awaited(state: MatchState) -> int:
    """Return the number of vacant seats that have yet to act in this turn, or whose wait flag is up."""
    places = [state.places[seat] for seat in state.to_act] if state.turn_running else []
    return sum(not place.present and not place.removed and (not place.acted or place.wait) for place in places)


@rules_on(it.Pause, leads_to=ev.Paused)
def pause(state: MatchState, intent: it.Pause, now: float) -> Ruling:
    """Stop the clocks. If the match already waits for players, it no longer continues when they join."""
    waits = state.status is MatchStatus.PAUSED and not state.paused_by
    if state.status is not MatchStatus.RUNNING and not waits:
        return Refusal(RefusalCode.NO_CHANGE, f"the match is {state.status}, so it cannot be paused")
    return ev.Paused(now, intent.by)


@folds(ev.Paused)
def _paused(state: MatchState, event: ev.Paused) -> None:
    if state.status is not MatchStatus.PAUSED:
        state.status, state.paused_at = MatchStatus.PAUSED, event.at
    state.paused_by = event.by


@rules_on(it.Resume, leads_to=ev.Resumed)
def resume(state: MatchState, intent: it.Resume, now: float) -> Ruling:
    """Let the clocks run again, even without the missing players."""
    if state.status is not MatchStatus.PAUSED:
        return Refusal(RefusalCode.NO_CHANGE, f"the match is {state.status}, so it cannot be resumed")
    return ev.Resumed(now, intent.by)


@folds(ev.Resumed)
def _resumed(state: MatchState, event: ev.Resumed) -> None:
    state.status = MatchStatus.RUNNING
    state.quorum_waived = bool(event.by)
    state.move_deadlines(event.at - state.paused_at)
    if event.deadlines:
        state.set_deadlines(event.deadlines)


@rules_on(it.Extend, leads_to=ev.Extended)
def extend(state: MatchState, intent: it.Extend, now: float) -> Ruling:
    """Move the deadlines of the turn."""
    if refusal := not_playing(state):
        return refusal
    if not state.turn_running or state.turn_limit is None:
        return Refusal(RefusalCode.NO_CHANGE, "no turn with a deadline is running")
    if not math.isfinite(intent.seconds) or abs(intent.seconds) >= MAX_SECONDS:
        return Refusal(RefusalCode.BAD_VALUE, f"seconds: expected less than {MAX_SECONDS:g} forward or back")
    return ev.Extended(now, intent.by, state.turn, float(intent.seconds))


@folds(ev.Extended)
def _extended(state: MatchState, event: ev.Extended) -> None:
    state.move_deadlines(event.seconds)


@rules_on(it.Downtime, leads_to=ev.Stalled)
def downtime(state: MatchState, intent: it.Downtime, now: float) -> Ruling:
    """Record the time for which nobody could act or receive events; it may overlap earlier events."""
    if not 0 < intent.seconds <= now - state.opened.at:
        return Refusal(RefusalCode.BAD_VALUE, "seconds: expected more than 0, at most since the opening")
    return ev.Stalled(now, intent.by, float(intent.seconds))


@folds(ev.Stalled)
def _stalled(state: MatchState, event: ev.Stalled) -> None:
    # A pause already compensates its whole length.
    if state.status is MatchStatus.RUNNING and not state.terms.downtime_counts:
        state.move_deadlines(event.seconds)
