"""Following a match by its events gives the network what it would have seen phase by phase."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.published_network import PhaseMemory
from parlour.core.events import Event, Removed, TurnEnded
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.core.viewers import SPECTATOR
from parlour.deepmind.conversions import trajectory_of_record
from parlour.deepmind.transformer import NetworkInput, ObservationTransformer
from parlour.errors import ConfigError
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.history import Past
from parlour.referee.local import play
from parlour.referee.match import Match


@pytest.fixture(scope="module")
def record() -> list[Event]:
    match = Match(GAME, {"last_year": 1905}, Terms(DIPLOMACY), seed=3)
    play(match, {seat: make_agent("diplomacy", "random", number) for number, seat in enumerate(GAME.seats({}))})
    return list(match.record)


def assert_same(one: NetworkInput, other: NetworkInput) -> None:
    for field in fields(NetworkInput):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


def test_every_phase_is_as_the_trajectory_of_the_match_has_it(record: list[Event]) -> None:
    game = trajectory_of_record(GAME, record)
    memory, carried, phase = PhaseMemory(temperature=0.5), None, 0
    position: Position | None = None
    for observed in Past(GAME, record).told(SPECTATOR):
        if isinstance(observed.event, TurnEnded):
            assert position is not None or phase == 0
            given = memory._look()
            lists = [row[row != 0].tolist() for row in game.legal_actions[phase]]
            expected, carried = ObservationTransformer().transform(
                game.observations[phase], lists, carried=carried, temperature=0.5
            )
            assert_same(given, expected)
            phase += 1
        memory.take(observed)
        position = memory._position
    assert phase == len(game) > 10


def test_a_position_that_was_not_followed_is_looked_at_anew(record: list[Event]) -> None:
    memory = PhaseMemory(temperature=0)
    for observed in Past(GAME, record[: len(record) // 2]).told(SPECTATOR):
        memory.take(observed)
    start = Position.start()
    given = memory.input_at(start)
    lists = [start.legal_actions(seat).tolist() for seat in GAME.seats({})]
    seen = trajectory_of_record(GAME, record).observations[0]
    expected, _ = ObservationTransformer().transform(seen, lists, temperature=0)
    assert_same(given, expected)


def test_without_any_event_the_first_question_begins_it() -> None:
    given = PhaseMemory(temperature=0).input_at(Position.start())
    assert given.lengths[0].tolist() == [3, 3, 3, 3, 3, 4, 3]


def test_powers_that_are_removed_do_not_break_it(record: list[Event]) -> None:
    memory, events = PhaseMemory(temperature=0), list[Event]()
    for event in record[: len(record) * 2 // 3]:
        events.append(event)
        if isinstance(event, TurnEnded) and event.turn == 4:
            events.append(Removed(event.at, Seat("RUSSIA"), "crashed"))
    for observed in Past(GAME, events).told(SPECTATOR):
        memory.take(observed)
    assert memory._look().lengths.sum() > 0


def test_another_map_is_refused() -> None:
    other = Position.start(named("lagoon"))
    with pytest.raises(ConfigError, match="plays only on the map standard"):
        PhaseMemory(temperature=0).input_at(other)
