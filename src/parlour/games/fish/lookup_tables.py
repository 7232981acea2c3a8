"""Flat tables of a board size for the kernel: rays as bits and as lists, neighbours; and positions as arrays."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from parlour.games.fish.board import MAX_FISH, rays
from parlour.games.fish.position import Position


@dataclass(frozen=True, slots=True)
class Tables:
    """The kernel's tables of a board size; each except `row` has tile * 6 + direction as index."""

    tiles: int
    words: int
    longest: int
    rays: array[int]
    """The tiles of a ray as bits, with `words` entries per ray."""
    along: array[int]
    """The tiles of a ray one after the other, with `longest` entries per ray; unused entries are -1."""
    length: array[int]
    beside: array[int]
    """The nearest tile of a ray, or -1."""
    row: array[int]
    most_fish: int = MAX_FISH

    @staticmethod
    def zeros(code: str, size: int) -> array[int]:
        """Return an array of that type and size, at least one entry long."""
        return array(code, [0]) * max(1, size)

    @staticmethod
    def keys(size: int) -> array[int]:
        """Return random 64-bit numbers for hashes of positions; they are the same in every run."""
        rng = random.Random(size)
        return array("Q", [rng.getrandbits(64) for _ in range(size)])


@lru_cache(maxsize=64)
def tables(height: int, width: int) -> Tables:
    """Return the tables of a board size, which are never written to."""
    lines = [[[row * width + column for row, column in ray] for ray in tile] for tile in rays(height, width)]
    tiles, longest = height * width, max(height, width)
    words = (tiles + 63) // 64
    every = [ray for tile in lines for ray in tile]
    bits = [sum(1 << tile for tile in ray) for ray in every]
    return Tables(
        tiles=tiles,
        words=words,
        longest=longest,
        rays=array("Q", [line >> 64 * word & 0xFFFFFFFFFFFFFFFF for line in bits for word in range(words)]),
        along=array("h", [tile for ray in every for tile in ray + [-1] * (longest - len(ray))]),
        length=array("h", map(len, every)),
        beside=array("h", [ray[0] if ray else -1 for ray in every]),
        row=array("h", [tile // width for tile in range(tiles)]),
    )


def flat(position: Position) -> tuple[bytearray, array[int], array[int], int]:
    """Return fish, places and scores as the kernel loads them, sides in turn order, and penguins per side."""
    width = position.board.width
    slots = max([position.each, *(len(side.penguins) for side in position.sides)])
    places = array("h")
    for side in position.sides:
        tiles = [row * width + column for row, column in side.penguins]
        places.extend(tiles + [-1] * (slots - len(tiles)))
    scores = array("i", _in_reach([side.score for side in position.sides], position.board.fish))
    return bytearray(position.board.fish), places, scores, slots


def _in_reach(scores: Sequence[int], fish: bytes) -> list[int]:
    """Return scores that play the same and fit the kernel: a State may hold any number, but only differences matter.

    A difference larger than all fish on the board can never be made up. It is lowered to all fish and one more.
    """
    most, low, lowered = sum(fish) + 1, 0, {0: 0}
    for score in sorted(set(scores)):
        lowered[score] = lowered[low] + min(score - low, most)
        low = score
    return [lowered[score] for score in scores]
