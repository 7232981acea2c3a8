"""The geometry of a map as values: outlines of provinces, and places for units, centres and labels."""

from __future__ import annotations

import math
from functools import cached_property

import msgspec

from parlour.errors import ConfigError
from parlour.games.diplomacy.draw.letters import RISE, SPACING, width_of
from parlour.games.diplomacy.draw.scene import province_of
from parlour.games.diplomacy.draw.svg import Point, outline, pairs

Ring = tuple[float, ...]
"""x, y, x, y, ...; not closed."""

Polygon = tuple[Ring, ...]
"""The outer ring, then holes."""


class Label(msgspec.Struct, frozen=True):
    """The middle of a tag, and the size of its type."""

    x: float
    y: float
    size: float

    def reach(self, tag: str) -> Point:
        """Return the extent of a tag from its middle: to each side, and up and down."""
        return 0.5 * (width_of(tag) * self.size + SPACING * len(tag)), RISE * self.size


class Name(msgspec.Struct, frozen=True):
    """A full name on one or several lines, with its rotation in degrees."""

    lines: tuple[str, ...]
    x: float
    y: float
    size: float
    turn: float = 0
    spacing: float = 0

    @property
    def reach(self) -> Point:
        """The extent of the words from their middle: to each side, and up and down."""
        spacing = max(self.spacing, SPACING)
        across = 0.5 * max(width_of(line) * self.size + spacing * len(line) for line in self.lines)
        down = 0.55 * self.size * len(self.lines)
        turn = math.radians(self.turn)
        cos, sin = abs(math.cos(turn)), abs(math.sin(turn))
        return across * cos + down * sin, across * sin + down * cos


class Berth(msgspec.Struct, frozen=True):
    """The place of a unit, and its place after it was dislodged."""

    unit: Point
    dislodged: Point


class Shape(msgspec.Struct, frozen=True):
    """A province: its outline (largest polygon first) and its anchors."""

    polygons: tuple[Polygon, ...]
    unit: Point
    dislodged: Point
    label: Label
    name: Name
    sea: bool = False
    centre: Point | None = None
    realm: str | None = None
    """The power that the province belongs to at the start, with or without a centre."""
    coasts: dict[str, Berth] = {}


class Filler(msgspec.Struct, frozen=True):
    """Land or water that is not part of the board."""

    name: str
    water: bool
    polygons: tuple[Polygon, ...]


class Decor(msgspec.Struct, frozen=True):
    """Decoration without a meaning for play."""

    lakes: tuple[Ring, ...] = ()
    straits: tuple[Ring, ...] = ()
    channels: tuple[Ring, ...] = ()
    """Water between two coasts that only fleets pass."""
    graticule: tuple[Ring, ...] = ()
    rose: tuple[float, float, float] | None = None
    """Middle and radius of a compass rose."""


class DrawnBorder(msgspec.Struct, frozen=True, omit_defaults=True):
    """A border drawn as a line between regions that do not touch; start and end are the places of their units."""

    start: Point
    end: Point
    army: bool
    fleet: bool
    line: tuple[Point, ...] = ()
    """The points of the line; none if it runs from unit to unit."""


class Geometry(msgspec.Struct, frozen=True, dict=True):
    """A map on paper, 0 to width and 0 to height."""

    about: str
    width: float
    height: float
    provinces: dict[str, Shape]
    fillers: dict[str, Filler] = {}
    decor: Decor = Decor()
    bridges: tuple[DrawnBorder, ...] = ()
    """Borders of regions that do not touch."""

    def berth(self, area: str, *, dislodged: bool = False) -> Point:
        """Return the place where the unit of an area is drawn; raise ConfigError if the area is not on the map."""
        shape = self.provinces.get(province_of(area))
        coast = area.partition("/")[2]
        if shape is None or (coast and coast not in shape.coasts):
            raise ConfigError(f"area: expected an area of the map, got {area!r:.60}", field="area")
        place = shape.coasts[coast] if coast else shape
        return place.dislodged if dislodged else place.unit

    def outlines(self) -> dict[str, tuple[Polygon, ...]]:
        """Return the polygons of all provinces and fillers."""
        found = {tag: shape.polygons for tag, shape in self.provinces.items()}
        return found | {tag: filler.polygons for tag, filler in self.fillers.items()}

    def is_water(self, tag: str) -> bool:
        """Return True if a province or filler is water."""
        if tag in self.provinces:
            return self.provinces[tag].sea
        return self.fillers[tag].water

    @cached_property
    def paths(self) -> dict[str, str]:
        """Path data of each outline, in tenths."""
        return {
            tag: "".join(outline(ring) for polygon in polygons for ring in polygon)
            for tag, polygons in self.outlines().items()
        }

    @cached_property
    def borders(self) -> dict[tuple[str, str], list[tuple[Point, Point]]]:
        """The edges that each two neighbours (tags ascending) share; edges at the frame are not shared."""
        owners: dict[tuple[Point, Point], list[str]] = {}
        for tag, polygons in self.outlines().items():
            for ring in (ring for polygon in polygons for ring in polygon):
                points = pairs(ring)
                for a, b in zip(points, [*points[1:], points[0]], strict=True):
                    owners.setdefault((a, b) if a < b else (b, a), []).append(tag)
        found: dict[tuple[str, str], list[tuple[Point, Point]]] = {}
        for edge, tags in owners.items():
            if len(tags) == 2:
                first, second = sorted(tags)
                found.setdefault((first, second), []).append(edge)
        return dict(sorted(found.items()))

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """The neighbours of each province or filler."""
        found: dict[str, list[str]] = {tag: [] for tag in self.outlines()}
        for first, second in self.borders:
            found[first].append(second)
            found[second].append(first)
        return {tag: tuple(sorted(others)) for tag, others in found.items()}
