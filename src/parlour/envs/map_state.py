"""A game on any map in the form of the published states: observations, legal actions, returns, steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from parlour.core.game import Seat
from parlour.deepmind.actions import MAX_ORDERS
from parlour.deepmind.observation import Observation
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.season import SEASONS
from parlour.deepmind.state import State, shares
from parlour.errors import ConfigError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.maps.map import Ground, Map, standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import Actions, OrderKind
from parlour.games.diplomacy.position import Position

Board = npt.NDArray[np.uint8]


class LearnerState(Protocol):
    """The parts of a state that environments use."""

    def is_terminal(self) -> bool:
        """Return True if the game is over."""

    def observation(self) -> Observation:
        """Return the observation, which is the same for all powers."""

    def legal_actions(self) -> list[list[int]]:
        """Return the legal actions of all units, by power."""

    def returns(self) -> npt.NDArray[np.float32]:
        """Return the reward of each power; zeros while the game continues."""

    def step(self, actions_per_player: Sequence[Sequence[int]]) -> None:
        """Play one phase."""

    def copy(self) -> LearnerState:
        """Return an independent copy of the state."""

    @property
    def position(self) -> Position:
        """The position of the game."""

    @property
    def phase(self) -> str:
        """Name of the phase, for example S1901M, or COMPLETED."""


@dataclass(frozen=True)
class MapSizes:
    """The sizes of spaces on a map, and its actions."""

    board: Map

    @cached_property
    def actions(self) -> Actions:
        """All possible actions on the map, in the order of their index."""
        return a.action_table(self.board).actions

    @property
    def choices(self) -> int:
        """Number of actions, plus one for no action."""
        return len(self.actions) + 1

    @property
    def powers(self) -> int:
        """Number of powers, including powers that nobody plays."""
        return len(self.board.powers)

    @property
    def columns(self) -> int:
        """Number of columns in the row of an area: 35 with seven powers."""
        return 14 + 3 * self.powers

    @cached_property
    def max_orders(self) -> int:
        """Maximum number of units of a power before it wins: 17 on the standard map."""
        own = [0] * self.powers
        for unit in self.board.units:
            own[unit.power] += 1
        return MAX_ORDERS if self.board == standard() else max(self.board.victory - 1, *own)

    @cached_property
    def agents(self) -> list[str]:
        """The names of the agents: austria_0 to turkey_6 on the standard map."""
        return [f"{power.name.lower()}_{power.id}" for power in self.board.players]

    @cached_property
    def power_of(self) -> dict[str, int]:
        """The number of each agent's power."""
        return {agent: power.id for agent, power in zip(self.agents, self.board.players, strict=True)}

    @cached_property
    def template(self) -> Board:
        """The board without units and owners."""
        powers, found = self.powers, np.zeros((len(self.board.areas), self.columns), np.uint8)
        found[:, [2, 3 + powers, 8 + powers, 9 + 2 * powers]] = 1
        for area in self.board.areas:
            province = self.board.provinces[area.province]
            ground = 2 if area.coast else int(province.kind is Ground.SEA)
            found[area.id, 10 + 2 * powers + ground] = 1
            found[area.id, 13 + 3 * powers] = province.centre
        return found

    def acting(self, position: Position, builds: Sequence[int]) -> list[list[int]]:
        """Return the areas of the units to order, by power and ascending; in winter -2 per build or removal due."""
        if position.over:
            return [[] for _ in self.board.powers]
        if position.stage == "adjustments":
            found = [[-2] * abs(count) for count in builds]
        else:
            first = k.DISLODGED if position.stage == "retreats" else k.UNITS
            found = [[] for _ in self.board.powers]
            for province in self.board.provinces:
                unit = position.state[first + province.id]
                if unit & k.POWER_MASK:
                    found[(unit & k.POWER_MASK) - 1].append(province.area + (unit >> k.COAST_SHIFT & 3))
        return [sorted(own) if power.played else [] for own, power in zip(found, self.board.powers, strict=True)]


@cache
def sizes_of(board: Map) -> MapSizes:
    """Return the sizes of a map from a cache."""
    return MapSizes(board)


