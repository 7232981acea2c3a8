"""The kernel of a map for Python callers: batches of states in, arrays out.

The kernel receives memoryviews. In an uncompiled kernel, an item of a memoryview is a Python number; an item of an
array is not.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from parlour.games.diplomacy.engine.codes import LAST_YEAR, STATE
from parlour.games.diplomacy.engine.lookup_tables import tables_of
from parlour.games.diplomacy.engine.state import first_state
from parlour.games.diplomacy.kernel.desk import Desk
from parlour.games.diplomacy.maps.map import MAX_POWERS, Map, standard
from parlour.games.diplomacy.ordering.actions import Actions, ActionTable, action_table

States = npt.NDArray[np.uint8]
Bytes = npt.NDArray[np.uint8]
Seeds = npt.NDArray[np.uint64]
MAX_ORDERS = 17
"""Orders per power that the published interface makes room for."""


class MapRules:
    """The operations of a map's kernel. Safe to use from several threads: each call takes a desk of its own."""

    def __init__(self, board: Map) -> None:
        self.map = board
        self.table: ActionTable = action_table(board)
        self._tables = tables_of(board)
        self._desks: list[Desk] = [Desk(self._tables)]
        self._powers, self._provinces = len(board.powers), len(board.provinces)
        self._room = 1024
        """Number of legal actions per state to reserve room for; it grows when a batch needs more."""

    def start(self, last_year: int = 0) -> States:
        """Return the first position, to be played until the end of last_year; 0 for no limit."""
        state = np.frombuffer(first_state(self.map), np.uint8).copy()
        state[LAST_YEAR : LAST_YEAR + 2] = divmod(last_year, 256)[::-1]
        return state

    def legal(self, states: States) -> tuple[Actions, Actions]:
        """Return all legal actions and their offsets.

        Those of power w in state b are actions[offsets[b, w] : offsets[b, w + 1]], in ascending order.
        """
        return self._list(_states(states), self._powers, True)

    def legal_by_province(self, states: States) -> tuple[Actions, Actions]:
        """Return legal actions like `legal`, but one unordered list per ordered province, without waivers."""
        return self._list(_states(states), self._provinces, False)

    def _list(self, states: States, keys: int, by_power: bool) -> tuple[Actions, Actions]:
        count = len(states)
        offsets = np.empty((count, keys + 1), np.int64)
        actions = np.empty(count * self._room, np.int64)
        desk = self._take()
        done = desk.list_legal(states.data, actions.data, offsets.data, by_power)
        self._desks.append(desk)
        if done == count:
            return actions[: offsets[-1, -1] if count else 0], offsets
        # The actions did not fit: list the states that fitted again, then the others, with more room.
        self._room = min(2 * self._room, len(self.table) + MAX_POWERS)
        parts = [self._list(part, keys, by_power) for part in (states[:done], states[done:])]
        offsets = np.concatenate([parts[0][1], parts[1][1] + len(parts[0][0])])
        return np.concatenate([parts[0][0], parts[1][0]]), offsets

    def sample(self, states: States, seeds: Seeds, width: int = MAX_ORDERS) -> Actions:
        """Return a random legal action for each orderable location, by a hash of each state's seed: [B, powers, width].

        In winter the due number of places is chosen, and no build is waived. Orders beyond width are left out.
        """
        states = _states(states)
        if seeds.shape != (len(states),):
            raise ValueError(f"seeds: expected one for each of {len(states)} states, got {list(seeds.shape)}")
        seeds = np.ascontiguousarray(seeds, np.uint64)
        actions = np.empty((len(states), self._powers, width), np.int64)
        desk = self._take()
        desk.sample(states.data, seeds.data, actions.data)
        self._desks.append(desk)
        return actions

    def step(self, states: States, actions: Actions) -> tuple[States, Bytes]:
        """Play one phase; return the states after it and a verdict for each province. Illegal actions are ignored."""
        states, actions = _states(states), _actions(actions, len(states), self._powers)
        after = np.empty((len(states), STATE), np.uint8)
        verdicts = np.empty((len(states), self._provinces), np.uint8)
        desk = self._take()
        desk.step(states.data, actions.data, after.data, verdicts.data)
        self._desks.append(desk)
        return after, verdicts

    def check(self, states: States, actions: Actions) -> Bytes:
        """Return a ReasonCode for each action: FINE, or the reason why `step` ignores the action."""
        states, actions = _states(states), _actions(actions, len(states), self._powers)
        reasons = np.empty(actions.shape, np.uint8)
        desk = self._take()
        desk.check(states.data, actions.data, reasons.data)
        self._desks.append(desk)
        return reasons

    def builds(self, states: States) -> npt.NDArray[np.int8]:
        """Return the number of units that each power may build or, if negative, must remove; zero outside winter."""
        states = _states(states)
        numbers = np.empty((len(states), self._powers), np.int8)
        desk = self._take()
        desk.due_builds(states.data, numbers.data)
        self._desks.append(desk)
        return numbers

    def _take(self) -> Desk:
        try:
            return self._desks.pop()
        except IndexError:
            return Desk(self._tables)


def _states(states: States) -> States:
    """Return the states as the kernel needs them: the kernel trusts shapes and reads memory directly."""
    if states.ndim != 2 or states.shape[1] != STATE:
        raise ValueError(f"states: expected an array [B, {STATE}], got {list(states.shape)}")
    return np.ascontiguousarray(states, np.uint8)


def _actions(actions: Actions, count: int, powers: int) -> Actions:
    """Return the actions as the kernel needs them."""
    if actions.ndim != 3 or actions.shape[:2] != (count, powers):
        raise ValueError(f"actions: expected an array [{count}, {powers}, K], got {list(actions.shape)}")
    return np.ascontiguousarray(actions, np.int64)


def rules_of(board: Map | None = None) -> MapRules:
    """Return the rules of a map, or of the standard map; they are built once."""
    return _made(board or standard())


@cache
def _made(board: Map) -> MapRules:
    return MapRules(board)
