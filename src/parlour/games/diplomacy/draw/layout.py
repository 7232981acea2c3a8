"""Lays out a map that has no drawing: provinces as discs on a plane, borders as lines between them.

Distances on paper follow the number of borders between provinces (stress majorisation after Gansner, Koren and North,
started from classical scaling); then discs are pushed apart and off the lines. The same map gives the same layout.
"""

from __future__ import annotations

import math
import textwrap

import numpy as np
from numpy.typing import NDArray

from parlour.games.diplomacy.draw.shapes import Berth, DrawnBorder, Geometry, Label, Name, Ring, Shape
from parlour.games.diplomacy.draw.svg import Point
from parlour.games.diplomacy.map import Ground, Map

Array = NDArray[np.float64]

RADIUS = 40.0
"""Of a province's disc."""

APART = 2 * RADIUS + 34
"""The least distance between the middles of two discs."""

_STEP = 150.0
"""The wished length of a border."""

_CORNERS = {Ground.LAND: 6, Ground.COAST: 12, Ground.SEA: 40}
"""Provinces without a shore are hexagons, coasts have twelve corners, seas are round."""


def plain_layout(board: Map) -> Geometry:
    """A geometry for any map."""
    pairs = {(board.areas[a].province, board.areas[b].province) for a, b in _borders(board)}
    places = _settled(_majorised(_distances(board)), sorted(pairs))
    places -= places.min(axis=0) - (RADIUS + 30)
    width, height = (math.ceil(value) for value in places.max(axis=0) + (RADIUS + 30))
    points: list[Point] = [(round(float(x), 1), round(float(y), 1)) for x, y in places]
    return Geometry(
        about=f"{board.title}, laid out automatically.",
        width=width,
        height=height,
        provinces={province.tag: _shape(board, province.id, points[province.id]) for province in board.provinces},
        links=_links(board, points),
    )


def _borders(board: Map) -> dict[tuple[int, int], tuple[bool, bool]]:
    """Which areas border, lower id first: for armies, for fleets."""
    found: dict[tuple[int, int], tuple[bool, bool]] = {}
    for kind, reach in enumerate((board.army, board.fleet)):
        for area, others in enumerate(reach):
            for other in others:
                pair = (area, other) if area < other else (other, area)
                army, fleet = found.get(pair, (False, False))
                found[pair] = (army or kind == 0, fleet or kind == 1)
    return found


def _distances(board: Map) -> Array:
    """Borders to cross between any two provinces (Floyd and Warshall); unconnected parts are kept one step further."""
    count = len(board.provinces)
    steps = np.full((count, count), np.inf)
    np.fill_diagonal(steps, 0)
    for a, b in _borders(board):
        first, second = board.areas[a].province, board.areas[b].province
        if first != second:
            steps[first, second] = steps[second, first] = 1
    for middle in range(count):
        steps = np.minimum(steps, steps[:, middle, None] + steps[None, middle, :])
    longest = steps[np.isfinite(steps)].max(initial=0)
    steps[np.isinf(steps)] = longest + 1
    return steps * _STEP


def _majorised(wished: Array) -> Array:
    """Points in the plane whose distances come near to those wished."""
    count = len(wished)
    if count < 2:
        return np.zeros((count, 2))
    places = _scaled(wished)
    weights = np.where(wished > 0, 1 / np.maximum(wished, 1e-9) ** 2, 0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(300):
        ratio = weights * wished / np.maximum(_apartness(places), 1e-6)
        np.fill_diagonal(ratio, 0)
        places = inverse @ ((np.diag(ratio.sum(axis=1)) - ratio) @ places)
    return places


def _scaled(wished: Array) -> Array:
    """Classical scaling to two dimensions, with signs fixed, and a spiral on top so that no two points coincide."""
    count = len(wished)
    centring = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centring @ wished**2 @ centring)
    axes = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0))
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    turn = np.arange(count) * 2.399963
    spiral = np.stack([np.cos(turn), np.sin(turn)], axis=1) * np.sqrt(np.arange(count) + 1)[:, None]
    result: Array = axes + spiral
    return result


