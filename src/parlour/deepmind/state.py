"""The state that published agents play on: is_terminal, observation, legal_actions, returns, step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from parlour.deepmind.legal import RULES, legal_lists
from parlour.deepmind.observation import Observation, observe_row
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.published import as_published
from parlour.deepmind.submitted import read_submitted, refuse_illegal
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import States
from parlour.games.diplomacy.engine.state import word
from parlour.games.diplomacy.maps.map import standard

if TYPE_CHECKING:
    from parlour.games.diplomacy.position import Position


class DiplomacyState(Protocol):
    """The state as the published runner and policies use it."""

    def is_terminal(self) -> bool:
        """Return True if the game is over."""

    def observation(self) -> Observation:
        """Return the observation that everyone sees."""

    def legal_actions(self) -> Sequence[Sequence[int]]:
        """Return all actions of all units of each power."""

    def returns(self) -> npt.NDArray[np.floating[Any]]:
        """Return the reward of each power; zeros while the game continues."""

    def step(self, actions_per_player: Sequence[Sequence[int]]) -> None:
        """Play one phase.

        Args:
            actions_per_player: Actions of each power.
        """


class State:
    """A game in the published form, changed by step.

    >>> state = State()
    >>> state.step([[], [], [0x011E000000021404], [], [], [], []])
    >>> state.observation().season.name, state.observation().last_actions == [0x011E000000021404]
    ('AUTUMN_MOVES', True)
    """

    __slots__ = ("_as_seen", "_last", "_options", "_row")

    def __init__(
        self,
        position: Position | None = None,
        *,
        last_actions: Sequence[int] = (),
        options: Options = DEFAULT,
        published: bool | None = None,
    ) -> None:
        """Start a game, or begin at any position of the standard map; `last_actions` are those that led to it.

        Observations are the published code's own if it is importable, so that it runs on this state unchanged;
        `published` decides that explicitly.

        Args:
            position: Position to begin at; the start of the standard map if None.
            last_actions: Actions that led to the position.
            options: Points that the publication leaves open.
        """
        if position is not None:
            _refuse_foreign(position)
        self._row: States = RULES.start()[None] if position is None else _row(position.state)
        if self._row[0, k.SEASON] == k.SeasonCode.BUILDS:
            # A position that was set up lacks the build numbers of the last builds phase, which later phases show.
            self._row[0, k.BUILDS : k.BUILDS + NUM_POWERS] = RULES.builds(self._row)[0].view(np.uint8)
        self._last = list(last_actions)
        self._options = options
        self._as_seen = as_published(published)

    # The published protocol

    def is_terminal(self) -> bool:
        """Return True if somebody has won, or the last year is over."""
        return bool(self._row[0, k.STATUS])

    def observation(self) -> Observation:
        """Return season, board, build numbers and the actions submitted last."""
        seen = observe_row(self._row, self._last, self._options)
        return seen if self._as_seen is None else self._as_seen(seen)

    def legal_actions(self) -> list[list[int]]:
        """Return every action possible now for all units of each power, ascending."""
        return legal_lists(self._row, self._options)

    def returns(self) -> npt.NDArray[np.float32]:
        """Return each power's reward: zeros in progress; a solo pays 1, any other end is shared (see Options)."""
        status = self._row[0, k.STATUS]
        if status == k.Status.RUNNING:
            return np.zeros(NUM_POWERS, np.float32)
        if status == k.Status.SOLO and self._options.solo_takes_all:
            won = np.zeros(NUM_POWERS, np.float32)
            won[int(self._row[0, k.WINNER]) - 1] = 1
            return won
        centres = self.centres()
        by_centres = self._options.draw_by_centres or status == k.Status.SOLO
        return shares(centres, by_centres=by_centres)

    def step(self, actions_per_player: Sequence[Sequence[int]]) -> None:
        """Play one phase by seven lists of actions; units without an action follow the default orders.

        Raise IllegalAction and leave the state unchanged if an action is not allowed now.

        Args:
            actions_per_player: Actions of each power.
        """
        self._refuse_when_over()
        rows, flat = read_submitted(actions_per_player)
        refuse_illegal(self._row, rows)
        self._advance(rows, flat)

    # Beyond the published interface

    @property
    def position(self) -> Position:
        """The position of the game."""
        from parlour.games.diplomacy.position import Position

        return Position(standard(), self._row.tobytes())

    @property
    def phase(self) -> str:
        """The phase, for example S1901M; COMPLETED after the end of the game."""
        return self.position.phase

    @property
    def year(self) -> int:
        """The year on the board."""
        return word(self._row[0].tobytes(), k.YEAR)

    @property
    def row(self) -> States:
        """The kernel's flat state, as a batch of one; not to be written to."""
        return self._row

    @property
    def options(self) -> Options:
        """The choices of observation and payout."""
        return self._options

    def centres(self) -> npt.NDArray[np.int64]:
        """Return the number of centres of each power."""
        owners = self._row[0, k.OWNERS : k.DISLODGED]
        return np.bincount(owners, minlength=NUM_POWERS + 1)[1 : NUM_POWERS + 1]

    def copy(self) -> State:
        """Return an independent state that equals this one."""
        twin = State.__new__(State)
        # A step makes a new row and a new list, so both may be shared.
        twin._row, twin._last, twin._options, twin._as_seen = self._row, self._last, self._options, self._as_seen
        return twin

    def _refuse_when_over(self) -> None:
        if self.is_terminal():
            raise IllegalAction("the game is over")

    def _advance(self, rows: npt.NDArray[np.int64], flat: list[int]) -> None:
        before = self._row[0, k.SEASON]
        self._row, _ = RULES.step(self._row, rows)
        self._last = flat
        if (
            self._options.skipped_builds_clear
            and before in (2, 3)
            and self._row[0, k.SEASON] == k.SeasonCode.SPRING_MOVES
        ):
            self._row[0, k.BUILDS : k.BUILDS + NUM_POWERS] = 0

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._row.tobytes(), list(self._last), self._options, self._as_seen is not None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.__reduce__() == other.__reduce__()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"State({self.position!r})"


def shares(centres: npt.NDArray[np.int64], *, by_centres: bool) -> npt.NDArray[np.float32]:
    """Return a draw's returns: in proportion to centres, or equal for every owner of a centre."""
    points = (centres if by_centres else centres > 0).astype(np.float32)
    total = points.sum()
    result: npt.NDArray[np.float32] = points / total if total else points
    return result


def _refuse_foreign(position: Position) -> None:
    from parlour.games.diplomacy.position import Position

    if not isinstance(position, Position):
        raise ConfigError(f"position: expected a Position, got {type(position).__name__}", field="position")
    if position.board != standard():
        raise ConfigError(f"map: expected the standard map, got {position.board.name!r}", field="map")


def _row(state: bytes) -> States:
    return np.frombuffer(bytearray(state), np.uint8).reshape(1, k.STATE)


def _restored(row: bytes, last: list[int], options: Options, published: bool = False) -> State:
    state = State(last_actions=last, options=options, published=published)
    state._row = _row(row)
    return state
