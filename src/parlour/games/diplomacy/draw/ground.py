"""The board under the pieces: sea, land in the colours of its owners, borders, coast, frame."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

from parlour.core.marks import Mark, group, keyed, mark, text_of
from parlour.games.diplomacy.draw.curves import trimmed
from parlour.games.diplomacy.draw.seams import chains
from parlour.games.diplomacy.draw.shapes import Geometry, Ring, Shape
from parlour.games.diplomacy.draw.svg import flatten, number, outline, through
from parlour.games.diplomacy.draw.theme import Theme, paint_of

MARGIN = 15
"""Width of the ornamental frame, outside the geometry."""

_ROUND = 'stroke-linecap="round" stroke-linejoin="round"'
_BAND: dict[str, str | float] = {
    "fill": "none",
    "stroke_width": 78,
    "stroke_linecap": "round",
    "stroke_linejoin": "round",
}


def definitions(geometry: Geometry) -> tuple[Mark, ...]:
    """Return the hatching, the clip of the frame, all outlines, and #dry: all land, to be stroked as a whole."""
    paths = (mark("path", id=tag, d=d) for tag, d in geometry.paths.items())
    hatch = mark(
        "pattern",
        mark("path", d="M0 0H50V50H0z", fill="$dead"),
        mark("path", d="M0 0V50", stroke="$hatch", stroke_width=14),
        id="hatch",
        width=50,
        height=50,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )
    dry = group(*_uses(tag for tag in geometry.paths if not geometry.is_water(tag)), id="dry")
    return hatch, mark("clipPath", mark("path", d=_page(geometry)), id="frame"), *paths, dry


def in_tenths(*layers: str) -> str:
    """Return one group of layers whose outlines are in tenths of the picture's units."""
    return f'<g transform="scale(.1)" clip-path="url(#frame)">{"".join(layers)}</g>'


def water(geometry: Geometry, names: Mapping[str, str], theme: Theme) -> str:
    """Return all layers below the land; names appear when a reader points at a sea."""
    layers = (
        f'<path fill="{theme.sea}" d="{_page(geometry)}"/>',
        _shallows(geometry, theme),
        _seas(geometry, names, theme),
        # Half of this stroke stays visible round the land that covers it: the coast.
        f'<use href="#dry" fill="none" stroke="{theme.coast}" stroke-width="15" stroke-linejoin="round"/>',
    )
    return "".join(layers)


def land(geometry: Geometry, owners: Mapping[str, str], names: Mapping[str, str]) -> Mark:
    """Return the land; owners has the power whose tint a province takes, names appear when a reader points at land."""
    groups: dict[str, list[str]] = {}
    for tag, shape in geometry.provinces.items():
        if not shape.sea:
            paint = paint_of(owners[tag], "land") if tag in owners else _unowned(shape)
            groups.setdefault(paint, []).append(tag)
    painted = (group(*_named(tags, names), fill=paint) for paint, tags in groups.items())
    return group(*painted, dead(geometry), class_="land")


def dead(geometry: Geometry) -> Mark:
    """Return the land that nobody can enter."""
    return group(*_uses(tag for tag, filler in geometry.fillers.items() if not filler.water), fill="url(#hatch)")


def bare(geometry: Geometry) -> list[Mark]:
    """Return the marks below the tints: each land province as it is without an owner."""
    return [
        keyed(tag, mark("use", href=f"#{tag}", fill=_unowned(shape)))
        for tag, shape in geometry.provinces.items()
        if not shape.sea
    ]


def wet(geometry: Geometry, land: str) -> str:
    """Return a clip path of everything that is not land.

    The land is one path: if provinces were cut out singly, water would show between them.
    """
    return f'<clipPath id="wet"><path clip-rule="evenodd" d="{_page(geometry)}{land}"/></clipPath>'


def tints(geometry: Geometry, owners: Mapping[str, str]) -> list[Mark]:
    """Return the owned provinces, each in its power's tint with its part of the band, to be laid over bare land.

    A page that shows another position repaints only provinces with a new owner, and their neighbours.
    """
    return [
        keyed(
            tag,
            mark(
                "use",
                href=f"#{tag}",
                fill=paint_of(owners[tag], "land"),
                stroke=paint_of(owners[tag], "band"),
                stroke_width=_BAND["stroke_width"],
                data_along=" ".join(_foreign(geometry, owners, tag)),
            ),
        )
        for tag in geometry.provinces
        if tag in owners
    ]


