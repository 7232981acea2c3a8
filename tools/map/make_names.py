"""Puts every tag and name of a drawing wholly inside its region, off the unit and the supply centre.

    python tools/map/make_names.py standard milan

Words inside their region stay in place. Other words go to the nearest place where they fit: a little smaller, turned,
or on another number of lines. make_map.py calls this after it has drawn the outlines.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from parlour.games.diplomacy.draw.geometry import read_geometry
from parlour.games.diplomacy.draw.places import Points, RegionSpace, wrapped
from parlour.games.diplomacy.draw.shapes import Geometry, Label, Name, Shape
from parlour.games.diplomacy.draw.svg import Point, pairs
from parlour.games.diplomacy.maps.map import BOARDS, named

MARGIN = 1.5
"""Least distance between a word and the border."""
_TURNS = (0, -15, 15, -30, 30, -45, 45, -60, 60, -75, 75, 90)
_SMALLEST_NAME, _SMALL_TAG, _SMALLEST_TAG = 6.5, 9.0, 7.5
_SMALLER, _TURNED, _AWAY = 2.0, 0.25, 0.15
"""Costs of a size smaller by one, of a turn by one degree, and of a distance of one."""
_BREAKS = (
    "Alba-nia Bel-gium Constan-tinople Den-mark Edin-burgh Hol-land Liver-pool Picar-dy Pied-mont Portu-gal Tus-cany"
)
_BROKEN = {
    first + rest: (f"{first}-", rest) for first, rest in (word.split("-") for word in f"{_BREAKS} York-shire".split())
}


def main(names: Sequence[str]) -> None:
    """Write the drawings of these maps again."""
    for name in names:
        path = BOARDS / f"{name}.geometry.json"
        text = path.read_bytes()
        geometry = placed(read_geometry(text, str(path)), {p.tag: p.name for p in named(name).provinces})
        raw = json.loads(text)
        for tag, shape in geometry.provinces.items():
            raw["provinces"][tag] |= {"label": _plain(shape.label), "name": _plain(shape.name)}
        path.write_text(readable(raw), encoding="utf-8")


def readable(geometry: dict[str, Any]) -> str:
    """Return a geometry as JSON with a line for each province."""
    text = json.dumps(geometry, separators=(",", ":"))
    return text.replace('"provinces":{', '\n"provinces":{\n').replace('},"', '},\n"') + "\n"


def placed(geometry: Geometry, names: dict[str, str]) -> Geometry:
    """Return the geometry with all words inside their regions."""
    shapes = {}
    for tag, shape in geometry.provinces.items():
        room = Room(shape)
        label = room.label(tag, shape.label)
        shapes[tag] = msgspec.structs.replace(shape, label=label, name=room.name(names[tag], tag, shape.name))
    return msgspec.structs.replace(geometry, provinces=shapes)


class Room:
    """A province as room for words."""

    def __init__(self, shape: Shape) -> None:
        self._space = RegionSpace(*(pairs(ring) for polygon in shape.polygons for ring in polygon))
        corners = np.array([point for polygon in shape.polygons for point in pairs(polygon[0])])
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        across, down = np.meshgrid(np.arange(left, right, 2.0), np.arange(top, bottom, 2.0))
        self._grid: Points = np.stack([across.ravel(), down.ravel()], 1).round(1)
        units = (shape.unit, *(berth.unit for berth in shape.coasts.values()))
        self._taken = [(at, (15.5, 12.5)) for at in units] + ([(shape.centre, (6.5, 6.5))] if shape.centre else [])

    def label(self, tag: str, old: Label) -> Label:
        """Return the place of the tag."""
        for smallest, taken in ((_SMALL_TAG, self._taken), (_SMALLEST_TAG, self._taken[:1]), (_SMALLEST_TAG, [])):
            for size in np.arange(old.size, smallest - 0.5, -0.5):
                found = self._nearest(old.x, old.y, Label(old.x, old.y, float(size)).reach(tag), 0, taken)
                if found is not None:
                    return Label(*found[0], float(size))
        raise SystemExit(f"{tag}: no room for its tag")

    def name(self, name: str, tag: str, old: Name) -> Name:
        """Return the place, size, lines and turn of the name; of the tag if the name has no room."""
        best: tuple[float, Name] = (math.inf, old)
        for size in np.arange(old.size, _SMALLEST_NAME - 0.5, -0.5):
            cost = _SMALLER * (old.size - size)
            if cost > best[0]:
                break
            for number, lines in enumerate(_ways(name, old.lines)):
                for turn in dict.fromkeys((old.turn, *_TURNS)):
                    words = Name(lines, old.x, old.y, round(float(size), 1), 0, old.spacing)
                    found = self._nearest(old.x, old.y, words.reach, turn, self._taken)
                    if found is None:
                        continue
                    total = cost + _AWAY * found[1] + _TURNED * abs(turn - old.turn) + number
                    if total < best[0]:
                        (x, y), _ = found
                        best = (total, msgspec.structs.replace(words, x=x, y=y, turn=turn))
        if best[0] < math.inf:
            return best[1]
        label = self.label(tag, Label(old.x, old.y, 12))
        return Name((tag,), label.x, label.y, label.size)

    def _nearest(
        self, x: float, y: float, reach: Point, turn: float, taken: Sequence[tuple[Point, Point]]
    ) -> tuple[Point, float] | None:
        """Return the place nearest to a point where a box fits apart from taken places, and its distance."""
        wide = (reach[0] + MARGIN, reach[1] + MARGIN)
        angle = math.radians(turn)
        cos, sin = math.cos(angle), math.sin(angle)
        places = np.vstack([[(x, y)], self._grid])
        free = np.ones(len(places), bool)
        for at, (half_width, half_height) in taken:
            dx, dy = (places - np.array(at)).T
            along, aside = np.abs(dx * cos + dy * sin), np.abs(dy * cos - dx * sin)
            free &= (along >= reach[0] + half_width * abs(cos) + half_height * abs(sin)) | (
                aside >= reach[1] + half_width * abs(sin) + half_height * abs(cos)
            )
        places = places[free]
        away = np.hypot(*(places - (x, y)).T)
        for part in np.array_split(np.argsort(away, kind="stable"), max(1, len(places) // 200)):
            found = self._space.fitting(places[part], wide, turn)
            if len(found):
                return (float(found[0][0]), float(found[0][1])), math.dist(found[0], (x, y))
        return None


def _ways(name: str, old: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the lines that a name may be set on: as it was, on one to three lines, and with a word broken."""
    yield from dict.fromkeys(lines for lines in (old, *wrapped(name), _BROKEN.get(name)) if lines)


def _plain(words: Label | Name) -> dict[str, Any]:
    """Return a value without the fields that it has by default."""
    found: dict[str, Any] = msgspec.to_builtins(words)
    return {field: value for field, value in found.items() if value or field not in ("turn", "spacing")}


if __name__ == "__main__":
    main(sys.argv[1:])
