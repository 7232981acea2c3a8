"""The board under the pieces: sea, land in the colours of its owners, borders, coast, frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from parlour.games.diplomacy.draw.seams import chains
from parlour.games.diplomacy.draw.shapes import Geometry, Ring
from parlour.games.diplomacy.draw.svg import body, flatten, number, outline, through
from parlour.games.diplomacy.draw.theme import Paint, Theme

MARGIN = 15
"""Width of the ornamental frame, outside the geometry."""

_ROUND = 'stroke-linecap="round" stroke-linejoin="round"'


def definitions(geometry: Geometry, theme: Theme) -> str:
    """Outlines of all provinces and fillers, once; and #dry, everything that is land, to be stroked as a whole."""
    paths = "".join(f'<path id="{tag}" d="{d}"/>' for tag, d in geometry.paths.items())
    return (
        f'<pattern id="hatch" width="50" height="50" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<path d="M0 0H50V50H0z" fill="{theme.dead}"/><path d="M0 0V50" stroke="{theme.hatch}" stroke-width="14"/>'
        f'</pattern><clipPath id="frame"><path d="{_page(geometry)}"/></clipPath>'
        f'{paths}<g id="dry">{_uses(tag for tag in geometry.paths if not geometry.is_water(tag))}</g>'
    )


def ground(
    geometry: Geometry, owners: Mapping[str, str], names: Mapping[str, str], paints: Mapping[str, Paint], theme: Theme
) -> str:
    """The whole board; owners gives the power whose tint a land province takes, names are shown by pointing at it."""
    plain = bool(geometry.links)
    layers = (
        '<g transform="scale(.1)" clip-path="url(#frame)">',
        f'<path fill="{theme.paper if plain else theme.sea}" d="{_page(geometry)}"/>',
        _links(geometry, theme) if plain else _shallows(geometry, theme),
        _seas(geometry, names, theme),
        # Half of this stroke stays visible round the land that covers it: the coast.
        f'<use href="#dry" fill="none" stroke="{theme.coast}" stroke-width="15" stroke-linejoin="round"/>',
        _land(geometry, owners, names, paints, theme),
        _edges(geometry, owners, paints),
        _lakes(geometry, theme),
        f'<use href="#dry" fill="none" stroke="{theme.border}" stroke-width="8" stroke-linejoin="round"/>',
        "</g>",
        _rose(geometry.decor.rose, theme) if geometry.decor.rose else "",
        _frame(geometry.width, geometry.height, theme),
    )
    return "".join(layers)


def _page(geometry: Geometry) -> str:
    return f"M0 0H{geometry.width * 10:g}V{geometry.height * 10:g}H0z"


def _uses(tags: Iterable[str]) -> str:
    return "".join(f'<use href="#{tag}"/>' for tag in tags)


def _named(tags: Iterable[str], names: Mapping[str, str]) -> str:
    return "".join(f'<use href="#{tag}"><title>{body(names[tag])}</title></use>' for tag in tags)


def _shallows(geometry: Geometry, theme: Theme) -> str:
    """Graticule and the lighter water along the coast."""
    graticule = "".join(outline(line, closed=False) for line in geometry.decor.graticule)
    waves = "".join(
        f'<use href="#dry" stroke="{colour}" stroke-width="{width}"/>'
        for width, colour in zip((190, 115, 50), theme.waves, strict=True)
    )
    return f'<g fill="none" {_ROUND}><path d="{graticule}" stroke="{theme.graticule}" stroke-width="6"/>{waves}</g>'


def _links(geometry: Geometry, theme: Theme) -> str:
    """Borders of a plain layout: solid where armies pass, dashed where only fleets do."""
    kinds = ((True, theme.border, ""), (False, theme.sea_line, ' stroke-dasharray="90 70"'))
    return "".join(
        f'<path d="{"".join(outline((*k.start, *k.end), closed=False) for k in geometry.links if k.army == army)}" '
        f'fill="none" stroke="{colour}" stroke-width="22" stroke-linecap="round"{dash}/>'
        for army, colour, dash in kinds
    )


def _seas(geometry: Geometry, names: Mapping[str, str], theme: Theme) -> str:
    """Seas, filled only on a plain layout: elsewhere the water along the coast must show through."""
    lines = "".join(
        outline(flatten(line), closed=False)
        for (first, second), edges in geometry.borders.items()
        if geometry.is_water(first) and geometry.is_water(second)
        for line in chains(edges)
    )
    seas = _named((tag for tag, shape in geometry.provinces.items() if shape.sea), names)
    style = (
        f'fill="{theme.sea}" stroke="{theme.sea_line}" stroke-width="15"'
        if geometry.links
        else 'fill="none" pointer-events="all"'
    )
    return (
        f'<path d="{lines or "M0 0"}" fill="none" stroke="{theme.sea_line}" stroke-width="11" '
        f'stroke-dasharray="50 26" {_ROUND}/><g class="seas" {style}>{seas}</g>'
    )


def _land(
    geometry: Geometry, owners: Mapping[str, str], names: Mapping[str, str], paints: Mapping[str, Paint], theme: Theme
) -> str:
    groups: dict[str, list[str]] = {}
    for tag, shape in geometry.provinces.items():
        if not shape.sea:
            unowned = theme.land if shape.centre is None else theme.neutral
            colour = paints[owners[tag]].land if tag in owners else unowned
            groups.setdefault(colour, []).append(tag)
    land = "".join(f'<g fill="{colour}">{_named(tags, names)}</g>' for colour, tags in groups.items())
    dead = _uses(tag for tag, filler in geometry.fillers.items() if not filler.water)
    return f'<g class="land">{land}<g fill="url(#hatch)">{dead}</g></g>'


def _edges(geometry: Geometry, owners: Mapping[str, str], paints: Mapping[str, Paint]) -> str:
    """A band in each power's colour along the inside of its borders.

    It is the stroke of all that touches the power's land and is not its own, clipped to what is.
    """
    bands: list[str] = []
    for number_, power in enumerate(sorted(set(owners.values()))):
        own = [tag for tag in geometry.provinces if owners.get(tag) == power]
        around = sorted({other for tag in own for other in geometry.neighbours[tag]} - set(own))
        bands.append(
            f'<clipPath id="realm{number_}">{_uses(own)}</clipPath>'
            f'<g clip-path="url(#realm{number_})" stroke="{paints[power].line}">{_uses(around)}</g>'
        )
    return f'<g fill="none" stroke-width="78" opacity=".5" {_ROUND}>{"".join(bands)}</g>'


def _lakes(geometry: Geometry, theme: Theme) -> str:
    """Waters that only decorate."""
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
    """A compass rose in two tones."""
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
