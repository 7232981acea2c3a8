"""The strings of integer actions, each made once and then only looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.kernel.spelling import Spelling
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.ordering.legality import Entry
from parlour.games.diplomacy.ordering.orders import Order

# A unit's form, as far as the text of an order depends on it: an army, or a fleet on the main area, first or second
# shore. Strings are made once for each action and the forms of the one or two units that it names; the number of
# the action and the two forms make the string's key.
_ARMY, _FLEET = 0, 1
_FORM_OF_BYTE = bytes(1 + (byte >> 5 & 3) & 3 if byte & k.FLEET else 0 for byte in range(256))
_NOWHERE = 127
Known: TypeAlias = tuple[Entry, int, int]
"""A string's entry, the province that it is for, and its key."""
_BEYOND = bytes(_NOWHERE + 1 - (k.OWNERS - k.UNITS))


def forms(state: bytes) -> bytes:
    """Return the form of the unit in each province that orders are for: in retreats of the dislodged unit."""
    offset = k.DISLODGED if state[k.SEASON] in (1, 3) else k.UNITS
    return state[offset : offset + k.OWNERS - k.UNITS].translate(_FORM_OF_BYTE) + _BEYOND


class Texts:
    """The strings of a map's actions, each made once."""

    def __init__(self, board: Map) -> None:
        self.board = board
        actions = a.action_table(board).actions
        kinds = a.kind_of(actions)
        built = np.isin(kinds, (OrderKind.BUILD_ARMY, OrderKind.BUILD_FLEET, OrderKind.WAIVE))
        carried = np.isin(kinds, (OrderKind.CONVOY, OrderKind.SUPPORT_MOVE_TO))
        other = np.where(carried, a.third(actions), _NOWHERE)
        # The provinces of the one or two units that each action names.
        self._units: list[int] = np.where(built, _NOWHERE, a.ordered(actions)).tolist()
        self._others: list[int] = np.where(kinds == OrderKind.SUPPORT_HOLD, a.target(actions), other).tolist()
        self._actions: list[int] = actions.tolist()
        self._spelling = Spelling(self._units, self._others, self._make)
        self._orders: dict[int, Order] = {}
        self._known: dict[str, Known] = {}
        self._winter: dict[str, Known] = {}

    def of(self, actions: a.Actions, state: bytes) -> list[str]:
        """Return the strings of actions that are possible in a state."""
        return self._spelling.spell(actions.data, 0, len(actions), forms(state))

    def by_province(self, actions: a.Actions, offsets: a.Actions, state: bytes) -> dict[int, list[str]]:
        """Return the strings of actions that are possible in a state, by the province they are for.

        The actions of a province lie between its offset and the next.
        """
        return self._spelling.spell_by_province(actions.data, offsets.data, forms(state))

    def known(self, state: bytes) -> Mapping[str, Known]:
        """Return the meaning of every string made so far, for the season of that state."""
        return self._winter if state[k.SEASON] == k.SeasonCode.BUILDS else self._known

    def meant(self, given: Sequence[str], state: bytes) -> list[Entry] | None:
        """Return the entries of strings that were made before and mean the same in this state; None if one does not."""
        known, form, found = self.known(state), forms(state), []
        for text in given:
            meaning = known.get(text)
            if meaning is None:
                return None
            entry, _, key = meaning
            index = key >> 4
            if form[self._units[index]] != key >> 2 & 3 or form[self._others[index]] != key & 3:
                return None
            found.append(entry)
        return found

    def _make(self, key: int) -> str:
        order, action = self._order(key), self._actions[key >> 4]
        text = str(order)
        # `A PAR D` is a removal in winter and otherwise a disbandment.
        known = self._winter if order.kind >= OrderKind.BUILD_ARMY else self._known
        known[text] = Entry(text, action), a.ordered(action), key
        return text

    def order(self, action: int, state: bytes) -> Order:
        """Return the order that an action means in a state."""
        form, index = forms(state), action >> 48
        key = index << 4 | form[self._units[index]] << 2 | form[self._others[index]]
        found = self._orders.get(key)
        if found is None:
            found = self._orders[key] = self._order(key)
        return found

    def _order(self, key: int) -> Order:
        action, unit, other = self._actions[key >> 4], key >> 2 & 3, key & 3
        board, kind = self.board, OrderKind(a.kind_of(action))
        where, there, third = a.ordered(action), a.target(action), a.third(action)
        match kind:
            case OrderKind.WAIVE:
                return Order(kind)
            case OrderKind.BUILD_ARMY:
                return Order(kind, f"A {board.provinces[where].tag}")
            case OrderKind.BUILD_FLEET:
                return Order(kind, f"F {_shore(board, where, a.ordered_flag(action))}")
            case OrderKind.SUPPORT_HOLD:
                return Order(kind, _formed(board, where, unit), other=_formed(board, there, other))
            case OrderKind.SUPPORT_MOVE_TO | OrderKind.CONVOY:
                ordered, tag = _formed(board, where, unit), board.provinces[there].tag
                return Order(kind, ordered, tag, _formed(board, third, other))
            case OrderKind.MOVE_TO | OrderKind.RETREAT_TO:
                tag = _shore(board, there, a.target_flag(action)) if unit else board.provinces[there].tag
                return Order(kind, _formed(board, where, unit), tag)
            case OrderKind.CONVOY_TO:
                return Order(kind, _formed(board, where, unit), board.provinces[there].tag)
        return Order(kind, _formed(board, where, unit))


@cache
def texts(board: Map) -> Texts:
    """Return the strings of a map, made once."""
    return Texts(board) if board is board.for_actions else texts(board.for_actions)


def _formed(board: Map, province: int, form: int) -> str:
    where = board.provinces[province]
    if form == _ARMY:
        return f"A {where.tag}"
    return f"F {board.areas[where.area + form - _FLEET].tag}"


def _shore(board: Map, province: int, flag: int) -> str:
    where = board.provinces[province]
    return f"{where.tag}/{where.coasts[flag]}" if where.coasts else where.tag
