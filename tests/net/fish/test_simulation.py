"""Fish tournaments in simulated worlds, from seeds. One that fails fails again: `python -m support.fish.world 17`."""

from __future__ import annotations

import pytest

from support.fish import world as fish_world
from support.fish.world import simulate
from support.hall.lives import in_two_orders


@pytest.mark.parametrize("seed", range(4))
def test_tournaments_go_on_whatever_goes_wrong_and_nobody_is_judged_for_it(seed: int) -> None:
    world = simulate(seed)
    assert world.crashes == 4
    assert world.cuts > 1
    assert sum(world.told.values()) >= 5
    assert len(world.segments) > 5


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 300, 20))
def test_many_more_seeds(first: int) -> None:
    for seed in range(first, first + 20):
        simulate(seed)


def test_a_seed_gives_the_same_world_again_whatever_the_order_of_sets() -> None:
    found = in_two_orders(fish_world, 3)
    assert found[0] == found[1] != b""
