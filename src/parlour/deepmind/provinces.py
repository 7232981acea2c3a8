"""Ids and tags of provinces and areas, and the graphs of both as normalised matrices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache

import numpy as np
import numpy.typing as npt

from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering.actions import borders

NUM_POWERS = 7
NUM_PROVINCES = 75
NUM_AREAS = 81
SINGLE_COASTED_PROVINCES = 72
BICOASTAL_PROVINCES = 3
NUM_SUPPLY_CENTERS = 34

BUILD_PHASE_AREA_FLAG = -2
"""The value in place of an area in a builds phase, where an action does not belong to one area."""
INVALID_AREA_FLAG = -1

POWER_NAMES = ("Austria", "England", "France", "Germany", "Italy", "Russia", "Turkey")


class MapMDF(Enum):
    """The places of a map: 75 provinces, or 81 areas with the two coasts of BUL, SPA and STP."""

    STANDARD_MAP = 0
    BICOASTAL_MAP = 1


@cache
def _names(map_mdf: MapMDF) -> dict[str, int]:
    board = standard()
    if map_mdf is MapMDF.STANDARD_MAP:
        return {province.daide: province.id for province in board.provinces}
    return {area_name(area.id): area.id for area in board.areas}


def province_name_to_id(map_mdf: MapMDF = MapMDF.STANDARD_MAP) -> dict[str, int]:
    """Return the id of each tag: ECH 20, or in the bicoastal map STP/SC 80.

    Args:
        map_mdf: Map: the standard one, or the one with split coasts.
    """
    return dict(_names(_known_map(map_mdf)))


def province_id_to_name(map_mdf: MapMDF = MapMDF.STANDARD_MAP) -> dict[int, str]:
    """Return the tag of each id."""
    return {number: name for name, number in _names(_known_map(map_mdf)).items()}


def _known_map(map_mdf: object) -> MapMDF:
    """Return the member of our enumeration, also for a published member."""
    for known in MapMDF:
        if isinstance(map_mdf, Enum) and map_mdf.name == known.name:
            return known
    raise ConfigError(f"map_mdf: expected a MapMDF, got {map_mdf!r:.40}", field="map_mdf")


@cache
def area_name(area: int) -> str:
    """Return the tag of an area: ECH, STP, STP/SC."""
    board = standard()
    place = board.areas[area]
    province = board.provinces[place.province]
    return province.daide + (f"/{province.coasts[place.coast - 1]}" if place.coast else "")


def province_and_area_index(area: int) -> tuple[int, int]:
    """Return the province of an area, and 0 for its main area, 1 or 2 for its coasts."""
    if not 0 <= area < NUM_AREAS:
        raise NotationError(f"area: expected 0 to {NUM_AREAS - 1}, got {area}")
    place = standard().areas[area]
    return place.province, place.coast


def area_of(province: int, area_index: int = 0) -> int:
    """Return the area of a province and an area index."""
    if not 0 <= province < NUM_PROVINCES or area_index not in range(len(standard().provinces[province].coasts) + 1):
        raise NotationError(f"area: there is no area {area_index} of a province {province}")
    return standard().provinces[province].area + area_index


@cache
def home_power() -> dict[int, int]:
    """Return the home power of each of the 34 centres, by province id: the index of a power, or 7 for none."""
    centres = (province for province in standard().provinces if province.centre)
    return {province.id: NUM_POWERS if province.home is None else province.home for province in centres}


def province_adjacency() -> npt.NDArray[np.float32]:
    """Return 75 x 75: provinces between which any unit moves, normalised."""
    areas = standard().areas
    return normalised(NUM_PROVINCES, ((areas[a].province, areas[b].province) for a, b in borders(standard())))


def area_adjacency() -> npt.NDArray[np.float32]:
    """Return 81 x 81: areas between which a unit moves, and each coast with its own main area, normalised."""
    return normalised(NUM_AREAS, (*borders(standard()), *_shores()))


def _shores() -> Iterator[tuple[int, int]]:
    for province in standard().provinces:
        for coast in province.areas[1:]:
            yield province.area, coast
            yield coast, province.area


def normalised(size: int, edges: Iterable[tuple[int, int]]) -> npt.NDArray[np.float32]:
    """Return the matrix D (A + I) D of a graph; D has the inverse roots of the degrees, rounded once to float32."""
    matrix = np.eye(size, dtype=np.float32)
    for a, b in edges:
        matrix[a, b] = 1
    scale = (matrix.sum(axis=1, dtype=np.float64) ** -0.5).astype(np.float32)
    result: npt.NDArray[np.float32] = scale[:, None] * matrix * scale[None, :]
    return result


MILA_AREA_ORDER = (
    "YOR EDI LON LVP NTH WAL CLY NWG ECH IRI NAO BEL DEN HEL HOL NWY SKA BAR BRE MAO PIC BUR RUH BAL KIE SWE FIN STP "
    "STP/NC GAS PAR NAF POR SPA SPA/NC SPA/SC WES MAR MUN BER GOB LVN PRU STP/SC MOS TUN GOL TYS PIE BOH SIL TYR WAR "
    "SEV UKR ION TUS NAP ROM VEN GAL VIE TRI ARM BLA RUM ADR AEG ALB APU EAS GRE BUD SER ANK SMY SYR BUL BUL/EC CON "
    "BUL/SC"
)


@cache
def mila_areas() -> tuple[int, ...]:
    """Return the areas in the topological order that a network may be set up with."""
    names = _names(MapMDF.BICOASTAL_MAP)
    return tuple(names[name] for name in MILA_AREA_ORDER.split())
