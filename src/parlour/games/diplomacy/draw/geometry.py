"""Finds the geometry of a map: drawn by hand and shipped beside the map file, or else laid out automatically."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.errors import MapError
from parlour.games.diplomacy.draw.layout import plain_layout
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.map import Map

FOLDER = Path(__file__).parents[1]


@cache
def geometry_of(board: Map) -> Geometry:
    """The geometry shipped for the map, if it has exactly the map's provinces; otherwise a plain layout."""
    path = FOLDER / f"{board.name}.geometry.json"
    if board.name.isidentifier() and path.is_file():
        geometry = read_geometry(path.read_bytes(), str(path))
        if set(geometry.provinces) == {province.tag for province in board.provinces}:
            return geometry
    return plain_layout(board)


def read_geometry(text: bytes, path: str) -> Geometry:
    """The geometry in the text of a file; MapError if it is none."""
    try:
        return msgspec.json.decode(text, type=Geometry)
    except UNREADABLE as error:
        raise MapError(f"not a geometry: {error}", path=path, line=1) from None
