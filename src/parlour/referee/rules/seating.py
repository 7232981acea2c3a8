"""Seating: players join, leave and are replaced, and play begins with the seats that are in the match."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind
from parlour.core.intents import Ballot, CommStatus, Intent, Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.errors import ParlourError
from parlour.referee.rulings import Ruling, bad_name, led_to_by, rules_on, unseated
from parlour.referee.state import MatchState, folds


@rules_on(it.Join, leads_to=ev.Joined)
def join(state: MatchState, intent: it.Join, now: float) -> Ruling:
    """Take a seat that is free."""
    if refusal := bad_name(intent.name):
        return refusal
    if state.playing and not state.terms.rejoin:
        return Refusal(RefusalCode.SEAT_TAKEN, "nobody may join once the match has started")
    free = [place.seat for place in state.places.values() if not place.present and not place.removed]
    if intent.seat is None and not free:
        return Refusal(RefusalCode.NO_SEAT_FREE, "all seats are taken")
    seat = free[0] if intent.seat is None else intent.seat
    if seat not in free:
        return Refusal(RefusalCode.SEAT_TAKEN, f"{seat} is taken")
    return ev.Joined(now, seat, intent.name, intent.player_type, intent.by)


@rules_on(it.Substitute, leads_to=ev.Joined)
def substitute(state: MatchState, intent: it.Substitute, now: float) -> Ruling:
    """Give a seat to another player, even if it is taken."""
    if state.places[intent.seat].removed:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} was removed from the match")
    return bad_name(intent.name) or ev.Joined(now, intent.seat, intent.name, intent.player_type, intent.by)


@folds(ev.Joined)
def _joined(state: MatchState, event: ev.Joined) -> None:
    place = state.places[event.seat]
    place.name, place.player_type = event.name, event.player_type
    place.present, place.left = True, False
    place.comm_status = CommStatus.INACTIVE
    place.vote_lapses = place.ballot is not Ballot.NEUTRAL
    state.rows.pop(event.seat, None)
    state.renew_flag(place)
    if place.owed is None:
        state.unsettled.discard(event.seat)
    if state.turn_running and event.seat in state.to_act and not (place.acted or place.passed):
        state.pending.add(event.seat)


@rules_on(it.Leave, leads_to=ev.Left)
def leave(state: MatchState, intent: it.Leave, now: float) -> Ruling:
    """Leave a seat."""
    return unseated(state.places[intent.seat]) or ev.Left(now, intent.seat, intent.by)


@folds(ev.Left)
def _left(state: MatchState, event: ev.Left) -> None:
    place = state.places[event.seat]
    place.present = state.quorum_waived = False
    place.vote_lapses = place.ballot is not Ballot.NEUTRAL
    state.rows.pop(event.seat, None)
    state.renew_flag(place)
    if vacated := place.owed is not None and place.owed.does is Consequence.VACATE:
        state.settle(place)  # the foul had the consequence that the player leaves, which has now happened
    if state.status is MatchStatus.FORMING:
        place.name = None
        return
    if not state.waits_for(place):
        state.pending.discard(event.seat)
    if vacated:
        return
    # If the terms keep vacant seats, leaving is a foul only if conduct gives it a cost.
    noted = state.terms.conduct.rule(state.stage, FoulKind.DISCONNECTED).does is Consequence.NOTE
    if not (state.seats_stay and noted):
        place.left = True
        state.unsettled.add(event.seat)


@rules_on(it.Start)
def start(state: MatchState, intent: it.Start, now: float) -> Ruling:
    """Start the match, even if not all seats are taken."""
    if state.status is not MatchStatus.FORMING:
        return Refusal(RefusalCode.NO_CHANGE, "the match has started already")
    taken = sum(place.present for place in state.places.values())
    needed = 0 if state.seats_stay else state.game.fewest(state.opened.config)
    if taken < needed:
        return Refusal(RefusalCode.NOT_STARTED, f"{taken} of at least {needed} seats are taken")
    return started(state, now)


def started(state: MatchState, now: float) -> ev.Started | Refusal:
    """Return the start with the seats in the match, or a refusal if the configuration does not fit them."""
    here = [place for place in state.places.values() if not place.removed]
    seats = tuple(place.seat for place in here if place.present or state.seats_stay)
    try:
        position = state.game.start(state.opened.config, seats, state.opened.seed)
    except ParlourError as error:
        return Refusal(RefusalCode.BAD_VALUE, f"the match cannot start: {error}")
    return ev.Started(now, seats, position.encode())


@led_to_by(ev.Started)
def _starts(state: MatchState, event: ev.Started) -> tuple[Intent, ...]:
    return (it.Start(""),)


@folds(ev.Started)
def _started(state: MatchState, event: ev.Started) -> None:
    state.status = MatchStatus.RUNNING
    state.position = state.game.decode(event.position)
    places = state.places
    state.places = {seat: places[seat] for seat in places if seat in event.seats or places[seat].removed}
