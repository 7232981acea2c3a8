"""Batches for training: phases of matches as arrays of fixed sizes, so that one compilation serves all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.network.decoder import ForcedInput, forced_input
from parlour.deepmind.network.plan import NOWHERE, Ints, plan
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import NetworkInput

Floats = npt.NDArray[np.float32]
_ROUND = {
    "steps": 64, "pairs": 256, "reads": 64, "items": 64, "legal": 1024, "places": 8, "nodes": 2, "products": 64,
}  # fmt: skip
"""Multiples to which each size is rounded up."""


@dataclass
class BatchRoom:
    """The sizes that batches are padded to; they grow when a batch needs more."""

    sizes: dict[str, int]

    @classmethod
    def none(cls) -> BatchRoom:
        """Return the room before the first batch."""
        return cls(dict.fromkeys(_ROUND, 0))

    def of(self, name: str, needed: int) -> int:
        """Return the size to pad to, which is at least the needed one."""
        if needed > self.sizes[name]:
            step = _ROUND[name]
            self.sizes[name] = -(-needed // step) * step
        return self.sizes[name]

    def widened(self) -> BatchRoom:
        """Return a room that is a tenth larger, for batches larger than those seen."""
        wider = BatchRoom.none()
        for name, size in self.sizes.items():
            wider.of(name, size + size // 10)
        return wider


class TrainingBatch(NamedTuple):
    """The arrays that the loss reads. Padding refers to the row, item or step after the last one."""

    board: npt.NDArray[np.uint8]
    last_moves_board: npt.NDArray[np.uint8]
    acts: Ints
    season: Ints
    build_numbers: Ints
    reads: tuple[Ints, Ints, Ints]
    """Areas, rows (7 state + power) and items."""
    read_sizes: Floats
    """[items]: number of areas that each item reads."""
    products: tuple[Ints, Ints, Ints]
    """Node, place and item of each product of the decoder's first layer."""
    turn: ForcedInput
    chosen: Ints
    """[steps]: index of the legal action that was played; one beyond the last if it is not known."""
    legal_counts: Ints
    """[steps]: number of legal actions; 0 for padding."""
    step_rows: Ints
    """[steps]: 7 state + power."""
    discounts: Floats
    """[B, 7]: weight of each power's orders; a power without orders counts for values only."""
    returns: Floats
    """[B, 7]: final return of each power."""


def training_batch(
    given: NetworkInput, actions: Ints, returns: Floats, discounts: Floats, room: BatchRoom
) -> tuple[TrainingBatch, int]:
    """Return a batch of inputs, shrunk actions [B, 7, 17] by step (-1: not known), returns and discounts [B, 7].

    Also return the number of places that a node needs room for.
    """
    turn = plan(given.forced(actions))
    steps, items, total = len(turn.step_rows), turn.items, len(turn.legal)
    numbers = np.repeat(np.arange(len(turn.active), dtype=np.int32), turn.active)
    states, powers = turn.states[turn.step_rows], turn.powers[turn.step_rows]
    rows = states * NUM_POWERS + powers
    played = actions[states, powers, numbers]
    legal_steps = np.repeat(np.arange(steps, dtype=np.int32), np.diff(turn.bounds))
    found = np.flatnonzero((turn.legal == played[legal_steps] >> 16) & (played[legal_steps] > 0)).astype(np.int32)
    full = room.of("legal", total + 1)
    chosen = np.full(steps, full, np.int32)
    chosen[legal_steps[found]] = found
    many = room.of("steps", steps + 1)
    every = len(given) * NUM_POWERS
    areas, read_states, read_powers, read_items = turn.reads
    wide, most_items = room.of("reads", len(areas) + 1), room.of("items", items + 1)
    reads = (
        _padded(areas, wide, 0), _padded(read_states * NUM_POWERS + read_powers, wide, every - 1),
        _padded(read_items, wide, most_items),
    )  # fmt: skip
    places, products = room.of("places", turn.places), room.of("products", len(turn.node_items[0]) + 1)
    width = room.of("nodes", turn.nodes.shape[1])
    own = forced_input(turn)
    pairs = room.of("pairs", len(own.earlier) + 1)
    forced = ForcedInput(
        _padded(turn.forced, many, -1), _padded(own.earlier, pairs, many - 1), _padded(own.later, pairs, many - 1),
        _wide(turn.nodes, many, width, NOWHERE), _wide(turn.node_places, many, width, 0), _padded(turn.legal, full, 0),
        _padded(legal_steps, full, many - 1),
    )  # fmt: skip
    node, place, item = turn.node_items
    return TrainingBatch(
        given.board, given.last_moves_board, given.acts, given.season, given.build_numbers, reads,
        _padded(turn.sizes, most_items, 0),
        (_padded(node, products, NOWHERE), _padded(place, products, 0), _padded(item, products, 0)),
        forced, _padded(chosen, many, full), _padded(np.diff(turn.bounds).astype(np.int32), many, 0),
        _padded(rows, many, every), discounts, returns,
    ), places  # fmt: skip


def _padded(values: npt.NDArray[Any], size: int, padding: int) -> npt.NDArray[Any]:
    result = np.full(size, padding, values.dtype)
    result[: len(values)] = values
    return result


def _wide(values: Ints, rows: int, columns: int, padding: int) -> Ints:
    result = np.full((rows, columns), padding, np.int32)
    result[: values.shape[0], : values.shape[1]] = values
    return result
