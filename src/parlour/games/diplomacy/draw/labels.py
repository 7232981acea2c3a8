"""Tags, names and supply centres on the board."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from parlour.core.marks import Mark, keyed, mark
from parlour.games.diplomacy.draw.curves import Box
from parlour.games.diplomacy.draw.shapes import Geometry, Label, Name
from parlour.games.diplomacy.draw.svg import Point, write
from parlour.games.diplomacy.draw.symbols import UNIT_HEIGHT, UNIT_WIDTH, stars
from parlour.games.diplomacy.draw.theme import Theme, paint_of

View = tuple[float, float, float, float]
"""The part of the paper that is shown: left, top, width and height."""
LABELS = ("mixed", "tags", "names", "none")
"""The styles of labels; mixed has tags on land and names at sea."""


def labels(geometry: Geometry, style: str, theme: Theme, scale: float, view: View | None = None) -> str:
    """Return all labels that are wholly in view; scale enlarges those of the land."""
    if style == "none":
        return ""
    land: list[str] = []
    sea: list[str] = []
    for tag, shape in geometry.provinces.items():
        if style == "names" or (shape.sea and style == "mixed"):
            if _in_view(view, shape.name, *shape.name.reach):
                (sea if shape.sea else land).append(_name(shape.name, 1.12 if shape.sea else 1.05))
            continue
        label = shape.label if shape.sea else enlarged(geometry, tag, scale)
        if _in_view(view, label, *label.reach(tag)):
            (sea if shape.sea else land).append(_tag(tag, label, spacing=int(shape.sea)))
    return (
        f'<g class="labels" text-anchor="middle" paint-order="stroke" stroke-linejoin="round">'
        f'<g font-style="italic" fill="{theme.sea_text}" stroke="{theme.sea}" stroke-width="2.4" '
        f'stroke-opacity=".75">{"".join(sea)}</g>'
        f'<g font-weight="700" letter-spacing=".4" fill="{theme.label}" stroke="{theme.halo}" stroke-width="2.4" '
        f'stroke-opacity=".8">{"".join(land)}</g></g>'
    )


def _in_view(view: View | None, at: Label | Name, across: float, down: float) -> bool:
    """Return True if words around a point are not cut by the edge of the view."""
    if view is None:
        return True
    left, top, width, height = view
    return left + across <= at.x <= left + width - across and top + down <= at.y <= top + height - down


def enlarged(geometry: Geometry, tag: str, scale: float) -> Label:
    """Return the tag of a land province at another scale, moved away from the units, which are also larger."""
    shape = geometry.provinces[tag]
    if scale == 1:
        return shape.label
    (x, y), label = shape.unit, shape.label
    away = 1 + 0.55 * (scale - 1)
    at, size = (x + (label.x - x) * away, y + (label.y - y) * away), label.size * scale
    for _ in range(3):
        for unit in _units_near(geometry, tag, 1 + 0.625 * (scale - 1)):
            at = _beside(at, (1.1 * size, 0.36 * size), unit)
    return Label(*at, size)


def _units_near(geometry: Geometry, tag: str, scale: float) -> Iterator[Box]:
    """Yield the box of every unit that may stand in a province or in a neighbour."""
    for near in (tag, *geometry.neighbours[tag]):
        shape = geometry.provinces.get(near)
        if shape is not None:
            for point in (shape.unit, *(berth.unit for berth in shape.coasts.values())):
                yield Box(*point, 0.56 * UNIT_WIDTH * scale, 0.56 * UNIT_HEIGHT * scale)


def _beside(at: Point, reach: Point, unit: Box) -> Point:
    """Return the middle of a tag, moved the shortest way out from under a unit."""
    across = unit.half_width + reach[0] - abs(at[0] - unit.x)
    down = unit.half_height + reach[1] - abs(at[1] - unit.y)
    if min(across, down) <= 0:
        return at
    if across < down:
        return at[0] + math.copysign(across, at[0] - unit.x), at[1]
    return at[0], at[1] + math.copysign(down, at[1] - unit.y)


def occupied(geometry: Geometry, style: str, scale: float) -> list[Box]:
    """Return the boxes that land tags and supply centres fill, which marks avoid."""
    boxes = [Box(*shape.centre, 6 * scale, 6 * scale) for shape in geometry.provinces.values() if shape.centre]
    if style != "none":
        for tag, shape in geometry.provinces.items():
            if not shape.sea:
                label = enlarged(geometry, tag, scale)
                boxes.append(Box(label.x, label.y, *label.reach(tag)))
    return boxes


def centres(geometry: Geometry, owners: Mapping[str, str], scale: float) -> list[Mark]:
    """Return a star on every supply centre, in the colour of its owner."""
    by: dict[str, dict[str, Point]] = {}
    for tag, shape in geometry.provinces.items():
        if shape.centre:
            by.setdefault(owners.get(tag, ""), {})[tag] = shape.centre
    return [
        keyed(
            f"centres {owner}",  # not a province tag, because a page moves the marks whose key is a tag
            mark(
                "path",
                d=stars(points.values(), scale),
                fill=paint_of(owner, "line") if owner else "$centre",
                stroke="$centre-ink",
                stroke_width=1.1 * scale,
                stroke_linejoin="round",
                data_centres=" ".join(points),
            ),
        )
        for owner, points in sorted(by.items())
    ]


def _tag(tag: str, label: Label, spacing: float = 0) -> str:
    return write((label.x, label.y), label.size, tag, spacing=spacing)


def _name(name: Name, leading: float) -> str:
    turn = math.radians(name.turn)
    rows = ((row - (len(name.lines) - 1) / 2) * name.size * leading for row in range(len(name.lines)))
    return "".join(
        write(
            (name.x - down * math.sin(turn), name.y + down * math.cos(turn)),
            name.size,
            line,
            turn=name.turn,
            spacing=name.spacing,
        )
        for line, down in zip(name.lines, rows, strict=True)
    )
