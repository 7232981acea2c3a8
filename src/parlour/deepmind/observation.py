"""Observations as published: season, board, build numbers, last actions; for one state or a batch of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.kernel.observe import ObservationWriter
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS
from parlour.deepmind.season import SEASONS, Season
from parlour.errors import ConfigError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.codes import STATE
from parlour.games.diplomacy.maps.map import Ground, standard

if TYPE_CHECKING:
    from parlour.games.diplomacy.position import Position

PROVINCE_VECTOR_LENGTH = 35
NUM_SEASONS = len(Season)

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]


class Observation(NamedTuple):
    """The published agents' view of a state."""

    season: Season
    board: Bytes
    """[81, 35], entries 0 or 1."""
    build_numbers: list[int]
    last_actions: list[int]
    """The actions submitted in the phase before, power by power."""


def observe(
    position: Position | bytes, last_actions: list[int] | None = None, options: Options = DEFAULT
) -> Observation:
    """Return the observation of one position, or of its flat state.

    Args:
        last_actions: Actions that led to the position.
        options: Points that the publication leaves open.

    Raises:
        ConfigError: The flat state has the wrong type or length.
    """
    state = position if isinstance(position, bytes) else getattr(position, "state", None)
    if not isinstance(state, bytes) or len(state) != STATE:
        found = len(state) if isinstance(state, bytes) else type(position).__name__
        raise ConfigError(f"state: expected {STATE} bytes, got {found}", field="state")
    return observe_row(np.frombuffer(state, np.uint8).reshape(1, STATE), list(last_actions or ()), options)


def observe_row(row: Bytes, last_actions: list[int], options: Options) -> Observation:
    """Return the observation of a batch of one."""
    flat = np.empty(NUM_AREAS * PROVINCE_VECTOR_LENGTH, np.uint8)
    builds = np.empty(NUM_POWERS, np.int32)
    season = np.empty(1, np.int32)
    _observer(options.flags).observe(row.ravel().data, flat.data, builds.data, season.data)
    board = flat.reshape(NUM_AREAS, PROVINCE_VECTOR_LENGTH)
    return Observation(SEASONS[row[0, k.SEASON]], board, builds.tolist(), last_actions.copy())


def observe_into(states: Bytes, boards: Bytes, builds: Numbers, seasons: Numbers, options: Options = DEFAULT) -> None:
    """Observe a batch: states uint8 [B, 512] into boards uint8 [B, 81, 35], builds int32 [B, 7], seasons int32 [B].

    The arrays are C-contiguous; the GIL is released, so several threads may share a batch by slices.

    Args:
        options: Points that the publication leaves open.
    """
    count = len(states)
    _fits("states", states, (count, STATE), np.uint8, written=False)
    _fits("boards", boards, (count, NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8)
    _fits("builds", builds, (count, NUM_POWERS), np.int32)
    _fits("seasons", seasons, (count,), np.int32)
    if count:
        _observer(options.flags).observe(states.ravel().data, boards.ravel().data, builds.ravel().data, seasons.data)


def _fits(
    name: str, array: npt.NDArray[np.generic], shape: tuple[int, ...], dtype: type[np.generic], written: bool = True
) -> None:
    if array.shape == shape and written and not array.flags.writeable:
        raise ConfigError(f"{name}: expected an array to write to, got one that is read-only", field=name)
    if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
        wanted = f"{np.dtype(dtype)} {list(shape)}, C-contiguous"
        raise ConfigError(f"{name}: expected {wanted}, got {array.dtype} {list(array.shape)}", field=name)


@cache
def _observer(flags: int) -> ObservationWriter:
    return ObservationWriter(*_tables(flags), flags)


def _tables(flags: int) -> tuple[Bytes, Numbers, Numbers, Bytes, Numbers]:
    """Return an empty board's values; first and last area and home power of each province; the centres."""
    board = standard()
    template = np.zeros((NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8)
    template[:, [2, 10, 15, 23]] = 1
    for area in board.areas:
        province = board.provinces[area.province]
        template[area.id, 26 if area.coast else 25 if province.kind is Ground.SEA else 24] = 1
        if province.centre and (not area.coast or not flags & 2):
            template[area.id, 34] = 1
    return (
        template,
        np.array([p.area for p in board.provinces], np.int32),
        np.array([p.areas[-1] for p in board.provinces], np.int32),
        np.array([0 if p.home is None else p.home + 1 for p in board.provinces], np.uint8),
        np.array([p.id for p in board.provinces if p.centre], np.int32),
    )
