"""DAIDE clients in simulated worlds, from seeds. One that fails fails again: `python -m support.daide.world 17`."""

from __future__ import annotations

import pytest

from support.daide.world import simulate


@pytest.mark.parametrize("seed", range(2))
def test_what_was_acknowledged_to_daide_clients_holds_whatever_goes_wrong(seed: int) -> None:
    world = simulate(seed)
    assert sum(world.kept.values()) > 10
    assert world.returns > 3


def test_a_seed_gives_the_same_world_again() -> None:
    assert simulate(5).digest() == simulate(5).digest()
