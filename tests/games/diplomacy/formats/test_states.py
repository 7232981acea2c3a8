"""States that are written one after the other are the same as each written by itself."""

from __future__ import annotations

import random

import msgspec
import pytest

from parlour.games.diplomacy.formats.states import StateWriter, write_state, zobrist_hash
from parlour.games.diplomacy.position import Position


@pytest.mark.parametrize("seed", range(3))
def test_what_did_not_change_is_left_as_it_was_written_and_all_else_is_written_again(seed: int) -> None:
    rng, position = random.Random(seed), Position.start()
    writer, stages = StateWriter(position.board), set[str]()
    for _ in range(100):
        stages.add(position.stage)
        for _ in range(2):
            written = msgspec.json.decode(b'{"timestamp":0,' + writer.write(position))
            assert written == write_state(position)
        assert written["zobrist_hash"] == str(zobrist_hash(position))
        if rng.random() < 0.8:  # in the others all hold, and nearly everything stays
            position = position.resolve({seat: position.sample(seat, rng) for seat in position.to_act()})
        else:
            position = position.resolve({})
    assert stages == {"orders", "retreats", "adjustments"}
