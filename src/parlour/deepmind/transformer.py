"""The observation transformer: from observation and legal actions to the network's input, with its memory.

The network's input includes the past: the board of the last moves phase and the actions since. A player carries this
memory from phase to phase, and must see every phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import (
    MAX_ACTION_INDEX,
    MAX_ORDERS,
    POSSIBLE_ACTIONS,
    find_action_with_area,
)
from parlour.deepmind.kernel.unroll import Unroller
from parlour.deepmind.observation import PROVINCE_VECTOR_LENGTH, Observation
from parlour.deepmind.provinces import BUILD_PHASE_AREA_FLAG, NUM_AREAS, NUM_POWERS, POWER_NAMES, area_name, mila_areas
from parlour.deepmind.readable import human_readable_action
from parlour.deepmind.season import season_of
from parlour.errors import NotationError
from parlour.games.diplomacy.ordering.actions import Actions

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]
BOARD_SHAPE = (NUM_AREAS, PROVINCE_VECTOR_LENGTH)
CHANNELS = 3
"""Phases since the last moves phase of which actions are remembered: moves, retreats, builds."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The memory carried from one phase to the next, for a batch of games; immutable."""

    previous_board: Bytes
    """[B, 81, 35]: the board of the last moves phase seen so far; zeros if none was seen."""
    last_board: Bytes
    acts: Numbers
    """[B, 81, 3]: the index of each area's actions since the last moves phase, -1 for none."""
    seen: Bytes
    """[B]: the kind of the phase seen last: 2 for moves, 1 for another, 0 if none was seen."""

    @classmethod
    def nothing(cls, count: int = 1) -> Carried:
        """Return the memory before the first phase."""
        boards = np.zeros((count, *BOARD_SHAPE), np.uint8)
        return cls(boards, boards, np.full((count, NUM_AREAS, CHANNELS), -1, np.int32), np.zeros(count, np.uint8))

    def take(self, rows: npt.NDArray[np.integer[Any]] | slice) -> Carried:
        """Return the memory of some of the games, which may be named repeatedly."""
        return Carried(self.previous_board[rows], self.last_board[rows], self.acts[rows], self.seen[rows])


@dataclass(frozen=True, slots=True)
class NetworkInput:
    """The network's input for a batch of states; the legal actions of a step are a list instead of a mask."""

    board: Bytes
    """[B, 81, 35]: the board now."""
    last_moves_board: Bytes
    acts: Numbers
    """[B, 81, 3]: the actions of each area since the last moves phase, as indices, -1 for none."""
    season: Numbers
    """[B]: season of each state."""
    build_numbers: Numbers
    """[B, 7]: the build number of each power."""
    areas: Bytes
    """[B, 7, 17, 81]: 1 for the areas that a step reads."""
    places: Numbers
    """[B, 7, 17]: the area in which a step acts, -2 in builds, -1 for no step."""
    last_action: Numbers
    """[B, 7, 17]: the shrunk action of the step before if it is forced, 0 if it is sampled, -1 for none."""
    indices: Numbers
    """Indices of legal actions, those of a step side by side and ascending."""
    spans: Numbers
    """[B, 7, 17, 2]: the begin and end of a step's actions in indices."""
    lengths: Numbers
    """[B, 7]: the number of steps of each power."""
    temperature: npt.NDArray[np.float32]
    """[B]: sampling temperature of each state."""

    def __len__(self) -> int:
        return len(self.season)

    def initial_observation(self) -> dict[str, npt.NDArray[Any]]:
        """Return the first published part, by the published names, with the batch in front."""
        return {
            "board_state": self.board.astype(np.float32),
            "last_moves_phase_board_state": self.last_moves_board.astype(np.float32),
            "actions_since_last_moves_phase": self.acts,
            "season": self.season,
            "build_numbers": self.build_numbers,
        }

    def step_observations(self) -> dict[str, npt.NDArray[Any]]:
        """Return the second published part: [B, 7, 17, ...], zero where there is no step."""
        shape = self.places.shape
        masks = np.zeros((*shape, MAX_ACTION_INDEX), np.uint8)
        for at in zip(*np.nonzero(self.places != -1), strict=True):
            begin, end = self.spans[at]
            masks[at][self.indices[begin:end]] = 1
        steps = (self.places != -1)[..., None]
        return {
            "areas": self.areas.astype(bool),
            "last_action": self.last_action,
            "legal_actions_mask": masks,
            "temperature": np.where(steps, self.temperature[:, None, None, None], np.float32(0)),
        }

    def forced(self, actions: npt.NDArray[np.int32]) -> NetworkInput:
        """Return the input with shrunk actions [B, 7, 17], -1 for none, each forced on the step after it."""
        last = np.concatenate([np.full_like(actions[..., :1], -1), actions[..., :-1]], axis=-1)
        return replace(self, last_action=np.where(self.places == -1, 0, last))


