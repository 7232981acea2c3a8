"""An order on the board where it is promised: what can be said of it at once, before anybody gives orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parlour.press.language import message_types as v
from parlour.press.orders import FOR_ANOTHER, STAGE_OF, performer, same_unit, spellings, to_text
from parlour.press.press_position import PhaseBoard


class Promised(NamedTuple):
    """An order of a standing or dislodged unit on one board; empty if it is not due in that phase."""

    board: PhaseBoard | None = None
    unit: v.Unit | None = None
    """The unit that is to get the order; None if there is none such."""
    province: str = ""
    """Province of that unit."""
    text: str = ""
    """The order in one of its spellings."""
    gist: str = ""
    """The gist that all orders of the same meaning share; see `Parsed`."""
    helps: bool = False
    """True if the unit that it supports or convoys, if any, is there."""
    possible: bool = False
    """True if it can be given, which an order for a unit that is not there can not."""

    @staticmethod
    def on(board: PhaseBoard | None, order: v.Order) -> Promised:
        """Return an order as it stands on a board."""
        if board is None or isinstance(order, (v.Build, v.RemoveUnit, v.Waive)) or STAGE_OF[type(order)] != board.stage:
            return Promised()
        text = to_text(order, board)
        parsed = board.names.parsed[text]
        gist = parsed.gist if parsed is not None else ""
        province = order.unit.province
        unit = board.acting.get(province)
        if unit is None or unit.power != order.unit.power or unit.kind != order.unit.kind:
            return Promised(board, None, province, text, gist)
        helping = helps(order, board)
        return Promised(board, unit, province, text, gist, helping, helping and possible(order, board))


def helps(order: v.Order, board: PhaseBoard) -> bool:
    """Return True if the unit that the order supports or convoys, if any, is there and is whose it is said to be."""
    if type(order) not in FOR_ANOTHER:
        return True
    other: v.Unit = order.other  # type: ignore[union-attr]  # the set lists those that have it
    there = board.units.get(other.place[:3])
    return there is not None and same_unit(other, there)


def possible(order: v.Order, board: PhaseBoard) -> bool:
    """Return True if its power can give the order, which helps nobody or one who is there."""
    names, position = board.names, board.position
    legal: Sequence[str]
    if isinstance(order, v.Waive) or board.stage == "adjustments":
        legal = position.legal(names.lexicon.seat_of[performer(order)])
    else:
        legal = position.orders_at(names.province_id[order.unit.province])
    return not set(spellings(order, board)).isdisjoint(legal)
