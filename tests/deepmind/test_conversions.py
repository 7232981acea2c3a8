"""Recorded matches and saved games become trajectories, and trajectories become games again."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from parlour.core.events import Ended, Event, PositionSet, Started
from parlour.core.game import Seat, View
from parlour.core.terms import Terms
from parlour.deepmind import FixedPlayPolicy, RandomPolicy, State, Trajectory, mila_action_to_action, run_game
from parlour.deepmind.conversions import (
    actions_of,
    phases_of,
    record_of_trajectory,
    saved_of_trajectory,
    trajectory_of,
    trajectory_of_record,
    trajectory_of_saved,
    turns_of,
)
from parlour.errors import RecordError
from parlour.games.diplomacy.formats.saved import read_saved
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.games.fish import GAME as FISH
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match, replay

STORED = Path(__file__).parents[1] / "games" / "diplomacy" / "formats" / "saved_game.json"


def equal(one: Trajectory, other: Trajectory) -> bool:
    """Return True if two trajectories are equal apart from the order of a power's actions."""
    if len(one) != len(other):
        return False
    for phase in range(len(one)):
        first, second = one.observations[phase], other.observations[phase]
        same = (
            first.season == second.season
            and np.array_equal(first.board, second.board)
            and first.build_numbers == second.build_numbers
            and sorted(first.last_actions) == sorted(second.last_actions)
            and np.array_equal(one.legal_actions[phase], other.legal_actions[phase])
            and list(map(sorted, one.action_lists(phase))) == list(map(sorted, other.action_lists(phase)))
        )
        if not same:
            return False
    return np.array_equal(np.asarray(one.returns), np.asarray(other.returns))


@pytest.fixture(scope="module")
def trajectory() -> Trajectory:
    return run_game(State(), [RandomPolicy(8)], [0] * 7, max_length=40)


def test_positions_and_orders_and_back(trajectory: Trajectory) -> None:
    phases = phases_of(trajectory)
    assert phases[0][0] == Position.start()
    assert all(" " in order for _, orders in phases[:1] for own in orders.values() for order in own)
    assert equal(trajectory_of(phases, explicit_via=True), trajectory)


def test_a_saved_game_and_back(trajectory: Trajectory) -> None:
    saved = saved_of_trajectory(trajectory, id="game")
    assert saved.phases[0].name == "S1901M"
    again = read_saved(saved.encode())[0]
    assert equal(trajectory_of_saved(again), trajectory)


def test_a_game_that_the_package_saved() -> None:
    saved = read_saved(STORED.read_bytes())[0]
    result = trajectory_of_saved(saved)
    assert len(result) == len(saved.phases) - 1
    state = State()
    for phase in range(len(result)):
        assert state.phase == saved.phases[phase].name
        assert np.array_equal(state.observation().board, result.observations[phase].board)
        state.step(result.action_lists(phase))
    assert {unit for own in state.position.units.values() for unit in own} == {
        unit for own in saved.phases[-1].position.units.values() for unit in own
    }