def fog(geometry: Geometry, hidden: Collection[str]) -> list[Mark]:
    """Return the cover of the provinces that are not seen, in tenths."""
    return [
        keyed(tag, mark("use", href=f"#{tag}", fill="$dead", fill_opacity=0.7))
        for tag in geometry.provinces
        if tag in hidden
    ]


def realms(geometry: Geometry, owners: Mapping[str, str]) -> list[Mark]:
    """Return a band in each power's colour along the inside of its borders, province by province.

    A band is the stroke of the neighbours that the owner does not own, clipped to the province.
    """
    bands: list[Mark] = []
    for tag in geometry.provinces:
        around = _foreign(geometry, owners, tag) if tag in owners else []
        if around:
            clip = f"in-{tag}"
            band = group(*_uses(around), clip_path=f"url(#{clip})", stroke=paint_of(owners[tag], "band"))
            bands.append(group(mark("clipPath", *_uses([tag]), id=clip), band, **_BAND))
    return bands


def _foreign(geometry: Geometry, owners: Mapping[str, str], tag: str) -> list[str]:
    """Return the neighbours of a province that its owner does not own."""
    return [other for other in geometry.neighbours[tag] if owners.get(other) != owners[tag]]


def lines(geometry: Geometry, theme: Theme) -> str:
    """Return the lines over the land in tenths: decorative waters, borders, channels and bridges."""
    border = f'<use href="#dry" fill="none" stroke="{theme.border}" stroke-width="8" stroke-linejoin="round"/>'
    return _lakes(geometry, theme) + border + _channels(geometry, theme) + _bridges(geometry, theme)


def ornaments(geometry: Geometry, theme: Theme) -> str:
    """Return the compass and the frame."""
    rose = _rose(geometry.decor.rose, theme) if geometry.decor.rose else ""
    return rose + _frame(geometry.width, geometry.height, theme)


def _unowned(shape: Shape) -> str:
    return "$land" if shape.centre is None else "$neutral"


def _page(geometry: Geometry) -> str:
    return f"M0 0H{geometry.width * 10:g}V{geometry.height * 10:g}H0z"


def _uses(tags: Iterable[str]) -> list[Mark]:
    return [mark("use", href=f"#{tag}") for tag in tags]


def _named(tags: Iterable[str], names: Mapping[str, str]) -> list[Mark]:
    return [mark("use", mark("title", names[tag]), href=f"#{tag}") for tag in tags]


def _shallows(geometry: Geometry, theme: Theme) -> str:
    """Return the graticule and the lighter water along the coast."""
    graticule = "".join(outline(line, closed=False) for line in geometry.decor.graticule)
    waves = "".join(
        f'<use href="#dry" stroke="{colour}" stroke-width="{width}"/>'
        for width, colour in zip((190, 115, 50), theme.waves, strict=True)
    )
    return f'<g fill="none" {_ROUND}><path d="{graticule}" stroke="{theme.graticule}" stroke-width="6"/>{waves}</g>'


_CLEAR = 20.0
"""Distance between a unit and the line of a bridge that leads to the unit."""


def _channels(geometry: Geometry, theme: Theme) -> str:
    """Return the water, with its shores, between two coasts that only fleets pass."""
    if not geometry.decor.channels:
        return ""
    path = _joined(geometry.decor.channels, closed=False)
    strokes = ((theme.coast, 70), (theme.sea, 52))
    return "".join(f'<path d="{path}" fill="none" stroke="{c}" stroke-width="{w}"/>' for c, w in strokes)


