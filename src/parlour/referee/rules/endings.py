"""Opening and ending: the opened event, votes on a draw, and moderators who end a match with or without a result."""

from __future__ import annotations

import math

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Outcome, Seat
from parlour.core.intents import Ballot, Intent, Refusal, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.referee.rulings import MAX_REASON, Ruling, bad_name, led_to_by, not_playing, rules_on, unseated
from parlour.referee.state import MatchState, Place, folds

MAX_DRAWS = 128
"""Maximum number of draws among different seats that may be voted on in one turn."""


@folds(ev.Opened)
def _opened(state: MatchState, event: ev.Opened) -> None:
    state.opened, state.terms = event, event.terms
    state.status = MatchStatus.FORMING
    bank = event.terms.clock.bank
    state.places = {seat: Place(seat, bank=bank) for seat in state.game.seats(event.config)}


@rules_on(it.Vote, leads_to=ev.Voted)
def vote(state: MatchState, intent: it.Vote, now: float) -> Ruling:
    """Vote on a draw."""
    place = state.places[intent.seat]
    if refusal := unseated(place) or not_playing(state):
        return refusal
    if not state.terms.draw_votes:
        return Refusal(RefusalCode.BAD_VALUE, "this match is played without votes on a draw")
    if intent.seat not in state.alive():
        return Refusal(RefusalCode.OUT_OF_GAME, f"{intent.seat} is out of the game and has no vote")
    among = _shared_by(state, intent)
    if isinstance(among, Refusal):
        return among
    before = state.partial.get(among, set()) if among else state.in_favour
    same = (intent.seat in before) is (intent.ballot is Ballot.YES) if among else place.ballot is intent.ballot
    if same:
        return Refusal(RefusalCode.NO_CHANGE, f"the vote is {intent.ballot} already")
    if state.opened.version < 2:
        return ev.Voted(now, intent.seat, intent.ballot)
    in_favour = len(before - {intent.seat}) + (intent.ballot is Ballot.YES)
    return ev.Voted(now, intent.seat, intent.ballot, in_favour, among)


def _shared_by(state: MatchState, intent: it.Vote) -> tuple[Seat, ...] | Refusal:
    """Return the seats that would share in a draw; empty if these are all that are still in the game."""
    alive = state.alive()
    if not intent.among or set(intent.among) == set(alive):
        return ()
    if not state.terms.partial_draws:
        return Refusal(RefusalCode.BAD_VALUE, "in this match a draw must include all seats still in the game")
    if strangers := [seat for seat in intent.among if seat not in alive]:
        return Refusal(RefusalCode.OUT_OF_GAME, f"{str(strangers[0])[:40]!r} is not in the game and cannot draw")
    among = tuple(seat for seat in alive if seat in intent.among)
    if len(among) < 2:
        return Refusal(RefusalCode.BAD_VALUE, "a draw must include at least two seats")
    if among not in state.partial and len(state.partial) >= MAX_DRAWS:
        return Refusal(RefusalCode.TOO_MUCH, f"at most {MAX_DRAWS} draws are voted on in a turn")
    return among


@folds(ev.Voted)
def _voted(state: MatchState, event: ev.Voted) -> None:
    if event.among:
        voters = state.partial.setdefault(event.among, set())
        (voters.add if event.ballot is Ballot.YES else voters.discard)(event.seat)
        return
    place = state.places[event.seat]
    place.ballot, place.vote_lapses = event.ballot, False
    state.rows.pop(event.seat, None)
    (state.in_favour.add if event.ballot is Ballot.YES else state.in_favour.discard)(event.seat)


@rules_on(it.Cancel)
def cancel(state: MatchState, intent: it.Cancel, now: float) -> Ruling:
    """End the match without a result, except for a walkover."""
    # If all others were removed before play could begin, the last player has won without a move.
    left = [place.seat for place in state.places.values() if place.present]
    thrown_out = any(place.removed for place in state.places.values())
    walkover = state.status is MatchStatus.FORMING and len(left) == 1 and thrown_out
    places = ((str(left[0]),),) if walkover else ()
    return ended(state, Outcome(scores={}, places=places, reason=intent.reason[:MAX_REASON]), now, intent.by)


@rules_on(it.EndWithResult)
def conclude(state: MatchState, intent: it.EndWithResult, now: float) -> Ruling:
    """End the match with a result."""
    if refusal := not_playing(state) or bad_name(intent.by, "the name of the moderator"):
        return refusal
    if intent.outcome is None:
        assert state.position is not None
        return ended(state, state.position.drawn(state.alive()), now, intent.by)
    placed = [seat for place in intent.outcome.places for seat in place]
    named = {*placed, *intent.outcome.scores}
    if strangers := sorted(named - set(state.places)):
        return Refusal(RefusalCode.BAD_VALUE, f"outcome: expected seats of this match, got {strangers[0]!r}")
    if len(set(placed)) < len(placed):
        return Refusal(RefusalCode.BAD_VALUE, "outcome: a seat has two places")
    if not all(map(math.isfinite, intent.outcome.scores.values())) or len(intent.outcome.reason) > MAX_REASON:
        return Refusal(RefusalCode.BAD_VALUE, "outcome: expected finite scores and a short reason")
    return ended(state, intent.outcome, now, intent.by)


def ended(state: MatchState, outcome: Outcome, now: float, by: str = "") -> ev.Ended:
    """Return the end of the match with that outcome."""
    return ev.Ended(now, outcome, state.standings(), by if state.opened.version > 1 else "")


@led_to_by(ev.Ended)
def _ends(state: MatchState, event: ev.Ended) -> tuple[Intent, ...]:
    return (
        it.Cancel(event.by, event.outcome.reason),
        it.EndWithResult(event.by),
        it.EndWithResult(event.by, event.outcome),
    )


@folds(ev.Ended)
def _ended(state: MatchState, event: ev.Ended) -> None:
    state.status, state.outcome = MatchStatus.OVER, event.outcome
    state.end_turn()
