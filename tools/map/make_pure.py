"""Writes the drawing of Pure, where every province borders on every other: seven wedges round a lake.

    python tools/map/make_pure.py

Neighbours on the wheel share a border; the other borders are lines across the lake.
"""

from __future__ import annotations

import math
import sys
from itertools import combinations

import msgspec
import numpy as np

from parlour.games.diplomacy.draw.places import RegionSpace
from parlour.games.diplomacy.draw.roughness import Array, roughened
from parlour.games.diplomacy.draw.shapes import DrawnBorder, Filler, Geometry, Polygon, Shape
from parlour.games.diplomacy.draw.svg import Point
from parlour.games.diplomacy.maps.map import BOARDS, Map, named

ROUND = ("BER", "MOS", "VIE", "CON", "ROM", "PAR", "LON")
"""Clockwise from the top, about as the cities lie."""
WIDTH, HEIGHT = 660.0, 630.0
MIDDLE = (330.0, 318.0)
SHORE, LAKE = 285.0, 105.0
UNIT = 205.0
TURN = 2 * math.pi / len(ROUND)
ANYWHERE = np.array([(0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)])


def at(angle: float, far: float) -> Point:
    """Return the point at an angle from the top, clockwise, and a distance from the middle."""
    return (round(MIDDLE[0] + far * math.sin(angle), 1), round(MIDDLE[1] - far * math.cos(angle), 1))


def rough(points: list[Point], stray: float, name: str) -> list[Point]:
    """Return a line that looks like a coast or a frontier."""
    found: Array = roughened(np.array(points), ANYWHERE, stray, name)
    return [points[0], *((round(float(x), 1), round(float(y), 1)) for x, y in found[1:-1]), points[-1]]


def bow(number: int, far: float, name: str) -> list[Point]:
    """Return the part of a circle that belongs to a wedge."""
    start = (number - 0.5) * TURN
    return rough([at(start + TURN * step / 12, far) for step in range(13)], 0.022, name)


def polygons(*rings: list[Point]) -> tuple[Polygon, ...]:
    """Return one outline, with a hole for each further ring."""
    return (tuple(tuple(value for point in ring for value in point) for ring in rings),)


def drawing(board: Map) -> Geometry:
    """Return the wheel."""
    spokes = [rough([at((n - 0.5) * TURN, LAKE), at((n - 0.5) * TURN, SHORE)], 0.03, f"{n}") for n in range(len(ROUND))]
    shores = [bow(number, SHORE, f"shore of {tag}") for number, tag in enumerate(ROUND)]
    banks = [bow(number, LAKE, f"bank of {tag}") for number, tag in enumerate(ROUND)]
    shapes = {}
    for number, tag in enumerate(ROUND):
        after = spokes[(number + 1) % len(ROUND)]
        ring = [*spokes[number][:-1], *shores[number][:-1], *after[:0:-1], *banks[number][:0:-1]]
        shapes[tag] = _shape(board, tag, ring, at(number * TURN, UNIT))
    lake = [point for bank in banks for point in bank[:-1]]
    outside = [point for shore in shores for point in shore[:-1]]
    paper = [(0.0, 0.0), (WIDTH, 0.0), (WIDTH, HEIGHT), (0.0, HEIGHT)]
    return Geometry(
        about=f"{board.title}, an original drawing.",
        width=WIDTH,
        height=HEIGHT,
        provinces={province.tag: shapes[province.tag] for province in board.provinces},
        fillers={
            "x0": Filler("", True, polygons(lake)),
            "x1": Filler("", True, polygons(paper, outside)),
        },
        bridges=tuple(
            DrawnBorder(shapes[a].unit, shapes[b].unit, army=True, fleet=False)
            for a, b in combinations(ROUND, 2)
            if (ROUND.index(b) - ROUND.index(a)) % len(ROUND) not in (1, len(ROUND) - 1)
        ),
    )


def _shape(board: Map, tag: str, ring: list[Point], unit: Point) -> Shape:
    province, room = board.find(tag), RegionSpace(ring)
    assert province is not None
    assert province.home is not None
    return Shape(
        polygons=polygons(ring),
        unit=unit,
        dislodged=room.beside(unit, ((17, -15), (-17, -15))),
        label=room.tag(tag, unit),
        name=room.name(province.name, tag, unit),
        centre=room.beside(unit, ((-22, -9), (22, -9))),
        realm=board.powers[province.home].name,
    )


def main() -> None:
    """Write the drawing."""
    path = BOARDS / "pure.geometry.json"
    path.write_bytes(msgspec.json.encode(drawing(named("pure"))) + b"\n")
    sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