def _bridges(geometry: Geometry, theme: Theme) -> str:
    """Return the borders of regions that do not touch: dotted lines, dark where armies pass, else as on water."""
    drawn: list[str] = []
    for bridge in geometry.bridges:
        line = bridge.line or trimmed([bridge.start, bridge.end], _CLEAR, _CLEAR)
        path = f'<path d="{outline(flatten(line), closed=False)}" fill="none" {_ROUND}'
        colour = theme.frame if bridge.army else theme.sea_line
        if not bridge.army:
            drawn.append(f'{path} stroke="{theme.sea}" stroke-width="40"/>')
        drawn.append(f'{path} stroke="{colour}" stroke-width="26" stroke-dasharray="1 60"/>')
    return "".join(drawn)


def _seas(geometry: Geometry, names: Mapping[str, str], theme: Theme) -> str:
    """Return the seas with the lines between them, not filled: the water along the coast shows through."""
    lines = "".join(
        outline(flatten(line), closed=False)
        for (first, second), edges in geometry.borders.items()
        if geometry.is_water(first) and geometry.is_water(second)
        for line in chains(edges)
    )
    seas = text_of(_named((tag for tag, shape in geometry.provinces.items() if shape.sea), names), {})
    return (
        f'<path d="{lines or "M0 0"}" fill="none" stroke="{theme.sea_line}" stroke-width="11" '
        f'stroke-dasharray="50 26" {_ROUND}/><g class="seas" fill="none" pointer-events="all">{seas}</g>'
    )


def _lakes(geometry: Geometry, theme: Theme) -> str:
    """Return the decorative waters."""
    return (
        f'<g {_ROUND}><path d="{_joined(geometry.decor.lakes)}" fill="{theme.sea}" stroke="{theme.coast}" '
        f'stroke-width="5"/><path d="{_joined(geometry.decor.straits, closed=False)}" fill="none" '
        f'stroke="{theme.sea}" stroke-width="12"/></g>'
    )


def _joined(lines: Iterable[Ring], *, closed: bool = True) -> str:
    return "".join(outline(line, closed=closed) for line in lines) or "M0 0"


def _frame(width: float, height: float, theme: Theme) -> str:
    def line(gap: int, thickness: float) -> str:
        return (
            f'<rect x="{-gap}" y="{-gap}" width="{width + 2 * gap:g}" height="{height + 2 * gap:g}" '
            f'stroke-width="{thickness:g}"/>'
        )

    # Black and white fields of equal length, as on a sea chart.
    across, down = width / (2 * round(width / 100)), height / (2 * round(height / 102))
    fields = "".join(
        f"M{number(i * 2 * across)} {number(y)}h{number(across)}"
        for i in range(round(width / 100))
        for y in (-4, height + 4)
    ) + "".join(
        f"M{number(x)} {number(i * 2 * down)}v{number(down)}"
        for i in range(round(height / 102))
        for x in (-4, width + 4)
    )
    return (
        f'<g fill="none" stroke="{theme.frame}">{line(0, 1.6)}{line(8, 0.8)}{line(11, 1.8)}'
        f'<path stroke-width="8" d="{fields}"/></g>'
    )


def _rose(rose: tuple[float, float, float], theme: Theme) -> str:
    """Return a compass rose in two tones."""
    x, y, radius = rose
    points: list[str] = []
    for turn, reach, waist in ((45, 0.72, 0.18), (0, 1.0, 0.24)):
        for quarter in range(4):
            angle = math.radians(turn + 90 * quarter)
            tip = (math.sin(angle) * radius * reach, -math.cos(angle) * radius * reach)
            for side, fill in ((1, theme.sea_text), (-1, theme.sea)):
                corner = angle + side * math.pi / 4
                hip = (math.sin(corner) * radius * waist, -math.cos(corner) * radius * waist)
                points.append(f'<path d="{through(((0, 0), hip, tip))}z" fill="{fill}"/>')
    rings = "".join(
        f'<circle r="{number(radius * part)}" fill="none" stroke-width="{width}"/>'
        for part, width in ((0.62, 0.8), (0.55, 0.4))
    )
    return (
        f'<g transform="translate({number(x)} {number(y)})" opacity=".8" stroke="{theme.sea_text}" stroke-width=".6" '
        f'stroke-linejoin="round">{rings}{"".join(points)}<text y="{number(-radius * 1.1)}" font-size="10" '
        f'font-style="italic" text-anchor="middle" stroke="none" fill="{theme.sea_text}">N</text></g>'
    )
