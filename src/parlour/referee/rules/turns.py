"""Turns: the seats to act, their actions and retractions, wait flags, and the end of a turn."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Seat, Violation
from parlour.core.intents import Ballot, CommStatus, Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.errors import ParlourError
from parlour.referee.rules.penalties import foul, sanction
from parlour.referee.rules.seals import is_sealing, owes_seal
from parlour.referee.rulings import Cause, MustBe, Ruling, led_to_by, not_playing, rules_on, unseated
from parlour.referee.state import MatchState, Place, folds

_RUNNING, _NEUTRAL, _BUSY = MatchStatus.RUNNING, Ballot.NEUTRAL, CommStatus.BUSY


@folds(ev.TurnBegan)
def _turn_began(state: MatchState, event: ev.TurnBegan) -> None:
    if state.turn_limit is not None:
        for seat in state.to_act:  # seats of the last turn: no other seat has a deadline
            place = state.places[seat]
            place.limit = place.deadline = None
    state.turn, state.stage, state.to_act = event.turn, event.stage, event.to_act
    state.turn_running, state.forced, state.removed_this_turn = True, False, False
    state.window_until, state.window_used = None, False
    if state.rows:
        state.rows.clear()
    pending = state.pending
    pending.clear()
    state.in_favour.clear()
    if state.partial:
        state.partial.clear()
    places = state.places
    up, vacant_up = state.flags_at_first()
    for place in places.values():
        if place.ballot is not _NEUTRAL:
            place.ballot, place.vote_lapses = _NEUTRAL, False
        place.wait = up or (vacant_up and not place.present)
        place.said = place.noted = 0
    if state.sealing or state.terms.seals is not UNSET:
        _begin_sealing(state, event)
    for seat in event.to_act:
        place = places[seat]
        place.acted = place.passed = place.defaulted = False
        place.action, place.asked_again = None, 0
        place.turns += 1
        if state.waits_for(place):
            pending.add(seat)
    state.turn_limit = None
    if event.deadlines:
        state.set_deadlines(event.deadlines)


def _begin_sealing(state: MatchState, event: ev.TurnBegan) -> None:
    state.sealing = is_sealing(state, event.turn, event.stage)
    if state.sealing:
        for place in state.places.values():
            place.sealed = place.seal_wanted = False
            place.seals = 0


@rules_on(it.Act)
def act(state: MatchState, intent: it.Act, now: float) -> Ruling:
    """Play an action, if it is the seat's turn and the rules allow it; otherwise conduct decides."""
    place = state.places[intent.seat]
    if place.removed or not place.present or state.status is not _RUNNING:
        if refusal := unseated(place, intent.by) or not_playing(state):
            return refusal
    if intent.turn is not None and intent.turn != state.turn:
        return Refusal(RefusalCode.TOO_LATE, f"turn: expected {state.turn}, got {intent.turn}")
    if intent.seat not in state.to_act or not state.turn_running or place.passed:
        return Refusal(RefusalCode.OUT_OF_TURN, f"{intent.seat} is not to act now")
    assert state.position is not None
    unsealed: bool | UnsetType = UNSET
    if state.sealing and not intent.by and owes_seal(state, place):
        if intent.sealable and not place.seal_wanted:
            return ev.SealWanted(now, intent.seat, state.turn)
        unsealed = True
    violations = state.position.check(intent.seat, intent.action)
    if not violations:
        return ev.Acted(now, intent.seat, state.turn, intent.action, by=intent.by, unsealed=unsealed)
    return _illegal(state, place, intent, violations, now)


def _illegal(state: MatchState, place: Place, intent: it.Act, violations: tuple[Violation, ...], now: float) -> Ruling:
    assert state.position is not None
    worst = _worst(violations)
    if intent.seat not in state.pending:
        # A replacement that is not allowed leaves the earlier action in place.
        return Refusal(RefusalCode.ILLEGAL, worst.message)
    does, _ = sanction(state, place, worst.foul, state.stage)
    if does is Consequence.REPAIR:
        mended = state.position.repair(intent.seat, intent.action)
        if mended is not None:
            unsealed: bool | UnsetType = True if not intent.by and owes_seal(state, place) else UNSET
            return ev.Acted(now, intent.seat, state.turn, mended, violations, by=intent.by, unsealed=unsealed)
    if intent.by:  # a proxy's mistake is not a foul of the seat
        return Refusal(RefusalCode.ILLEGAL, worst.message)
    return foul(state, place, worst.foul, worst.message, now, violation=worst)