def stacked(inputs: Sequence[NetworkInput]) -> NetworkInput:
    """Return several batches as one."""
    if len(inputs) == 1:
        return inputs[0]
    starts = np.cumsum([0, *(len(part.indices) for part in inputs[:-1])]).astype(np.int32)
    joined = {
        name: np.concatenate([getattr(part, name) for part in inputs])
        for name in NetworkInput.__dataclass_fields__
        if name != "spans"
    }
    pairs = zip(inputs, starts, strict=True)
    spans = [np.where(part.places[..., None] == -1, 0, part.spans + start) for part, start in pairs]
    return NetworkInput(**joined, spans=np.concatenate(spans))


class ObservationTransformer:
    """A transformer of observations and legal actions into the network's input.

    Args:
        topological: True to ask a power's units in MILA's order instead of by area.
    """

    def __init__(self, *, topological: bool = False) -> None:
        self._kernel = _unroller(topological)

    def transform(
        self,
        observation: Observation,
        legal_actions: Sequence[Sequence[int] | npt.NDArray[np.int64]],
        slots: Iterable[int] = range(NUM_POWERS),
        carried: Carried | None = None,
        *,
        temperature: float = 1.0,
        forced_actions: Sequence[Sequence[int]] | None = None,
    ) -> tuple[NetworkInput, Carried]:
        """Return the input for some slots in one state, and the new memory.

        Forced actions are by power, in any order. Raise NotationError for an observation of another shape, and for
        actions that do not fit it. A unit that must act and has no legal action raises it too.

        Args:
            legal_actions: Legal actions of each power.
            carried: Memory of the last call.
            temperature: Sampling temperature.
            forced_actions: Actions that the network must choose.
        """
        board, season, builds = _read(observation)
        last = _actions(observation.last_actions, "last actions")
        legal, offsets = _legal(legal_actions)
        asked = np.zeros((1, NUM_POWERS), np.uint8)
        for slot in slots:
            if slot not in range(NUM_POWERS):
                raise NotationError(f"slots: expected 0 to {NUM_POWERS - 1}, got {slot!r:.40}")
            asked[0, slot] = 1
        bounds = np.array([0, len(last)], np.int64)
        made, after = self.transform_batch(
            board, season, builds, (last, bounds), (legal, offsets), carried or Carried.nothing(), asked, temperature
        )
        if forced_actions is not None:
            made = replace(made, last_action=_forced(made, forced_actions))
        return made, after

    def transform_batch(
        self,
        boards: Bytes,
        seasons: Numbers,
        builds: Numbers,
        last_actions: tuple[Actions, Actions],
        legal: tuple[Actions, Actions],
        carried: Carried,
        asked: Bytes | None = None,
        temperature: float = 1.0,
    ) -> tuple[NetworkInput, Carried]:
        """Transform a batch: boards [B, 81, 35], seasons [B], builds [B, 7], as observe_into writes them.

        `last_actions` are flat with bounds [B + 1], legal ones ascending with offsets [B, 8], as `legal` returns them.
        `asked` [B, 7] selects the powers; None means all. The GIL is released.

        Args:
            carried: Memory of the last call.
            temperature: Sampling temperature.
        """
        shown, after = self._remember(boards, seasons, last_actions, carried)
        made = self.unrolled(boards, shown, after.acts, seasons, builds, legal, asked, temperature)
        return made, after

    def unrolled(
        self,
        boards: Bytes,
        last_moves_boards: Bytes,
        acts: Numbers,
        seasons: Numbers,
        builds: Numbers,
        legal: tuple[Actions, Actions],
        asked: Bytes | None = None,
        temperature: float = 1.0,
    ) -> NetworkInput:
        """Return the input for a batch whose past is given.

        The past is the boards of the last moves phase and the actions since.

        Args:
            boards: Observed boards [B, 81, 35].
            last_moves_boards: Boards of the last movement phases.
            acts: Actions since then, by area.
            seasons: Season of each state [B].
            builds: Builds and removals due [B, 7].
            legal: Legal actions, flat with offsets.
            asked: Powers to choose for [B, 7]; all if None.
            temperature: Sampling temperature.

        Raises:
            NotationError: The temperature is invalid, or a legal action does not fit its board.
        """
        if not 0 <= temperature < np.inf:
            raise NotationError(f"temperature: expected a number of at least 0, got {temperature}")
        count = len(seasons)
        asked = np.ones((count, NUM_POWERS), np.uint8) if asked is None else asked
        steps = (count, NUM_POWERS, MAX_ORDERS)
        places = np.full(steps, -1, np.int32)
        areas = np.zeros((*steps, NUM_AREAS), np.uint8)
        indices = np.empty(len(legal[0]), np.int32)
        spans = np.zeros((*steps, 2), np.int32)
        lengths = np.empty((count, NUM_POWERS), np.int32)
        wrong = np.zeros(3, np.int32)
        used = self._kernel.unroll(
            boards.ravel().data, seasons.data, builds.ravel().data, legal[0].data, legal[1].ravel().data,
            asked.ravel().data, places.ravel().data, areas.ravel().data, indices.data, spans.ravel().data,
            lengths.ravel().data, wrong.data,
        ) if count else 0  # fmt: skip
        if wrong[0]:
            raise NotationError(_why(*wrong.tolist()))
        last = np.where(places == -1, 0, _FIRST)
        warmth = np.full(count, temperature, np.float32)
        return NetworkInput(
            boards,
            last_moves_boards,
            acts,
            seasons,
            builds,
            areas,
            places,
            last,
            indices[:used],
            spans,
            lengths,
            warmth,
        )

    def _remember(
        self, boards: Bytes, seasons: Numbers, last_actions: tuple[Actions, Actions], carried: Carried
    ) -> tuple[Bytes, Carried]:
        """Return the last moves phase as shown now, and the new memory."""
        actions, bounds = last_actions
        shown = np.empty_like(boards)
        after = Carried(
            carried.previous_board.copy(), carried.last_board.copy(), carried.acts.copy(), carried.seen.copy()
        )
        if not len(seasons):
            return shown, after
        bad = self._kernel.remember(
            boards.ravel().data, seasons.data, actions.data, bounds.data, after.previous_board.ravel().data,
            after.last_board.ravel().data, after.acts.ravel().data, after.seen.data, shown.ravel().data,
        )  # fmt: skip
        if bad >= 0:
            words = human_readable_action(int(actions[bad]))
            raise NotationError(
                f"last actions: {words!r} has no unit on the board before, or is the second of its unit"
            )
        return shown, after


