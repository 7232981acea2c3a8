"""The board: hexagonal tiles in rows, each with fish or melted away, and the six straight lines from a tile.

A spot is (row, column), counted from zero at the top left. Odd rows are shifted right by half a tile, so a step
straight up or down changes the row by two. In doubled coordinates x = 2 * column + row mod 2, y = row, every
direction is one constant step; DIRECTIONS has them in the order that all of Fish uses.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Self, TypeAlias

import msgspec

from parlour.errors import ConfigError

Spot: TypeAlias = tuple[int, int]
"""A place on the board: row and column."""

MAX_SIDE = 25
MAX_FISH = 5

DIRECTIONS: dict[str, tuple[int, int]] = {
    "N": (0, -2),
    "NE": (1, -1),
    "SE": (1, 1),
    "S": (0, 2),
    "SW": (-1, 1),
    "NW": (-1, -1),
}
"""Steps in doubled coordinates (x, y)."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """Fish by tile, row after row; 0 is a hole. parlour.games.fish.notation reads boards of other programs."""

    height: int
    width: int
    fish: bytes

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Self:
        """Return the board with these rows; short rows are padded with holes."""
        width = max(map(len, rows), default=0)
        return cls(len(rows), width, b"".join(bytes(row).ljust(width, b"\0") for row in rows))

    @classmethod
    def random(cls, height: int, width: int, rng: random.Random, *, fish: int | None = None, holes: int = 0) -> Self:
        """Return a board with one to five fish per tile, or `fish` everywhere, and that number of holes.

        Args:
            height: Number of rows.
            width: Number of columns.
            rng: Source of randomness.
            fish: Fish on every tile; None for one to five at random.
            holes: Number of missing tiles.

        Raises:
            ConfigError: There are more holes than tiles.
        """
        if holes > height * width:
            raise ConfigError(f"holes: {holes} do not fit on a board of {height * width} tiles", field="holes")
        tiles = bytearray(1 + rng.randrange(MAX_FISH) if fish is None else fish for _ in range(height * width))
        for tile in rng.sample(range(height * width), holes):
            tiles[tile] = 0
        return cls(height, width, bytes(tiles))

    def __repr__(self) -> str:
        return f"Board.of({self.rows()})"

    def __contains__(self, spot: Spot) -> bool:
        return 0 <= spot[0] < self.height and 0 <= spot[1] < self.width

    def __getitem__(self, spot: Spot) -> int:
        return self.fish[spot[0] * self.width + spot[1]]

    def rows(self) -> list[list[int]]:
        """Return the number of fish on each tile, by row and column."""
        return list(map(list, zip(*(iter(self.fish),) * self.width, strict=True)))

    def spots(self) -> Iterator[Spot]:
        """Return all places in row-major order, holes included."""
        return ((row, column) for row in range(self.height) for column in range(self.width))

    def tiles(self) -> list[Spot]:
        """Return the places that are not holes, in row-major order."""
        return [spot for spot in self.spots() if self[spot]]

    def melted(self, spot: Spot) -> Self:
        """Return the board after the tile at spot is gone."""
        tile = spot[0] * self.width + spot[1]
        return type(self)(self.height, self.width, self.fish[:tile] + b"\0" + self.fish[tile + 1 :])

    def rays(self, spot: Spot) -> tuple[tuple[Spot, ...], ...]:
        """Return the places in a straight line from `spot` to the edge, nearest first, for each direction in order."""
        return rays(self.height, self.width)[spot[0] * self.width + spot[1]]

    def neighbours(self, spot: Spot) -> list[Spot]:
        """Return the places one step away, in the order of DIRECTIONS, holes included.

        Args:
            spot: Place on the board: (row, column).
        """
        return list(neighbours(self.height, self.width)[spot[0] * self.width + spot[1]])

    def reachable(self, spot: Spot) -> list[Spot]:
        """Return the places that a lone penguin on `spot` can reach: each straight line up to the first hole."""
        found: list[Spot] = []
        for ray in self.rays(spot):
            for there in ray:
                if not self[there]:
                    break
                found.append(there)
        return found


@lru_cache(maxsize=64)
def rays(height: int, width: int) -> tuple[tuple[tuple[Spot, ...], ...], ...]:
    """Return the rays of each tile of a board of that size, in the order of DIRECTIONS."""
    return tuple(
        tuple(_ray(height, width, (row, column), step) for step in DIRECTIONS.values())
        for row in range(height)
        for column in range(width)
    )


@lru_cache(maxsize=64)
def neighbours(height: int, width: int) -> tuple[tuple[Spot, ...], ...]:
    """Return the places one step from each tile of a board of that size, in the order of DIRECTIONS."""
    return tuple(tuple(ray[0] for ray in tile if ray) for tile in rays(height, width))


def _ray(height: int, width: int, spot: Spot, step: tuple[int, int]) -> tuple[Spot, ...]:
    x, y = 2 * spot[1] + spot[0] % 2 + step[0], spot[0] + step[1]
    found = []
    while 0 <= y < height and 0 <= (x - y % 2) // 2 < width:
        found.append((y, (x - y % 2) // 2))
        x, y = x + step[0], y + step[1]
    return tuple(found)
