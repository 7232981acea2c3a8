"""Tags, names and supply centres on the board."""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlour.games.diplomacy.draw.curves import Box
from parlour.games.diplomacy.draw.shapes import Geometry, Label, Name, Shape
from parlour.games.diplomacy.draw.svg import place, write
from parlour.games.diplomacy.draw.theme import Paint, Theme

LABELS = ("mixed", "tags", "names", "none")
"""mixed: tags on land and names at sea."""


def labels(geometry: Geometry, style: str, theme: Theme, scale: float) -> str:
    """All labels; scale enlarges those of the land."""
    if style == "none":
        return ""
    land: list[str] = []
    sea: list[str] = []
    for tag, shape in geometry.provinces.items():
        if shape.sea:
            sea.append(_tag(tag, shape.label, spacing=1) if style == "tags" else _name(shape.name, 1.12))
        elif style == "names":
            land.append(_name(shape.name, 1.05))
        else:
            land.append(_tag(tag, enlarged(shape, scale)))
    return (
        f'<g class="labels" text-anchor="middle" paint-order="stroke" stroke-linejoin="round">'
        f'<g font-style="italic" fill="{theme.sea_text}" stroke="{theme.sea}" stroke-width="2.4" '
        f'stroke-opacity=".75">{"".join(sea)}</g>'
        f'<g font-weight="700" letter-spacing=".4" fill="{theme.label}" stroke="{theme.halo}" stroke-width="2.4" '
        f'stroke-opacity=".8">{"".join(land)}</g></g>'
    )


def enlarged(shape: Shape, scale: float) -> Label:
    """The tag of a land province at another scale, moved away from its unit, which grows too."""
    x, y = shape.unit
    away = 1 + 0.55 * (scale - 1)
    label = shape.label
    return Label(x + (label.x - x) * away, y + (label.y - y) * away, label.size * scale)


def occupied(geometry: Geometry, style: str, scale: float) -> list[Box]:
    """The boxes that land tags and supply centres fill, for marks to keep off."""
    boxes = [Box(*shape.centre, 6 * scale, 6 * scale) for shape in geometry.provinces.values() if shape.centre]
    if style != "none":
        for shape in geometry.provinces.values():
            if not shape.sea:
                label = enlarged(shape, scale)
                boxes.append(Box(label.x, label.y, 1.1 * label.size, 0.4 * label.size))
    return boxes


def centres(
    geometry: Geometry, owners: Mapping[str, str], paints: Mapping[str, Paint], theme: Theme, scale: float
) -> str:
    """A star on every supply centre, in the colour of its owner."""
    stars = (
        f'<use href="#star" data-centre="{tag}"{place(shape.centre, scale)} '
        f'fill="{paints[owners[tag]].line if tag in owners else theme.centre}"/>'
        for tag, shape in geometry.provinces.items()
        if shape.centre
    )
    return f'<g class="centres">{"".join(stars)}</g>'


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