_FIRST = np.zeros(MAX_ORDERS, np.int32)
_FIRST[0] = -1


@cache
def _unroller(topological: bool) -> Unroller:
    return Unroller(np.array(mila_areas() if topological else range(NUM_AREAS), np.int32))


def _why(what: int, row: int, area: int) -> str:
    """Return the kernel's error in words."""
    power = POWER_NAMES[row % NUM_POWERS]
    where = "builds" if area == BUILD_PHASE_AREA_FLAG else area_name(area)
    return {
        1: f"board: shows two units of {power} in one province, at {where}",
        2: f"board: {power} has more than {MAX_ORDERS} orders to give",
        3: f"legal actions: {power} must act in {where}, and no legal action is given for that",
    }[what]


# Input from outside


def _read(observation: Observation) -> tuple[Bytes, Numbers, Numbers]:
    """Return board, season and build numbers of an observation, as a batch of one."""
    try:
        season, shown, numbers, _ = observation
        board, builds = np.asarray(shown), np.asarray(numbers)
    except (TypeError, ValueError):
        raise NotationError(f"observation: expected one, got {type(observation).__name__}") from None
    if board.shape != BOARD_SHAPE or board.dtype.kind not in "biuf":
        raise NotationError(
            f"board: expected numbers of shape {list(BOARD_SHAPE)}, got {board.dtype} {list(board.shape)}"
        )
    if builds.shape != (NUM_POWERS,) or builds.dtype.kind not in "iu":
        raise NotationError(
            f"build numbers: expected {NUM_POWERS} whole numbers, got {builds.dtype} {list(builds.shape)}"
        )
    flags = (board != 0).astype(np.uint8)
    if not np.array_equal(flags, board):
        raise NotationError("board: expected only 0 and 1")
    number = np.array([int(season_of(season))], np.int32)
    return flags[None], number, np.clip(builds, -99, 99).astype(np.int32)[None]