class MapState:
    """A game on any map, changed by `step`; observations and rewards have the form of `deepmind.State`."""

    def __init__(self, position: Position, *, options: Options = DEFAULT) -> None:
        """Begin at a position.

        Args:
            position: First position of the game.
            options: Options of the rewards; the observation options must be those of `deepmind.DEFAULT`.
        """
        if options.flags != DEFAULT.flags or options.skipped_builds_clear:
            raise ConfigError("options: other ways to observe are for the standard map only", field="options")
        self._position, self._options = position, options
        self._sizes = sizes_of(position.board)
        self._last: list[int] = []

    def copy(self) -> MapState:
        """Return an independent copy of the state."""
        twin = MapState(self._position, options=self._options)
        twin._last = self._last  # a step creates a new list
        return twin

    @property
    def position(self) -> Position:
        """The position of the game."""
        return self._position

    @property
    def phase(self) -> str:
        """Name of the phase, for example S1901M, or COMPLETED."""
        return self._position.phase

    def is_terminal(self) -> bool:
        """Return True if a power has won or the last year is over."""
        return self._position.over

    def legal_actions(self) -> list[list[int]]:
        """Return the legal actions of all units, by power and ascending."""
        return [self._position.legal_actions(Seat(power.name)).tolist() for power in self._position.board.powers]

    def step(self, actions_per_player: Sequence[Sequence[int]]) -> None:
        """Play one phase; units without an action hold or disband, and builds without one are waived."""
        self._position = self._position.stepped(self._position.padded(dict(enumerate(actions_per_player))))[0]
        self._last = [action for own in actions_per_player for action in own]

    def returns(self) -> npt.NDArray[np.float32]:
        """Return the reward of each power: 0 while the game continues, then a share of 1 (see `deepmind.Options`)."""
        state, powers = self._position.state, self._sizes.powers
        if state[k.STATUS] == k.Status.RUNNING:
            return np.zeros(powers, np.float32)
        owners = np.frombuffer(state, np.uint8)[k.OWNERS : k.DISLODGED]
        centres = np.bincount(owners, minlength=powers + 1)[1 : powers + 1]
        solo = state[k.STATUS] == k.Status.SOLO
        if solo and self._options.solo_takes_all:
            won = np.zeros(powers, np.float32)
            won[state[k.WINNER] - 1] = 1
            return won
        return shares(centres, by_centres=self._options.draw_by_centres or solo)

    def observation(self) -> Observation:
        """Return the season, the board, the build numbers and the last submitted actions."""
        state = self._position.state
        winter = state[k.SEASON] == k.SeasonCode.BUILDS
        kept = np.frombuffer(state, np.int8)[k.BUILDS : k.BUILDS + self._sizes.powers]
        builds = rules_of(self._position.board).builds(self._position.row)[0] if winter else np.minimum(kept, 0)
        board = self._sizes.template.copy()
        self._put_units(board, k.UNITS, 0)
        if self._position.stage == "retreats":
            self._put_units(board, k.DISLODGED, 6 + self._sizes.powers)
        self._put_centres(board)
        if winter:
            self._put_options(board, builds.tolist())
        return Observation(SEASONS[state[k.SEASON]], board, builds.tolist(), list(self._last))

    def _put_units(self, board: Board, first: int, column: int) -> None:
        """Set the units on the main rows of their provinces, and fleets on a coast also on the row of the coast."""
        powers = self._sizes.powers
        for province in self._position.board.provinces:
            unit = self._position.state[first + province.id]
            if not unit & k.POWER_MASK:
                continue
            for row in {province.area, province.area + (unit >> k.COAST_SHIFT & 3)}:
                board[row, [column + 2, column + 3 + powers]] = 0
                board[row, [column + bool(unit & k.FLEET), column + 2 + (unit & k.POWER_MASK)]] = 1

    def _put_centres(self, board: Board) -> None:
        for province in self._position.board.provinces:
            owner = self._position.state[k.OWNERS + province.id]
            if province.centre and owner:
                rows = list(province.areas)
                board[rows, 12 + 2 * self._sizes.powers + owner] = 1
                board[rows, 13 + 3 * self._sizes.powers] = 0

    def _put_options(self, board: Board, builds: Sequence[int]) -> None:
        """Mark possible builds on all rows of a province, and removable units on the row of their area."""
        powers, provinces = self._sizes.powers, self._position.board.provinces
        legal = self._position.legal_actions()
        kinds = a.kind_of(legal)
        for number in np.unique(a.ordered(legal[(kinds == OrderKind.BUILD_ARMY) | (kinds == OrderKind.BUILD_FLEET)])):
            board[list(provinces[number].areas), 4 + powers] = 1
        for province in provinces:
            unit = self._position.state[k.UNITS + province.id]
            if unit & k.POWER_MASK and builds[(unit & k.POWER_MASK) - 1] < 0:
                board[province.area + (unit >> k.COAST_SHIFT & 3), 5 + powers] = 1


def state_at(position: Position, options: Options) -> LearnerState:
    """Return the state of a game: a `deepmind.State` on the standard map, otherwise a MapState."""
    if position.board == standard():
        return State(position, options=options)
    return MapState(position, options=options)
