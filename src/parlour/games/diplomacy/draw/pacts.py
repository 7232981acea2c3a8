"""Agreements between powers on the map: zones hatched, peace as a dotted line, and marks at broken promises."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from parlour.core.marks import Mark, group, mark
from parlour.games.diplomacy.draw import curves
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.svg import Point, placed
from parlour.games.diplomacy.maps.map import Map

_HEART = "M0 3.4-3.2.2C-4.6-1.4-3-3.8-1.2-3.2L0-2.4 1.2-3.2C3-3.8 4.6-1.4 3.2.2z"


def definitions() -> tuple[Mark, ...]:
    """Return the hatching of zones, the sign on a peace line, and the sign of a broken promise."""
    return (
        mark(
            "pattern",
            mark("path", d="M0 0V110", stroke="$casing", stroke_width=70, stroke_opacity=0.55),
            mark("path", d="M0 0V110", stroke="$ink", stroke_width=26),
            id="zone",
            width=110,
            height=110,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(-45)",
        ),
        group(
            mark("circle", r=6.4, fill="$casing", stroke="$good", stroke_width=1.6),
            mark("path", d=_HEART, fill="$good"),
            id="peace",
        ),
        group(
            mark("circle", r=9, fill="$bad", stroke="$casing", stroke_width=1.8),
            mark("path", d="M-5 1.5-1.2-2.4 .8 1 5-2.6", stroke="$casing", stroke_width=2.2),
            mark("path", d="M-.6-6 .4-3M.6 6-.4 3", stroke="$casing", stroke_width=1.6),
            id="breach",
            fill="none",
            stroke_linecap="round",
            stroke_linejoin="round",
        ),
    )


def zones(places: Iterable[str]) -> list[Mark]:
    """Return the provinces that a power keeps out of, in tenths."""
    return [mark("use", href=f"#{tag}", fill="url(#zone)", fill_opacity=0.5) for tag in places]


def peace(board: Map, geometry: Geometry, powers: Sequence[str]) -> list[Mark]:
    """Return a dotted line for each pair of powers at peace, between their nearest home centres."""
    found: list[Mark] = []
    for number, first in enumerate(powers):
        for second in powers[number + 1 :]:
            ends = _nearest(_homes(board, geometry, first), _homes(board, geometry, second))
            if ends is not None:
                found.append(_line(curves.arc(*ends, 0.12)))
    return found


def breach(point: Point) -> Mark:
    """Return the sign of a broken promise beside a unit."""
    return mark("use", href="#breach", transform=placed((point[0] - 15, point[1] - 13)))


def _line(curve: curves.Curve) -> Mark:
    d = curves.drawn(curve)
    return group(
        mark("path", d=d, stroke="$casing", stroke_width=6, stroke_opacity=0.85),
        mark("path", d=d, stroke="$good", stroke_width=3, stroke_dasharray="0.1 7"),
        mark("use", href="#peace", transform=placed(curves.spot(curve, 0.5))),
        fill="none",
        stroke_linecap="round",
    )


def _homes(board: Map, geometry: Geometry, power: str) -> list[Point]:
    homes = next((one.homes for one in board.powers if one.name == power), ())
    return [geometry.provinces[board.provinces[number].tag].unit for number in homes]


def _nearest(first: Sequence[Point], second: Sequence[Point]) -> tuple[Point, Point] | None:
    pairs = [(a, b) for a in first for b in second]
    return min(pairs, key=lambda ends: math.dist(*ends), default=None)
