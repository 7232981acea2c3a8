"""The strings of integer actions, each made once and then only looked up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from parlour.games.diplomacy import actions as a
from parlour.games.diplomacy import codes as k
from parlour.games.diplomacy.actions import OrderKind
from parlour.games.diplomacy.map import Map
from parlour.games.diplomacy.orders import Order

# A unit's form, as far as the text of an order depends on it: an army, or a fleet on the main area, first or second
# shore. Strings are made once for each action and the forms of the one or two units that it speaks of.
_ARMY, _FLEET, _FORMS = 0, 1, 4
_FORM_OF_BYTE = np.array([1 + (byte >> 5 & 3) if byte & k.FLEET else 0 for byte in range(256)], dtype=np.int64) & 3
_NOWHERE = 127


class Texts:
    """The strings of a map's actions, each made once."""

    def __init__(self, board: Map) -> None:
        self.board = board
        self.actions = a.action_table(board).actions
        kinds = a.kind_of(self.actions)
        built = np.isin(kinds, (OrderKind.BUILD_ARMY, OrderKind.BUILD_FLEET, OrderKind.WAIVE))
        carried = np.isin(kinds, (OrderKind.CONVOY, OrderKind.SUPPORT_MOVE_TO))
        self._unit = np.where(built, _NOWHERE, a.ordered(self.actions))
        self._other = np.where(carried, a.third(self.actions), _NOWHERE)
        self._other = np.where(kinds == OrderKind.SUPPORT_HOLD, a.target(self.actions), self._other)
        self._texts = np.full(len(self.actions) * _FORMS * _FORMS, None, dtype=object)
        self._ready = np.zeros(len(self._texts), dtype=bool)
        self._actions_list: list[int] = self.actions.tolist()
        self._known: dict[str, int] = {}
        self._winter: dict[str, int] = {}

    def forms(self, state: bytes, offset: int) -> a.Actions:
        """The form of each province's unit; offset is UNITS or DISLODGED."""
        forms = np.zeros(_NOWHERE + 1, dtype=np.int64)
        forms[: k.OWNERS - k.UNITS] = _FORM_OF_BYTE[np.frombuffer(state, np.uint8, k.OWNERS - k.UNITS, offset)]
        return forms

    def of(self, actions: a.Actions, state: bytes) -> list[str]:
        """The strings of actions that are possible in a state."""
        offset = k.DISLODGED if state[k.SEASON] in (1, 3) else k.UNITS
        forms = self.forms(state, offset)
        index = actions >> 48
        keys = (index << 2 | forms[self._unit[index]]) << 2 | forms[self._other[index]]
        if not self._ready[keys].all():
            for key in keys[~self._ready[keys]].tolist():
                self._make(key)
        texts: list[str] = self._texts[keys].tolist()
        return texts

    def actions_of(self, stage: str) -> Mapping[str, int]:
        """The action of every string that was made so far, as it is meant in that stage."""
        return self._winter if stage == "adjustments" else self._known

    def _make(self, key: int) -> None:
        order = self._order(key)
        text = self._texts[key] = str(order)
        self._ready[key] = True
        # `A PAR D` is a removal in winter and a disbandment else.
        known = self._winter if order.kind >= OrderKind.BUILD_ARMY else self._known
        known[text] = self._actions_list[key >> 4]

    def order(self, action: int, state: bytes) -> Order:
        """The order that an action means in a state."""
        offset = k.DISLODGED if state[k.SEASON] in (1, 3) else k.UNITS
        index = action >> 48
        unit, other = (
            _form(state, at, int(places[index])) for at, places in ((offset, self._unit), (k.UNITS, self._other))
        )
        return self._order((index << 2 | unit) << 2 | other)

    def _order(self, key: int) -> Order:
        action, unit, other = self._actions_list[key >> 4], key >> 2 & 3, key & 3
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
    """The strings of a map, made once."""
    return Texts(board)


def _form(state: bytes, offset: int, province: int) -> int:
    return 0 if province == _NOWHERE else int(_FORM_OF_BYTE[state[offset + province]])


def _formed(board: Map, province: int, form: int) -> str:
    where = board.provinces[province]
    if form == _ARMY:
        return f"A {where.tag}"
    return f"F {board.areas[where.area + form - _FLEET].tag}"


def _shore(board: Map, province: int, flag: int) -> str:
    where = board.provinces[province]
    return f"{where.tag}/{where.coasts[flag]}" if where.coasts else where.tag
