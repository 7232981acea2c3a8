"""A network of some 100,000 numbers: values, and a score for each legal action, as one power sees the board.

The board is the published observation as one power sees it: own and others' units and centres, without the names of
powers, so that all powers learn from one another. Layers over neighbouring areas follow. An action is scored by the
representation of the areas that it names. The same source runs on NumPy, to play, and on JAX, to learn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import POSSIBLE_ACTIONS, WAIVE
from parlour.deepmind.network.arrays import Array
from parlour.deepmind.network.parameters import whole_file
from parlour.deepmind.network.safetensors import Named, read_safetensors, write_safetensors
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS, area_adjacency
from parlour.errors import NotationError, ParametersError
from parlour.games.diplomacy.maps.map import standard

FORMAT = "parlour-small-network-1"
WIDTH = 96
LAYERS = 3
FEATURES = 23
KINDS = 14
NOWHERE = NUM_AREAS
"""Number that stands for an area if the action names none."""
_UNUSED_THIRD = {1, 3, 4, 5, 8, 9, 10, 11, 12, 13}
_UNUSED_TARGET = {3, 8, 10, 11, 12, 13}


def shapes() -> dict[str, tuple[int, ...]]:
    """Return every array of the network with its shape."""
    found: dict[str, tuple[int, ...]] = {"in": (FEATURES, WIDTH), "area": (NUM_AREAS, WIDTH)}
    for layer in range(LAYERS):
        found |= {f"own{layer}": (WIDTH, WIDTH), f"near{layer}": (WIDTH, WIDTH), f"bias{layer}": (WIDTH,)}
    for part in ("ordered", "target", "third"):
        found[part] = (WIDTH, WIDTH)
    return found | {
        "kind": (KINDS, WIDTH), "score": (KINDS, WIDTH), "value": (WIDTH, WIDTH), "worth": (WIDTH,),
    }  # fmt: skip


def made_small(seed: int) -> Named:
    """Return fresh random arrays."""
    rng = np.random.default_rng(seed)
    return {
        name: (rng.standard_normal(shape) / np.sqrt(shape[0] if len(shape) > 1 else WIDTH)).astype(np.float32)
        for name, shape in shapes().items()
    }


@cache
def action_areas() -> tuple[npt.NDArray[np.int32], ...]:
    """Return the kind of each of the 18,584 actions and the areas that it orders, aims at and helps.

    An area is NOWHERE if the action does not name one.
    """
    kinds = (POSSIBLE_ACTIONS & 255).astype(np.int32)
    first = np.zeros(len(standard().provinces), np.int32)
    for area in reversed(standard().areas):
        first[area.province] = area.id
    parts = []
    for shift, unused in ((9, {WAIVE}), (17, _UNUSED_TARGET), (25, _UNUSED_THIRD)):
        province = (POSSIBLE_ACTIONS >> shift & 127).astype(np.int64)
        parts.append(np.where(np.isin(kinds, list(unused)), NOWHERE, first[province]).astype(np.int32))
    return kinds, *parts


def features(xp: Any, board: Array, season: Array, builds: Array, powers: Array) -> Array:
    """Return the features of each area, [R, 81, 23], from a power's point of view.

    Each of the R rows has a board [81, 35], a season, build numbers [7] and the number of the power.
    """
    board = board.astype(np.float32)
    rows = xp.arange(len(powers))
    unit, centre = board[rows, :, 3 + powers], board[rows, :, 27 + powers]
    own = xp.stack(
        [
            unit, board[..., 3:10].sum(axis=-1) - unit, board[rows, :, 16 + powers],
            centre, board[..., 27:34].sum(axis=-1) - centre,
        ],
        axis=-1,
    )  # fmt: skip
    when = (season[:, None] == xp.arange(5)).astype(np.float32)
    due = builds[rows, powers][:, None].astype(np.float32) / 3
    wide = xp.concatenate([when, due], axis=-1)[:, None]
    plain = [board[..., :3], board[..., 11:16], board[..., 24:27], board[..., 34:35], own]
    return xp.concatenate([*plain, xp.broadcast_to(wide, (*board.shape[:2], 6))], axis=-1)


def seen(xp: Any, weights: Mapping[str, Array], given: Array) -> Array:
    """Return [R, 81, width]: the representation of each area, from features."""
    known = xp.maximum(given @ weights["in"] + weights["area"], 0)
    near = area_adjacency()
    for layer in range(LAYERS):
        around = xp.matmul(near, known)
        more = known @ weights[f"own{layer}"] + around @ weights[f"near{layer}"] + weights[f"bias{layer}"]
        known = known + xp.maximum(more, 0)
    return known


def scores(xp: Any, weights: Mapping[str, Array], known: Array, rows: Array, actions: Array) -> Array:
    """Return a score for each of T actions, given by their indexes and by the rows that they belong to."""
    kinds, *areas = (xp.asarray(part)[actions] for part in action_areas())
    hidden = weights["kind"][kinds]
    empty = xp.zeros((len(known), 1, WIDTH), np.float32)
    for name, area in zip(("ordered", "target", "third"), areas, strict=True):
        hidden = hidden + xp.concatenate([known @ weights[name], empty], axis=1)[rows, area]
    return (xp.maximum(hidden, 0) * weights["score"][kinds]).sum(axis=-1)


def worths(xp: Any, weights: Mapping[str, Array], known: Array) -> Array:
    """Return [R]: the worth of a power's position; the softmax over a state's powers is their expected share."""
    return xp.maximum(known @ weights["value"], 0).mean(axis=1) @ weights["worth"]


@dataclass(frozen=True)
class SmallNetwork:
    """The network with its arrays, on NumPy."""

    arrays: Named
    step: int = 0

    def __post_init__(self) -> None:
        found = {name: tuple(array.shape) for name, array in self.arrays.items()}
        if found != shapes() or any(array.dtype != np.float32 for array in self.arrays.values()):
            wrong = sorted(name for name in {*found, *shapes()} if found.get(name) != shapes().get(name))
            first = wrong[0] if wrong else next(iter(found))
            expected = shapes().get(first)
            message = f"expected the {len(shapes())} float32 arrays of the small network"
            raise ParametersError(f"{message}, {first[:40]!r} of shape {expected}, got {found.get(first)}")

    def judged(
        self, board: Array, season: Array, builds: Array, powers: Array, rows: Array, actions: Array
    ) -> npt.NDArray[np.float32]:
        """Return [T]: scores of actions, each in a row of boards."""
        known = seen(np, self.arrays, features(np, board, season, builds, powers))
        found: npt.NDArray[np.float32] = scores(np, self.arrays, known, rows, actions)
        return found

    def values(self, boards: Array, seasons: Array, builds: Array) -> npt.NDArray[np.float32]:
        """Return [B, 7]: the expected final share of each power."""
        count, powers = len(boards), np.tile(np.arange(NUM_POWERS), len(boards))
        board, season, due = (np.repeat(part, NUM_POWERS, axis=0) for part in (boards, seasons, builds))
        given = features(np, board, season, due, powers)
        found = worths(np, self.arrays, seen(np, self.arrays, given)).reshape(count, NUM_POWERS)
        raised = np.exp(found - found.max(axis=1, keepdims=True))
        shares: npt.NDArray[np.float32] = raised / raised.sum(axis=1, keepdims=True)
        return shares

    def save(self, path: Path) -> None:
        """Write the network to a file atomically."""
        with whole_file(path) as file:
            write_safetensors(file, self.arrays, {"format": FORMAT, "step": json.dumps(self.step)})


def read_small(path: Path) -> SmallNetwork:
    """Return the network of a file; raise NotationError if it does not hold a small network."""
    try:
        arrays, words = read_safetensors(path)
        if words.get("format") != FORMAT:
            raise ParametersError(f"holds no small network: expected {FORMAT}, as `parlour train small` writes it")
        return SmallNetwork(arrays, int(words.get("step", "0")))
    except OSError as error:
        raise NotationError(f"{path.name}: cannot be read: {error.strerror}") from None
    except (NotationError, ValueError) as error:
        raise NotationError(f"{path.name}: {error}") from None
