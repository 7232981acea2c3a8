"""Makes the geometry of a map of Europe from Natural Earth's coasts and hand-placed borders.

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    pip install -e '.[map]'
    python tools/map/make_map.py package/countries-10m.json standard
    python tools/map/make_map.py package/countries-10m.json milan

Natural Earth (1:10m, public domain) gives coasts and today's borders; world-atlas packs it. Everything else is in
borders.py, places.py and drawings.py. It takes about 80 s of CPU time and gives the same file every time.
tests/games/diplomacy/draw/test_topology.py checks the results.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from anchors import Anchors, search, shape_of
from atlas import Atlas
from drawings import DRAWINGS, Drawing
from make_names import main as place_words
from make_names import readable
from pen import Pen, smooth
from places import COASTS, FILLERS, LAKES, SEAS, STRAITS, Wish
from projection import HEIGHT, WIDTH, points, project
from regions import FRAME, build_regions
from shapely.geometry import LineString, Polygon
from simplify import Rings, simplified

from parlour.games.diplomacy.maps.map import BOARDS, Ground, Province, named

_BROKEN_NAMES = {
    "STP": ("St Petersburg",),
    "CON": ("Constan-", "tinople"),
    "EDI": ("Edin-", "burgh"),
    "LVP": ("Liver-", "pool"),
}
_SMALLEST_NAME = 8.0


def main() -> None:
    """Read the atlas named first, write the geometry of the map named second."""
    if len(sys.argv) != 3 or sys.argv[2] not in DRAWINGS:
        raise SystemExit(__doc__)
    source = Path(sys.argv[1])
    if not source.is_file():
        raise SystemExit(f"{source}: not there; it is in the npm package world-atlas: npm pack world-atlas@2.0.2")
    pen = Pen(Atlas(source))
    board, drawing = named(sys.argv[2]), DRAWINGS[sys.argv[2]]
    seas = {province.tag for province in board.provinces if province.kind is Ground.SEA}
    wet = seas | {tag for tag, (_, water) in FILLERS.items() if water}
    outlines = simplified(build_regions(drawing, Atlas(source), pen, seas), wet)
    geometry = {
        "about": drawing.about,
        "width": WIDTH,
        "height": HEIGHT,
        "provinces": {p.tag: _province(drawing, p, outlines[p.tag]) for p in board.provinces},
        "fillers": {
            tag: {"name": name, "water": water, "polygons": _flat_polygons(outlines[tag])}
            for tag, (name, water) in FILLERS.items()
        },
        "decor": {
            "lakes": [_flat(pen.ring(lake)) for lake in LAKES],
            "straits": [_flat(smooth(points(strait), 6)) for strait in STRAITS],
            "graticule": _graticule(),
            "rose": [46, 668, 30],
        },
    }
    (BOARDS / f"{board.name}.geometry.json").write_text(readable(geometry), encoding="utf-8")
    place_words([board.name])


def _province(drawing: Drawing, province: Province, parts: list[Rings]) -> dict[str, Any]:
    tag = province.tag
    parts = sorted(parts, key=lambda rings: -Polygon(rings[0]).area)
    found: dict[str, Any] = {"polygons": _flat_polygons(parts)}
    if tag in SEAS:
        sea = SEAS[tag]
        x, y = sea.at
        found |= {"unit": sea.unit, "dislodged": sea.dislodged, "sea": True}
        found["label"] = {"x": x, "y": y, "size": max(10, min(15, round(sea.size)))}
        found["name"] = {
            "lines": sea.name, "x": x, "y": y, "size": sea.size, "turn": sea.turn, "spacing": sea.spacing
        }  # fmt: skip
        return found
    city = points([drawing.cities[tag]])[0] if province.centre else None
    anchors = search(parts, city, drawing.wishes.get(tag, Wish()))
    found |= {"unit": anchors.unit, "dislodged": anchors.dislodged}
    found["label"] = {"x": anchors.label[0], "y": anchors.label[1], "size": anchors.size}
    found["name"] = _name(province, parts, anchors)
    if anchors.centre:
        found["centre"] = anchors.centre
    realm = [power for power, tags in drawing.realms.items() if tag in tags.split()]
    if realm:
        found["realm"] = realm[0]
    if tag in COASTS:
        found["coasts"] = {coast: {"unit": u, "dislodged": d} for coast, (u, d) in COASTS[tag].items()}
    return found


def _name(province: Province, parts: list[Rings], anchors: Anchors) -> dict[str, Any]:
    """Return the best place of the full name near the tag; make_names.py then puts it inside the province."""
    x, y = anchors.label
    lines = _BROKEN_NAMES.get(province.tag, (province.name,))
    across = LineString([(0, y), (WIDTH, y)]).intersection(shape_of(parts))
    spans = [
        (left, right)
        for part in getattr(across, "geoms", [across])
        if part.length
        for left, _, right, _ in [part.bounds]
        if left - 2 <= x <= right + 2
    ]
    letters = max(map(len, lines))
    room = spans[0][1] - spans[0][0] - 8 if spans else 40
    size = max(_SMALLEST_NAME, min(11, room / (0.68 * letters)))
    half = 0.34 * letters * size
    if spans:
        low, high = max(4, spans[0][0]) + 4 + half, min(WIDTH - 4, spans[0][1]) - 4 - half
        x = min(max(x, low), high) if low <= high else (low + high) / 2
    unit_x, unit_y = anchors.unit
    if abs(y - unit_y) < 11.5 + size * 0.4 + (len(lines) - 1) * size * 0.5:  # beside the unit: keep clear of it
        x = min(x, unit_x - 17 - half) if anchors.label[0] < unit_x else max(x, unit_x + 17 + half)
    return {"lines": lines, "x": round(x, 1), "y": y, "size": round(size, 1)}


def _graticule() -> list[list[float]]:
    meridians = [[(lon, lat) for lat in np.arange(20.0, 84)] for lon in range(-60, 101, 10)]
    parallels = [[(lon, lat) for lon in np.arange(-80.0, 120)] for lat in range(30, 86, 10)]
    found = []
    for line in meridians + parallels:
        inside = LineString(project(line)).intersection(FRAME)
        parts = getattr(inside, "geoms", [inside])
        found += [_flat(part.simplify(0.15).coords) for part in parts if part.length > 5]
    return found


def _flat_polygons(parts: list[Rings]) -> list[list[list[float]]]:
    return [[_flat(ring) for ring in rings] for rings in parts]


def _flat(ring: Any) -> list[float]:
    values = [round(float(value), 1) for x, y in ring for value in (x, y)]
    return [int(value) if value == int(value) else value for value in values]


if __name__ == "__main__":
    main()
