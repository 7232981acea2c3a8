"""Stores orders that cannot be carried out, where any order is accepted (AOA), so that ORD can report them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from parlour.core.game import Seat
from parlour.net.daide.tokens import Token


class FreeOrder(NamedTuple):
    """An order that was accepted though it cannot be carried out."""

    tokens: tuple[Token, ...]
    """The order as the client wrote it."""
    text: str
    """The order in the notation of the match."""
    note: str
    """The THX note of the order, which is its result in ORD."""
    becomes: str
    """The order that the match carries out instead."""


FreeOrdersOfTurn: TypeAlias = tuple[tuple[Seat, str, FreeOrder], ...]
"""Seat, province and order."""


class FreeOrders:
    """The orders of all matches of a server that cannot be carried out, until each match is over.

    They are not in the store: after a restart ORD reports the orders that were carried out instead.
    """

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, dict[tuple[Seat, str], FreeOrder]]] = {}

    def put(self, match: str, phase: str, seat: Seat, province: str, order: FreeOrder) -> None:
        """Store an order, in place of an earlier one for the same province."""
        self._kept.setdefault(match, {}).setdefault(phase, {})[seat, province] = order

    def drop(self, match: str, phase: str, seat: Seat, province: str) -> None:
        """Delete the order for a province, if there is one: another was given, or it was taken back."""
        self._kept.get(match, {}).get(phase, {}).pop((seat, province), None)

    def find(self, match: str, phase: str, seat: Seat, text: str) -> str | None:
        """Return the province for which the seat gave this order; None if it did not."""
        for owner, province, order in self.of(match, phase):
            if owner == seat and order.text == text:
                return province
        return None

    def of(self, match: str, phase: str) -> FreeOrdersOfTurn:
        """Return the orders of a turn."""
        return tuple((*key, order) for key, order in self._kept.get(match, {}).get(phase, {}).items())

    def forget(self, match: str) -> None:
        """Delete the orders of a match that is over."""
        self._kept.pop(match, None)
