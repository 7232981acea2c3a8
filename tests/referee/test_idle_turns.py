"""Turns in which nobody is to act: they pass by themselves if that leads somewhere, and else the match ends.

Those that somebody set stand: who sets one has more to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Action, Happened, Plain, Seat, Seed
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import Viewer
from parlour.games.diplomacy import GAME
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.position import Position
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match, replay
from parlour.referee.snapshots import freeze, thaw
from parlour.testing.toys import NimGame, NimPosition

EVERY_PHASE: dict[str, Plain] = {"rules": ["every-phase"], "last_year": 1901}


@dataclass(frozen=True, slots=True)
class RestingPosition(NimPosition):
    """Nim in which nobody may take anything while some are resting."""

    resting: int = 0
    endless: bool = False

    def to_act(self) -> tuple[Seat, ...]:
        return () if self.resting else self.order[:1] if self.heap and self.order else ()

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[Self, Happened]:
        if self.resting:
            return replace(self, resting=self.resting - (not self.endless)), {}
        taken = actions[self.order[0]]
        return replace(self, heap=self.heap - taken, resting=2), {}

    def without(self, seat: Seat) -> Self:
        return replace(self, order=tuple(each for each in self.order if each != seat))

    def view(self, viewer: Viewer) -> Self:
        return self

    def encode(self) -> Plain:
        return [self.heap, list(self.order), self.resting, self.endless]


class RestingGame(NimGame):
    """Begins with a rest."""

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> RestingPosition:
        return RestingPosition(3, tuple(seats), resting=int(config["rest"]), endless=bool(config["endless"]))

    def decode(self, value: Plain) -> RestingPosition:
        heap, order, rest, endless = value
        return RestingPosition(heap, tuple(map(Seat, order)), resting=rest, endless=endless)


def resting(rest: int, *, endless: bool = False) -> Match:
    match = Match(RestingGame(), {"rest": rest, "endless": endless}, Terms(DIPLOMACY), 0)
    match.start(0.0)
    match.handle(it.Join("a"), 1.0)
    match.handle(it.Join("b"), 2.0)
    return match


def turns(match: Match) -> list[tuple[Seat, ...]]:
    return [event.to_act for event in match.record if isinstance(event, ev.TurnBegan)]


def test_turns_without_anybody_pass_until_somebody_is_to_act() -> None:
    match = resting(2)
    assert turns(match) == [(), (), ("north",)]
    match.handle(it.Act(Seat("north"), 1), 3.0)
    assert turns(match)[3:] == [(), (), ("north",)]
    assert replay(match.record, RestingGame()).turn == match.turn == 6


@pytest.mark.parametrize(("rest", "endless"), [(2, True), (1000, False)])
def test_a_match_ends_where_nobody_will_ever_act(rest: int, endless: bool) -> None:
    match = resting(rest, endless=endless)
    assert match.over
    assert match.outcome is not None
    assert match.outcome.reason == "nobody is to act"
    assert turns(match) == []


def diplomacy(terms: Terms, players: int = 7, config: dict[str, Plain] = EVERY_PHASE) -> Match:
    match = Match(GAME, config, terms, 0)
    match.start(0.0)
    for number in range(players):
        match.handle(it.Join(f"p{number}"), 1.0)
    return match


def played(match: Match) -> list[str]:
    return [event.happened["phase"] for event in match.record if isinstance(event, ev.TurnEnded)]


def test_phases_without_anything_to_order_are_turns_that_take_no_time() -> None:
    match = diplomacy(Terms(DIPLOMACY, clock=Clock(per_turn=60.0)))
    for now in (10.0, 20.0):
        for seat in match.state.to_act:
            match.handle(it.Act(seat, []), now)
    assert played(match) == ["S1901M", "S1901R", "F1901M", "F1901R", "W1901A"]
    assert match.over
    times = {event.happened["phase"]: event.at for event in match.record if isinstance(event, ev.TurnEnded)}
    assert times == {"S1901M": 10.0, "S1901R": 10.0, "F1901M": 20.0, "F1901R": 20.0, "W1901A": 20.0}
    replay(match.record)


def lasting(clock: float | None = None, kind: it.PlayerType = it.PlayerType.HUMAN) -> Match:
    """Return a match with an idle turn that lasts, in which that turn runs."""
    match = Match(GAME, EVERY_PHASE, Terms(DIPLOMACY, clock=Clock(per_turn=clock), idle_turns_last=True), 0)
    match.start(0.0)
    for number in range(7):
        match.handle(it.Join(f"p{number}", None, kind), 1.0)
    for seat in match.state.to_act:
        match.handle(it.Act(seat, []), 10.0)
    return match


def test_an_idle_turn_that_lasts_ends_when_it_is_forced_or_a_player_lowers_a_flag() -> None:
    for ending in (it.ForceTurn("host"), it.SetWait(Seat("ITALY"), False)):
        match = lasting()
        match.tick(1000.0)
        assert (played(match), turns(match)[-1]) == (["S1901M"], ())
        woken = Match.from_state(thaw(freeze(match.state), GAME))
        for each in (match, woken):
            each.handle(ending, 1001.0)
            assert played(match)[1:] == ["S1901R"]
            assert isinstance(each.position, Position)
            assert (each.position.phase, len(each.state.to_act)) == ("F1901M", 7)
        replay(match.record)


def test_an_idle_turn_that_lasts_ends_with_its_time_and_nobody_is_late() -> None:
    match = lasting(clock=60.0)
    assert match.due() == 70.0
    match.tick(69.9)
    assert played(match) == ["S1901M"]
    match.tick(70.0)
    assert played(match) == ["S1901M", "S1901R"]
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]
    replay(match.record)


def test_no_bot_is_waited_for_in_an_idle_turn() -> None:
    assert played(lasting(kind=it.PlayerType.NO_PRESS_BOT)) == ["S1901M", "S1901R"]


def test_nothing_is_played_on_while_nobody_sits_there() -> None:
    match = diplomacy(Terms(DIPLOMACY, vacancy=Vacancy.AWAITED, seats_to_start=0), players=1)
    match.handle(it.Start("host"), 2.0)
    for seat in match.state.to_act[1:]:
        match.handle(it.Act(seat, [], by="host"), 3.0)
    match.handle(it.Act(match.state.to_act[0], []), 4.0)
    assert played(match) == ["S1901M", "S1901R"]
    match.handle(it.Leave(Seat("AUSTRIA")), 5.0)
    match.tick(1000.0)
    assert played(match) == ["S1901M", "S1901R"]
    assert not match.over


def cleared(match: Match, *, centers: bool) -> Plain:
    """Return the position of a match of Diplomacy without units, and without owners too."""
    assert isinstance(match.position, Position)
    state = write_state(match.position)
    state["units"] = state["retreats"] = {}
    if centers:
        state["centers"] = {}
    return position_of_state(state, board=match.position.board).encode()


@pytest.mark.parametrize("centers", [False, True])
@pytest.mark.parametrize("clock", [None, 60.0])
def test_a_position_that_is_set_stands_though_nobody_is_to_act_in_it(centers: bool, clock: float | None) -> None:
    match = diplomacy(Terms(DIPLOMACY, clock=Clock(per_turn=clock)), config={})
    begun = match.position
    assert begun is not None
    match.handle(it.SetPosition("host", cleared(match, centers=centers)), 2.0)
    match.tick(10_000.0)
    assert (match.over, turns(match)[1:], played(match)) == (False, [()], [])
    woken = Match.from_state(thaw(freeze(match.state), GAME))
    for each in (match, woken):
        each.handle(it.SetPosition("host", begun.encode()), 10_001.0)
        assert each.position == begun
        assert len(each.state.to_act) == 7
        for seat in each.state.to_act:
            each.handle(it.Act(seat, []), 10_002.0)
    assert played(match) == ["S1901M"]
    replay(match.record)


def test_a_position_that_stands_goes_on_when_its_turn_is_forced() -> None:
    match = diplomacy(Terms(DIPLOMACY), config={})
    match.handle(it.SetPosition("host", cleared(match, centers=False)), 2.0)
    assert played(match) == []
    match.handle(it.ForceTurn("host"), 3.0)
    assert played(match) == ["S1901M"]
    assert len(match.state.to_act) == 7, "all may build"
    for seat in match.state.to_act:
        match.handle(it.Act(seat, []), 4.0)
    assert played(match) == ["S1901M", "W1901A"]
    replay(match.record)


def test_who_has_nothing_to_order_in_a_position_that_stands_may_agree_on_a_draw() -> None:
    match = diplomacy(Terms(DIPLOMACY), config={})
    match.handle(it.SetPosition("host", cleared(match, centers=False)), 2.0)
    for seat in GAME.seats({}):
        match.handle(it.Vote(seat, it.Ballot.YES), 3.0)
    assert match.over
