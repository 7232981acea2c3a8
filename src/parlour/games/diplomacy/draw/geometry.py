"""Finds the geometry of a map: drawn by hand and shipped beside the map file, or else drawn from its borders."""

from __future__ import annotations

from functools import cache

import msgspec
from msgspec.structs import replace

from parlour.core.decoding import UNREADABLE
from parlour.errors import MapError
from parlour.games.diplomacy.draw.cells import province_borders
from parlour.games.diplomacy.draw.regions import drawn_regions
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.maps.map import BOARDS, SHIPPED, Map


@cache
def geometry_of(board: Map) -> Geometry:
    """Return the shipped drawing if it has the map's provinces and borders, or else a drawing made from them."""
    if board.variations:
        return geometry_of(board.under(()))  # variations change no picture, and callers could fill the cache with them
    path = BOARDS / f"{board.geography or board.name}.geometry.json"
    if (board.geography or board.name) in SHIPPED and path.is_file():
        geometry = read_geometry(path.read_bytes(), str(path))
        if _agrees(geometry, board):
            return _fitted(geometry, board) if board.geography else geometry
    return drawn_regions(board)


def _agrees(geometry: Geometry, board: Map) -> bool:
    """Return True if a drawing has exactly the provinces and borders of a map."""
    tags = [province.tag for province in board.provinces]
    if set(geometry.provinces) != set(tags):
        return False
    places = {shape.unit: tag for tag, shape in geometry.provinces.items()}
    bridged = {tuple(sorted((places[each.start], places[each.end]))) for each in geometry.bridges}
    touching = {pair for pair in geometry.borders if pair[0] in geometry.provinces and pair[1] in geometry.provinces}
    return touching | bridged == {tuple(sorted((tags[a], tags[b]))) for a, b in province_borders(board)}


def _fitted(geometry: Geometry, board: Map) -> Geometry:
    """Return the drawing of a geography with the supply centres of a map that is played on it."""
    shapes = dict(geometry.provinces)
    for province in board.provinces:
        shape = shapes[province.tag]
        centre = (shape.centre or (shape.unit[0] - 22, shape.unit[1] - 8)) if province.centre else None
        shapes[province.tag] = replace(shape, centre=centre)
    return replace(geometry, provinces=shapes)


def read_geometry(text: bytes, path: str) -> Geometry:
    """Return the geometry in the text of a file; raise MapError if it is not a geometry."""
    try:
        return msgspec.json.decode(text, type=Geometry)
    except UNREADABLE as error:
        raise MapError(f"not a geometry: {error}", path=path, line=1) from None
