"""Websocket clients in simulated worlds, from seeds. One that fails fails again: `python tests/mila_world.py 17`."""

from __future__ import annotations

from itertools import count

import pytest

import mila_world
from lives import in_two_orders
from mila_world import simulate
from parlour.net.mila import listeners


@pytest.mark.parametrize("seed", [2, 5])
def test_whatever_goes_wrong_nothing_is_lost_or_doubled_and_nobody_overhears(seed: int) -> None:
    world = simulate(seed)
    assert len(world.kept) > 100
    assert len(world.refused) > 10
    assert len(world.ordered) > 10
    assert world.cuts > 10


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 200, 10))
def test_many_more_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        simulate(seed)


def test_a_seed_gives_the_same_world_again_whatever_the_order_of_sets_and_what_was_before() -> None:
    found = in_two_orders(mila_world.__file__, 3)
    assert found[0] == found[1] != b""
    listeners._numbers = count(12_345)  # as after other worlds
    assert simulate(3).digest().encode() == found[0]
