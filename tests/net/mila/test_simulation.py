"""Websocket clients in simulated worlds, from seeds. One that fails fails again: `python -m support.mila.world 17`."""

from __future__ import annotations

from itertools import count

import pytest

from parlour.net.mila import notices
from support.hall.lives import in_two_orders
from support.mila import world as mila_world
from support.mila.world import simulate


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 200, 10))
def test_many_more_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        simulate(seed)


@pytest.mark.parametrize("seed", [2, 11])  # rich lives that are over soon
def test_whatever_goes_wrong_nothing_is_lost_or_doubled_and_nobody_overhears(seed: int) -> None:
    world = simulate(seed)
    assert len(world.kept) > 100
    assert len(world.refused) > 10
    assert len(world.ordered) > 10
    assert world.cuts > 10


@pytest.mark.long  # three worlds; the hall's simulation proves the same of hall and table in every run
def test_a_seed_gives_the_same_world_again_whatever_the_order_of_sets_and_what_was_before() -> None:
    found = in_two_orders(mila_world, 3)
    notices._numbers = count(12_345)  # as after other worlds
    assert set(found) == {simulate(3).digest().encode()}
