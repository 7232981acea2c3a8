"""Reads areas off a published board: where a power acts, builds, removes, and which centres it owns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from parlour.deepmind.observation import Observation
from parlour.deepmind.provinces import BUILD_PHASE_AREA_FLAG, NUM_AREAS, NUM_POWERS, mila_areas
from parlour.deepmind.season import season_of
from parlour.errors import NotationError
from parlour.games.diplomacy.maps.map import standard

Board = npt.NDArray[np.generic]

_MAIN = np.array([province.area for province in standard().provinces])
_PROVINCE = np.array([area.province for area in standard().areas])
_SPLIT = np.array([bool(standard().provinces[area.province].coasts) and not area.coast for area in standard().areas])
_UNIT, _OWNER, _BUILDABLE, _REMOVABLE, _DISLODGED, _DISLODGED_OWNER, _CENTRE = 0, 3, 11, 12, 13, 16, 27


def moves_phase_areas(power: int, board: Board, retreats: bool) -> list[int]:
    """Return the areas of a power's units, or of its dislodged ones, ascending; a fleet on a coast counts by its coast.

    Raise NotationError if the board has two units in one province.
    """
    owner, unit = (_DISLODGED_OWNER, _DISLODGED) if retreats else (_OWNER, _UNIT)
    shown = (board[:, owner + power] != 0) & ~(_SPLIT & (board[:, unit] == 0))
    areas: list[int] = np.flatnonzero(shown).tolist()
    provinces = _PROVINCE[areas].tolist()
    if len(set(provinces)) < len(provinces):
        raise NotationError("board: shows two units in one province")
    return areas


def order_relevant_areas(observation: Observation, power: int, *, topological: bool = False) -> list[int]:
    """Return the areas where a power acts now, one entry per action; in a builds phase, -2 per build or removal."""
    season = season_of(observation.season)
    if season.is_builds():
        return [BUILD_PHASE_AREA_FLAG] * abs(observation.build_numbers[power])
    areas = moves_phase_areas(power, observation.board, season.is_retreats())
    return sorted(areas, key=mila_areas().index) if topological else areas


def build_areas(power: int, board: Board) -> list[int]:
    """Return the areas of owned centres where the power may build."""
    found: list[int] = np.flatnonzero((board[:, _CENTRE + power] != 0) & (board[:, _BUILDABLE] != 0)).tolist()
    return found


def removable_areas(power: int, board: Board) -> list[int]:
    """Return the areas of the power's units that may be removed."""
    found: list[int] = np.flatnonzero((board[:, _OWNER + power] != 0) & (board[:, _REMOVABLE] != 0)).tolist()
    return found


def sc_provinces(power: int, board: Board) -> list[int]:
    """Return the provinces whose centre the power owns."""
    found: list[int] = np.flatnonzero(board[_MAIN, _CENTRE + power]).tolist()
    return found


def centre_counts(board: Board) -> npt.NDArray[np.int64]:
    """Return the number of centres of each power."""
    counts: npt.NDArray[np.int64] = np.count_nonzero(board[_MAIN, _CENTRE : _CENTRE + NUM_POWERS], axis=0)
    return counts


def area_of_unit(province: int, board: Board) -> int:
    """Return the area of the unit that stands in a province; for a fleet on a coast, the coast.

    Raise NotationError if there is no unit.
    """
    main = int(_MAIN[province])
    last = min(main + 3, NUM_AREAS) if _SPLIT[main] else main + 1
    if board[main, _UNIT]:
        return main
    for area in range(main + 1 if _SPLIT[main] else main, last):
        if board[area, _UNIT + 1]:
            return area
    raise NotationError(f"board: no unit in {standard().provinces[province].daide}")
