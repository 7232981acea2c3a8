"""An order on the board where it is promised: the facts that are known before any orders are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parlour.press.judging.executed_orders import aim, attacked
from parlour.press.language import message_types as v
from parlour.press.orders import FOR_ANOTHER, STAGE_OF, performer, same_unit, spellings, to_text
from parlour.press.press_position import PhaseBoard


class Promised(NamedTuple):
    """An order of a standing or dislodged unit on one board; empty if it is not due in that phase."""

    board: PhaseBoard | None = None
    unit: v.Unit | None = None
    """The unit that the order is for; None if that unit is not on the board."""
    province: str = ""
    """Province of the unit."""
    text: str = ""
    """The order in one of its spellings."""
    gist: str = ""
    """The gist that all orders of the same meaning share; see `Parsed`."""
    helps: bool = False
    """True if the supported or convoyed unit is in its place, or if the order helps no other unit."""
    possible: bool = False
    """True if the order is legal and every unit that it names is in its place."""
    triggers: tuple[str, ...] = ()
    """The powers that the order attacks and the places it enters; other promises of its power may forbid them."""

    @staticmethod
    def on(board: PhaseBoard | None, order: v.Order) -> Promised:
        """Return an order with its unit and its possibility on a board; empty if it is not due in that phase."""
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
        can = helping and possible(order, board)
        to = aim(order)
        triggers = (*attacked(order, board), to, to[:3]) if to else ()
        return Promised(board, unit, province, text, gist, helping, can, triggers)


def helps(order: v.Order, board: PhaseBoard) -> bool:
    """Return True if the supported or convoyed unit is in its place, or if the order helps no other unit."""
    if type(order) not in FOR_ANOTHER:
        return True
    other: v.Unit = order.other  # type: ignore[union-attr]  # every type in FOR_ANOTHER has the attribute
    there = board.units.get(other.place[:3])
    return there is not None and same_unit(other, there)


def possible(order: v.Order, board: PhaseBoard) -> bool:
    """Return True if a spelling of the order is legal; the caller checks the unit that it helps."""
    names, position = board.names, board.position
    legal: Sequence[str]
    if isinstance(order, v.Waive) or board.stage == "adjustments":
        legal = position.legal(names.lexicon.seat_of[performer(order)])
    else:
        legal = position.orders_at(names.province_id[order.unit.province])
    return not set(spellings(order, board)).isdisjoint(legal)
