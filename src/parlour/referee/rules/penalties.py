"""Penalties: the cost of a foul by the conduct table, and the removal of a seat."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.fouls import Consequence, Rule, Standing
from parlour.core.game import FoulKind, Seat, Violation
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.referee.rulings import MAX_REASON, Cause, MustBe, Ruling, led_to_by, rules_on, unseated
from parlour.referee.state import MatchState, Place, folds

MAX_ASKED_AGAIN = 100
"""Number of times that a seat is asked again in a turn if the conduct table sets no limit."""
MAX_NOTES = 300
"""Maximum number of recorded fouls of one seat. Further reports are refused, except for an answer that the turn waits
for: its foul still counts, and the seat is not asked again."""
MAX_SKIPS = 100
"""Number of skipped own turns in a row for which a player is removed: a game in which all pass would never end."""


def sanction(
    state: MatchState, place: Place, kind: FoulKind, stage: str, *, again: bool = True
) -> tuple[Consequence, Rule]:
    """Return the cost of a foul for this seat now: the conduct table's cell, with its limits applied.

    Whatever the table contains, a seat must not hold up the turn for ever. It is asked again a limited number of times,
    and not after its time is up. A foul without a cost still gives the seat its default action, unless the player is
    disconnected and the terms keep vacant seats.
    """
    rule = state.terms.conduct.rule(stage, kind)
    does = rule.does
    if state.status is MatchStatus.OVER:
        return Consequence.NOTE, rule
    if place.seat not in state.pending:
        stands = does in (Consequence.REMOVE, Consequence.VACATE) or kind is FoulKind.DISCONNECTED
        return (does if stands else Consequence.NOTE), rule
    exhausted = not again or kind is FoulKind.LATE or place.asked_again >= (rule.limit or MAX_ASKED_AGAIN)
    if does is Consequence.ASK_AGAIN and exhausted:
        does = rule.beyond or Consequence.SKIP
    late = state.terms.conduct.rule(stage, FoulKind.LATE)
    if does is Consequence.SKIP and late.limit is not None and place.skips + 1 >= late.limit:
        does = late.beyond or Consequence.SKIP
    away = state.seats_stay and kind is FoulKind.DISCONNECTED
    if (does is Consequence.NOTE and not away) or (exhausted and does in (Consequence.ASK_AGAIN, Consequence.REPAIR)):
        does = Consequence.DEFAULT
    if does is Consequence.VACATE and not place.present:
        does = Consequence.DEFAULT
    if does is Consequence.DEFAULT and _default_missing(state, place.seat):
        does = Consequence.SKIP
    return does, rule


def foul(
    state: MatchState,
    place: Place,
    kind: FoulKind,
    detail: str,
    now: float,
    *,
    stage: str = "",
    violation: Violation | None = None,
    again: bool = True,
) -> ev.Fouled:
    """Return the foul of a seat with its consequence, in the current stage unless another is named."""
    does, rule = sanction(state, place, kind, stage or state.stage, again=again)
    if does is Consequence.REPAIR:  # no part of the action could be kept
        does = Consequence.SKIP if _default_missing(state, place.seat) else Consequence.DEFAULT
    standing = rule.standing if does is Consequence.REMOVE else None
    if does is Consequence.SKIP and place.present and place.skips + 1 >= MAX_SKIPS:
        does, standing = Consequence.REMOVE, rule.standing or Standing.FAILURE
    return ev.Fouled(now, place.seat, kind, stage or state.stage, state.turn, detail, does, standing, violation)


def _default_missing(state: MatchState, seat: Seat) -> bool:
    return state.position is None or seat not in state.to_act or state.position.default(seat) is None


@rules_on(it.Report)
def report(state: MatchState, intent: it.Report, now: float) -> Ruling:
    """Record a foul that a driver detected."""
    place = state.places[intent.seat]
    if refusal := unseated(place):
        return refusal
    if intent.turn is not None and intent.turn != state.turn:
        return Refusal(RefusalCode.TOO_LATE, f"turn: expected {state.turn}, got {intent.turn}")
    stage = "end" if state.status is MatchStatus.OVER else intent.stage or state.stage or "identify"
    many = place.notes >= MAX_NOTES
    fouled = foul(state, place, intent.kind, intent.detail[:MAX_REASON], now, stage=stage, again=not many)
    answered = intent.turn is not None and intent.seat in state.pending and fouled.does is not Consequence.NOTE
    if many and not answered:
        return Refusal(RefusalCode.TOO_MUCH, f"{MAX_NOTES} fouls of {intent.seat} are on record already")
    return fouled


@led_to_by(ev.Fouled)
def _reports(state: MatchState, event: ev.Fouled) -> tuple[Cause, ...]:
    if (violation := event.violation) is not None:
        # The record does not hold the refused action, only the violation.
        place = state.places[event.seat]
        if event.seat not in state.pending:
            return ()
        return (MustBe(foul(state, place, violation.foul, violation.message, event.at, violation=violation)),)
    return (it.Report(event.seat, event.kind, event.detail, event.stage, event.turn),)


@folds(ev.Fouled)
def _fouled(state: MatchState, event: ev.Fouled) -> None:
    place = state.places[event.seat]
    state.settle(place)
    place.notes += 1
    match event.does:
        case Consequence.ASK_AGAIN:
            place.asked_again += 1
        case Consequence.SKIP:
            place.skips += 1
            place.passed = True
            place.draw_on_bank(event.at)
            state.pending.discard(event.seat)
        case Consequence.REMOVE | Consequence.VACATE:
            place.owed = event
            state.unsettled.add(event.seat)
        case Consequence.DEFAULT if event.seat in state.pending:
            place.owed = event
            state.unsettled.add(event.seat)
        case _:
            pass


@rules_on(it.Remove)
def remove(state: MatchState, intent: it.Remove, now: float) -> Ruling:
    """Remove a seat on a moderator's order."""
    if state.places[intent.seat].removed:
        return Refusal(RefusalCode.NO_CHANGE, f"{intent.seat} was removed before")
    return ev.Removed(now, intent.seat, intent.reason[:MAX_REASON])


@led_to_by(ev.Removed)
def _removes(state: MatchState, event: ev.Removed) -> tuple[Intent, ...]:
    return (it.Remove("", event.seat, event.reason),)


@folds(ev.Removed)
def _removed(state: MatchState, event: ev.Removed) -> None:
    place = state.places[event.seat]
    place.removed, place.standing, place.present = True, event.standing, False
    state.rows.pop(event.seat, None)
    state.settle(place)
    state.in_favour.discard(event.seat)
    state.pending.discard(event.seat)
    if state.position is not None:
        state.position = state.position.without(event.seat)
        state.removed_this_turn = True