class Sampler:
    """A player at random."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def act(self, view: View) -> list[str]:
        assert isinstance(view.position, Position)
        return view.position.sample(view.seat, self.rng)


def test_a_recorded_match() -> None:
    match = Match(GAME, {"last_year": 1903}, Terms(conduct=DIPLOMACY), 5)
    outcome = play(match, {seat: Sampler(number) for number, seat in enumerate(GAME.seats({}))})
    result = trajectory_of_record(GAME, match.record)
    state = State()
    for phase in range(len(result)):
        assert np.array_equal(state.observation().board, result.observations[phase].board)
        state.step(result.action_lists(phase))
    assert result.returns is not None
    assert result.returns.sum() == pytest.approx(1)
    assert len(result.returns.nonzero()[0]) >= len(outcome.winners)


def test_a_trajectory_becomes_a_record_that_replays_and_comes_back(trajectory: Trajectory) -> None:
    record = record_of_trajectory(trajectory, match="again")
    state = replay(record)
    position = state.position
    assert isinstance(position, Position)
    endless = position.on_terms(0, position.scoring)  # a match has a last year, a trajectory has none
    assert endless.state == list(turns_of(trajectory))[-1].after.state
    assert equal(trajectory_of_record(GAME, record), trajectory)


def test_a_finished_trajectory_becomes_a_finished_record() -> None:
    start = Position.start(last_year=1902)
    played = run_game(State(start), [RandomPolicy(2)], [0] * 7)
    record = record_of_trajectory(played, start=start)
    assert isinstance(record[-1], Ended)
    assert replay(record).outcome == record[-1].outcome
    assert equal(trajectory_of_record(GAME, record), played)


def by_land() -> tuple[Position, Trajectory]:
    """Return an army that walks though its own fleet offers to carry it."""
    start = Position.read("standard S1902M ENG=ABEL,FNTH;FRA=APAR ENG=LON;FRA=PAR")
    orders = [mila_action_to_action("A BEL - HOL", 0), mila_action_to_action("F NTH C A BEL - HOL", 0)]
    policy = FixedPlayPolicy([([[], orders, [], [], [], [], []], None)])
    return start, run_game(State(start), [policy], [0] * 7, max_length=1)


def test_who_walks_beside_his_own_fleet_still_walks_when_it_comes_back() -> None:
    start, played = by_land()
    phases = phases_of(played, start)
    assert sorted(trajectory_of(phases, explicit_via=True).action_lists(0)[1]) == sorted(played.action_lists(0)[1])
    assert sorted(trajectory_of(phases).action_lists(0)[1]) != sorted(played.action_lists(0)[1])
    saved = read_saved(saved_of_trajectory(played, id="walk", start=start).encode())[0]
    again = trajectory_of_saved(saved).action_lists(0)[1]
    assert sorted(again) == sorted(played.action_lists(0)[1])
    with pytest.raises(RecordError, match="S1902M: an army moved by land"):
        record_of_trajectory(played, start=start)


def test_a_record_of_another_game_is_refused() -> None:
    started = Started(at=0.0, seats=(), position=FISH.start({}, FISH.seats({"players": 2}), 1).encode())
    with pytest.raises(RecordError, match="event 0: expected a match of Diplomacy"):
        trajectory_of_record(FISH, [started])


def test_a_position_that_was_set_counts() -> None:
    there = Position.read("standard W1902A RUS=AWAR,AMOS;TUR=AANK RUS=MOS;TUR=ANK,CON")
    events: list[Event] = [
        Started(at=0.0, seats=(), position=Position.start().encode()),
        PositionSet(at=1.0, by="x", position=there.encode()),
    ]
    assert len(trajectory_of_record(GAME, events)) == 0


def test_what_nobody_ordered_is_in_the_actions() -> None:
    position = Position.read("standard S1902M FRA=APAR,AMAR;GER=AMUN FRA=PAR;GER=MUN")
    state = State(position)
    actions = actions_of(position, {"FRANCE": ["A PAR - BUR", "A MAR - BER"]})
    assert list(map(len, actions)) == [0, 0, 2, 1, 0, 0, 0]
    state.step(actions)
    assert state.position.units["FRANCE"] == ["A BUR", "A MAR"]


def test_removals_by_civil_disorder_are_in_the_actions() -> None:
    position = Position.read("standard W1902A RUS=AMOS,AGAL RUS=MOS")
    (removal,) = actions_of(position, {})[5]
    state = State(position)
    state.step([[], [], [], [], [], [removal], []])
    assert state.position.units["RUSSIA"] == ["A MOS"]


def test_supports_and_convoys_survive() -> None:
    position = Position.read("standard S1902M ENG=FNTH,FENG,ALON;FRA=ABEL,FPIC ENG=LON;FRA=PAR")
    orders = {"ENGLAND": ["F NTH C A LON - NWY", "A LON - NWY VIA"], "FRANCE": ["F PIC S A BEL"]}
    result = trajectory_of([(position, orders)])
    ((before, told),) = phases_of(result, position)
    assert before == position
    assert set(told["ENGLAND"]) == {"F NTH C A LON - NWY", "A LON - NWY VIA", "F ENG H"}
    assert Seat("FRANCE") in told
