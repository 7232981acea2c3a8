"""Assistants in simulated worlds: what they were told is the view of the replayed record, whatever goes wrong."""

from __future__ import annotations

import pytest

from support.mcp.world import ASSISTANTS, simulate


@pytest.mark.parametrize("seed", range(3))
def test_assistants_are_told_what_the_replayed_record_shows(seed: int) -> None:
    world = simulate(seed)
    assert {seat for seat, _, _, lines in world.news if lines} == {*ASSISTANTS}
    assert sum(len(lines) for *_, lines in world.news) > 20


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 100, 10))
def test_many_more_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        simulate(seed)