def _settled(places: Array, borders: list[tuple[int, int]]) -> Array:
    """The points, moved until discs are apart and, as far as that can be had, no border passes behind a third disc."""
    places = places.copy()
    for _ in range(250):
        push = _from_lines(places, borders) + _from_discs(places)
        if np.abs(push).max(initial=0) < 1e-2:
            break
        places += push
    for _ in range(2000):
        push = _from_discs(places)
        if np.abs(push).max(initial=0) < 1e-3:
            break
        places += push
    return places


def _from_discs(places: Array) -> Array:
    """How far each point has to go to be APART from the others."""
    gaps = _apartness(places)
    np.fill_diagonal(gaps, np.inf)
    lacking = np.maximum(APART - gaps, 0) * 1.02
    away = (places[:, None] - places[None, :]) / np.maximum(gaps, 1e-6)[:, :, None]
    push: Array = 0.5 * (away * lacking[:, :, None]).sum(axis=1)
    return push


def _from_lines(places: Array, borders: list[tuple[int, int]]) -> Array:
    """How far each point has to go to be off the lines between others, and the ends of those lines off it."""
    push = np.zeros_like(places)
    for a, b in borders:
        along = places[b] - places[a]
        size = max(float(along @ along), 1e-6)
        part = ((places - places[a]) @ along) / size
        away = places - places[a] - part[:, None] * along
        gap = np.sqrt((away**2).sum(axis=1))
        lacking = np.where((part > 0) & (part < 1), np.maximum(RADIUS + 8 - gap, 0), 0)
        lacking[[a, b]] = 0
        # On the line itself there is no way out; take the one across it.
        across = np.array([-along[1], along[0]]) / math.sqrt(size)
        way = np.where(gap[:, None] > 1e-6, away / np.maximum(gap, 1e-6)[:, None], across)
        step = 0.1 * lacking[:, None] * way
        push += step
        push[a] -= ((1 - part)[:, None] * step).sum(axis=0)
        push[b] -= (part[:, None] * step).sum(axis=0)
    return push


def _apartness(places: Array) -> Array:
    result: Array = np.sqrt(((places[:, None] - places[None, :]) ** 2).sum(axis=2))
    return result


def _shape(board: Map, number: int, middle: Point) -> Shape:
    province = board.provinces[number]
    x, y = middle
    realm = None if province.home is None else board.powers[province.home].name
    lines = tuple(textwrap.wrap(province.name, 12, max_lines=2, placeholder="…")) or (province.tag,)
    return Shape(
        polygons=((_ring(middle, _CORNERS[province.kind]),),),
        unit=(x, y - 4),
        dislodged=(x + 20, y - 20),
        label=Label(x, y + 20, 13),
        name=Name(lines, x, y + 20, min(11.0, round(110 / max(map(len, lines)), 1))),
        sea=province.kind is Ground.SEA,
        centre=(x - 24, y - 16) if province.centre else None,
        realm=realm,
        coasts={
            coast: Berth((x + side * 18, y - 4), (x + side * 30, y - 18))
            for coast, side in zip(province.coasts, (-1, 1), strict=False)
        },
    )


def _ring(middle: Point, corners: int) -> Ring:
    angles = [(2 * i + 1) * math.pi / corners for i in range(corners)]
    return tuple(
        round(value, 1)
        for angle in angles
        for value in (middle[0] + RADIUS * math.sin(angle), middle[1] + RADIUS * math.cos(angle))
    )


def _links(board: Map, points: list[Point]) -> tuple[DrawnBorder, ...]:
    """One line per border of provinces, whichever of their areas touch."""
    found: dict[tuple[int, int], tuple[bool, bool]] = {}
    for (a, b), (army, fleet) in _borders(board).items():
        first, second = sorted((board.areas[a].province, board.areas[b].province))
        before = found.get((first, second), (False, False))
        found[first, second] = (before[0] or army, before[1] or fleet)
    return tuple(DrawnBorder(points[a], points[b], army, fleet) for (a, b), (army, fleet) in sorted(found.items()))
