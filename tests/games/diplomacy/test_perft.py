"""Perft: counts that must not change, and that batches count what single positions do."""

from __future__ import annotations

import random

import pytest

from parlour.core.game import Seat
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.perft import perft
from parlour.games.diplomacy.position import Position


@pytest.mark.parametrize(
    ("name", "depth", "count"),
    [("standard", 0, 1), ("standard", 1, 238), ("standard", 2, 56798), ("lagoon", 1, 98), ("lagoon", 2, 9724)],
)
def test_counts_from_the_start(name: str, depth: int, count: int) -> None:
    assert perft(Position.start(named(name)), depth) == count


def test_counting_one_position_at_a_time_gives_the_same() -> None:
    rng = random.Random(1)
    position = Position.start(named("lagoon"))
    for _ in range(8):
        position = position.resolve({seat: position.sample(seat, rng) for seat in position.to_act()})
        count = sum(
            len(position.step({seat: [action]}).legal_actions())
            for seat in map(Seat, position.units)
            for action in position.legal_actions(seat).tolist()
        )
        assert perft(position, 2) == count
