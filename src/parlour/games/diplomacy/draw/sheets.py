"""The board for web pages: images of the parts that never change, and outlines of the provinces."""

from __future__ import annotations

from functools import cache

from parlour.core.game import Plain
from parlour.core.marks import PAINT, text_of
from parlour.core.pictures import Sheet
from parlour.games.diplomacy.draw import ground, pacts, symbols
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.labels import labels
from parlour.games.diplomacy.draw.picture import SANS, SERIF
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.theme import THEMES, named_paints, paint_of
from parlour.games.diplomacy.maps.map import COASTS, Ground, Map

LAYERS = (
    ("canvas", "tints"),
    ("image", "ground"),
    ("marks", "fog"),
    ("marks", "zones"),
    ("marks", "orders"),
    ("marks", "bonds"),
    ("marks", "bursts"),
    ("marks", "stars"),
    ("marks", "dislodged"),
    ("marks", "units"),
    ("marks", "signs"),
    ("image", "labels"),
)
"""The layers, from the bottom. The browser draws images once, and tints only where they change. Only marks become
elements of the page. The ground image has holes for the land, so that it lies over the tints and no image is needed
below them. Each layer costs time, because it is blended with those below it whenever the page changes."""

SMALL_LABELS = 1.4
"""Factor by which labels are enlarged on a narrow page."""


@cache
def sheet_of(board: Map) -> Sheet:
    """Return the sheet of a map; variations of the rules do not change it."""
    if board.variations:
        return sheet_of(board.under(()))
    geometry = geometry_of(board)
    margin = ground.MARGIN
    powers = [power.name for power in board.powers]
    return Sheet(
        key=board.name,
        view=(-margin, -margin, geometry.width + 2 * margin, geometry.height + 2 * margin),
        layers=LAYERS,
        paints={name: theme.colours(powers) for name, theme in THEMES.items()},
        defs=(*symbols.definitions(), *pacts.definitions()),
        outlines=dict(geometry.paths),
        bare={"tints": tuple(ground.bare(geometry))},
        images=_images(board, geometry),
        transforms=dict.fromkeys(("tints", "fog", "zones"), "scale(.1)"),
        places={province.tag: _place(board, geometry, province.id) for province in board.provinces},
        seats={
            power.name: {
                "title": power.title,
                "tag": power.tag,
                **{part: paint_of(power.name, part)[1:] for part in ("unit", "land", "line", "detail")},
            }
            for power in board.powers
        },
    )


def _images(board: Map, geometry: Geometry) -> dict[str, str]:
    """Return the SVG layers in named paints.

    The page replaces %outlines% and %bare% by outlines that it already has.
    """
    theme = named_paints()
    paints = {name: f"{PAINT}{name}" for name in THEMES["light"].colours(())}
    names = dict.fromkeys((province.tag for province in board.provinces), "")
    hatch, frame, *_, dry = ground.definitions(geometry)
    shapes = f"{text_of((hatch, frame), paints)}%outlines%{text_of(dry, paints)}{ground.wet(geometry, '%bare%')}"
    water = f'<g clip-path="url(#wet)">{ground.water(geometry, names, theme)}</g>'
    dead = text_of(ground.dead(geometry), paints)
    base = ground.in_tenths(water, dead, ground.lines(geometry, theme))
    return {
        "ground": f'<defs>{shapes}</defs>{base}<g font-family="{SERIF}">{ground.ornaments(geometry, theme)}</g>',
        "labels": f'<g font-family="{SERIF}">{labels(geometry, "mixed", theme, 1)}</g>',
        "labels.tags": f'<g font-family="{SERIF}">{labels(geometry, "tags", theme, 1)}</g>',
        "labels.small": f'<g font-family="{SANS}">{labels(geometry, "mixed", theme, SMALL_LABELS)}</g>',
    }


def _place(board: Map, geometry: Geometry, number: int) -> dict[str, Plain]:
    """Return a province for the page: its name, kind and shores, and the places of units and centre."""
    province = board.provinces[number]
    shape = geometry.provinces[province.tag]
    found: dict[str, Plain] = {"name": province.name, "kind": province.kind.value, "at": shape.unit}
    found["dislodged"] = shape.dislodged
    if shape.centre is not None:
        found["centre"] = shape.centre
    if province.coasts:
        found["coasts"] = {
            coast: {
                "name": COASTS[coast][1],
                "at": shape.coasts[coast].unit,
                "dislodged": shape.coasts[coast].dislodged,
            }
            for coast in province.coasts
        }
    seas = {board.areas[there].province for area in province.areas for there in board.fleet[area]} - {number}
    found["seas"] = [board.provinces[there].tag for there in sorted(seas) if board.provinces[there].kind is Ground.SEA]
    if province.home is not None:
        found["home"] = board.powers[province.home].name
    if province.daide != province.tag:
        found["daide"] = province.daide
    return found