@led_to_by(ev.Acted)
def _acts(state: MatchState, event: ev.Acted) -> tuple[Cause, ...]:
    if not event.given:
        return ()
    intent = it.Act(event.seat, event.action, event.turn, event.by, event.unsealed is not True)
    if not event.violations:
        return (intent,)
    # The submitted action is not in the record: the kept part must be legal, and conduct must repair actions.
    kept = act(state, intent, event.at)
    does, _ = sanction(state, state.places[event.seat], _worst(event.violations).foul, state.stage)
    if not isinstance(kept, ev.Acted) or does is not Consequence.REPAIR or event.seat not in state.pending:
        return ()
    return (MustBe(msgspec.structs.replace(kept, violations=event.violations)),)


def _worst(violations: tuple[Violation, ...]) -> Violation:
    return next((v for v in violations if v.foul is FoulKind.GARBLED), violations[0])


@folds(ev.Acted)
def _acted(state: MatchState, event: ev.Acted) -> None:
    place = state.places[event.seat]
    place.acted, place.action, place.defaulted = True, event.action, not event.given
    place.acted_at = event.at
    place.passed = False
    state.rows.pop(event.seat, None)
    if event.given:
        place.skips = 0
    if state.unsettled:
        state.settle(place)
    if place.limit is not None:
        place.draw_on_bank(event.at)
    state.pending.discard(event.seat)


@rules_on(it.Retract, leads_to=ev.Retracted)
def retract(state: MatchState, intent: it.Retract, now: float) -> Ruling:
    """Take back the submitted action."""
    place = state.places[intent.seat]
    if refusal := unseated(place, intent.by) or not_playing(state):
        return refusal
    if intent.seat not in state.to_act or not place.acted:
        return Refusal(RefusalCode.NO_CHANGE, f"{intent.seat} has no action in this turn to take back")
    return ev.Retracted(now, intent.seat, state.turn, intent.by)


@folds(ev.Retracted)
def _retracted(state: MatchState, event: ev.Retracted) -> None:
    place = state.places[event.seat]
    place.acted, place.action = False, None
    state.rows.pop(event.seat, None)
    if state.waits_for(place):
        state.pending.add(event.seat)


@rules_on(it.SetWait, leads_to=ev.WaitSet)
def set_wait(state: MatchState, intent: it.SetWait, now: float) -> Ruling:
    """Raise or lower a wait flag."""
    place = state.places[intent.seat]
    if refusal := unseated(place, intent.by) or not_playing(state):
        return refusal
    if place.wait is intent.wait:
        return Refusal(RefusalCode.NO_CHANGE, f"the wait flag is {'up' if intent.wait else 'down'} already")
    return ev.WaitSet(now, intent.seat, intent.wait, intent.by)


@folds(ev.WaitSet)
def _wait_set(state: MatchState, event: ev.WaitSet) -> None:
    state.places[event.seat].wait = event.wait
    state.rows.pop(event.seat, None)


@rules_on(it.ForceTurn, leads_to=ev.TurnForced)
def force_turn(state: MatchState, intent: it.ForceTurn, now: float) -> Ruling:
    """Complete the turn without the seats that have not acted."""
    if refusal := not_playing(state):
        return refusal
    if not state.turn_running or state.status is MatchStatus.PAUSED:
        return Refusal(RefusalCode.NO_CHANGE, "no turn is running")
    return ev.TurnForced(now, intent.by, state.turn)


@folds(ev.TurnForced)
def _turn_forced(state: MatchState, event: ev.TurnForced) -> None:
    state.forced = True
    state.pending.clear()


@folds(ev.TurnEnded)
def _turn_ended(state: MatchState, event: ev.TurnEnded) -> None:
    assert state.position is not None
    if state.ahead is None:
        state.ahead = state.position.apply({Seat(seat): action for seat, action in event.actions.items()})
    state.position = state.ahead[0]
    state.ahead, state.turn_running, state.stands = None, False, False
    state.pending.clear()
    for place in state.places.values():
        place.comm_status = _BUSY
    state.rows.clear()


@rules_on(it.SetPosition, leads_to=ev.PositionSet)
def set_position(state: MatchState, intent: it.SetPosition, now: float) -> Ruling:
    """Continue from another position of the same game and the same seats."""
    if refusal := not_playing(state):
        return refusal
    try:
        position = state.game.decode(intent.position)
    except ParlourError as error:
        return Refusal(RefusalCode.BAD_VALUE, f"not a position: {error}")
    strangers = [seat for seat in (*position.alive(), *position.to_act()) if seat not in state.places]
    if strangers:
        return Refusal(RefusalCode.BAD_VALUE, f"position: expected seats of this match, got {strangers[0]!r}")
    return ev.PositionSet(now, intent.by, position.encode())


@folds(ev.PositionSet)
def _position_set(state: MatchState, event: ev.PositionSet) -> None:
    position = state.game.decode(event.position)
    for seat in position.alive():
        if state.places[seat].removed:
            position = position.without(seat)
    state.position, state.stands = position, not position.to_act()
    state.end_turn()
