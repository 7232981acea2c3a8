"""Possible orders, listed as the `diplomacy` package lists them, and the valid part of given orders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parlour.core.game import Seat
from parlour.games.diplomacy.ordering.legality import Entry
from parlour.games.diplomacy.ordering.notation import MAX_LENGTH
from parlour.games.diplomacy.ordering.reading import MAX_ORDERS
from parlour.games.diplomacy.ordering.reasons import Reason
from parlour.games.diplomacy.ordering.sifting import sifted
from parlour.games.diplomacy.ordering.texts import texts
from parlour.games.diplomacy.position import Position

_FLEETS = re.compile(r"(F \S+ S F \S+ - \w+)/\w+")
_ASHORE = re.compile(r"(F \S+) - (\w+)(/\w+)")


def possible_orders(position: Position) -> dict[str, list[str]]:
    """Return all possible orders by location; a unit on one of two coasts is listed under the coast and the province.

    Supports of a fleet's move to a province with two coasts are listed with and without the coast.
    """
    found: dict[str, list[str]] = {area.tag: [] for area in position.board.areas}
    if position.over:
        return found
    listed = position.orders()
    ashore = [move for orders in listed.values() for order in orders if (move := _ASHORE.fullmatch(order)) is not None]
    for province, orders in listed.items():
        for unit, target, shore in (move.groups() for move in ashore):
            supported = f" S {unit} - {target}"
            orders = [*orders, *(order + shore for order in orders if order.endswith(supported))]
        found[province] = orders
        for order in orders:
            if order != "WAIVE" and (place := order.split()[1]) != province:
                found[place].append(order)
        if "WAIVE" in orders:
            for own in {order.split()[1] for order in orders if "/" in order}:
                found[own].append("WAIVE")
    return found


def possible(position: Position, seat: Seat, orders: Sequence[str]) -> list[str]:
    """Return the given orders that are possible, in strict spelling; waives are dropped first if builds are too many.

    A text that is not an order is read again without filler words. If the game does not check orders, all of them are
    returned, the last for each unit.
    """
    if not orders:
        return []
    if position.takes_anything:
        given = [" ".join(order.split())[:MAX_LENGTH] for order in orders if order.strip()]
        return list({_ordered(order): order for order in given}.values())[:MAX_ORDERS]
    if position.stage != "orders":
        given = sorted(orders, key=lambda order: order.strip().upper() == "WAIVE")
        _, meant = _understood(position, seat, given)
        return [str(position.order_of(entry.action)) for entry in meant if entry.action is not None]
    orders, entries = _understood(position, seat, orders)
    if any(map(_is_second, entries)):
        # Of several orders for a unit the last possible one counts, as clients expect, and not the first.
        entries = position.understand(seat, orders[::-1])[::-1]
    known = texts(position.board).known(position.state)
    return [
        _as_told(entry.text) if entry.text in known or entry.coast else str(position.order_of(entry.action))
        for entry in entries
        if entry.action is not None
    ]


def _as_told(order: str) -> str:
    """Return the order without the coast of a supported fleet's destination: the protocol allows any coast."""
    if "/" in order and (found := _FLEETS.fullmatch(order)) is not None:
        return found[1]
    return order


def _understood(position: Position, seat: Seat, orders: Sequence[str]) -> tuple[Sequence[str], Sequence[Entry]]:
    """Return the orders, without filler words if needed, and their meanings."""
    entries = position.understand(seat, orders)
    if all(entry.action is not None for entry in entries):
        return orders, entries
    plain = [
        order if entry.action is not None or _is_second(entry) else sifted(order, position.board)
        for order, entry in zip(orders, entries, strict=False)
    ]
    return plain, position.understand(seat, plain)


def _is_second(entry: Entry) -> bool:
    return entry.flaw is not None and entry.flaw.reason is Reason.SECOND_ORDER


def _ordered(order: str) -> str:
    """Return the unit of an order, without its coast."""
    kind, _, rest = order.upper().partition(" ")
    return f"{kind} {rest.partition(' ')[0].partition('/')[0]}"