def _actions(values: Iterable[int], name: str) -> Actions:
    """Return actions of the table; raise NotationError for any other number."""
    try:
        found = np.asarray(list(values) if not isinstance(values, np.ndarray) else values, dtype=np.int64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise NotationError(f"{name}: expected actions") from None
    index = np.clip(found >> 48, 0, MAX_ACTION_INDEX - 1)
    if (bad := POSSIBLE_ACTIONS[index] != found).any():
        raise NotationError(f"{name}: {int(found[bad][0])} is no possible action")
    return found


def _legal(lists: Sequence[Sequence[int] | npt.NDArray[np.int64]]) -> tuple[Actions, Actions]:
    """Return seven lists flat, each ascending and without padding, with their offsets [1, 8]."""
    if len(lists) != NUM_POWERS:
        raise NotationError(f"legal actions: expected {NUM_POWERS} lists, got {len(lists)}")
    parts = []
    for power, own in enumerate(lists):
        listed = np.asarray(own) if isinstance(own, np.ndarray) else [x for x in own if x]
        found = _actions(
            listed[listed != 0] if isinstance(listed, np.ndarray) else listed, f"legal actions of {POWER_NAMES[power]}"
        )
        parts.append(found if (found[1:] >> 48 > found[:-1] >> 48).all() else POSSIBLE_ACTIONS[np.unique(found >> 48)])
    offsets = np.cumsum([0, *map(len, parts)])[None]
    return np.concatenate(parts), offsets.astype(np.int64)


def _forced(made: NetworkInput, forced_actions: Sequence[Sequence[int]]) -> Numbers:
    """Return the shrunk action of the step before, for each step of a batch of one; 0 where none was given."""
    if len(forced_actions) != NUM_POWERS:
        raise NotationError(f"forced actions: expected {NUM_POWERS} lists, got {len(forced_actions)}")
    last = made.last_action.copy()
    for power in range(NUM_POWERS):
        own = _actions(forced_actions[power], f"forced actions of {POWER_NAMES[power]}").tolist()
        places = made.places[0, power].tolist()
        count = int(made.lengths[0, power])
        if places[0] == BUILD_PHASE_AREA_FLAG and len(own) < count - 1:
            raise NotationError(f"forced actions of {POWER_NAMES[power]}: expected {count - 1} or more, got {len(own)}")
        for step in range(1, count):
            before = (
                own[step - 1] if places[step] == BUILD_PHASE_AREA_FLAG else find_action_with_area(own, places[step - 1])
            )
            last[0, power, step] = before >> 48 << 16 | before & 0xFFFF  # the 32-bit form, see shrink_actions
    return last
