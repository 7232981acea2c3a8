"""Reads the orders of a phase: those in strict spelling by looking them up, all others by the order parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from parlour.core.game import Seat
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table
from parlour.games.diplomacy.ordering.legality import Entry, by_intent, without_excess
from parlour.games.diplomacy.ordering.notation import MAX_LENGTH
from parlour.games.diplomacy.ordering.reasons import Flaw, Reason
from parlour.games.diplomacy.ordering.texts import texts

if TYPE_CHECKING:
    from parlour.games.diplomacy.position import Position

Orders: TypeAlias = Mapping[str, Sequence[str]] | Mapping[Seat, Sequence[str]]
"""Orders as text, by power."""

_CONVOY = int(OrderKind.CONVOY)  # a plain int compares faster than an enum member
MAX_ORDERS = 200
"""Maximum number of orders of one power that are read in one turn."""
MAX_KEPT, MAX_ORDERS_KEPT = 1000, 40
"""Maximum number of readings that are kept, and of orders in each. Orders are read when they arrive, when they are
checked and when they are played. Readings are not kept with the position, which others may see."""
_Key: TypeAlias = tuple[object, ...]
_kept: dict[_Key, tuple[Entry, ...]] = {}


def read_all(position: Position, orders: Mapping[int, Sequence[str]], *, explicit_via: bool) -> dict[int, list[Entry]]:
    """Return the meaning of each order of each power in the position, or the reason why it is void."""
    if position.over:
        return {power: [_too_late(text) for text in given[: MAX_ORDERS + 1]] for power, given in orders.items()}
    found: dict[int, list[Entry]] = {}
    unread: dict[int, tuple[Sequence[str], _Key]] = {}
    for power, given in orders.items():
        if not given:
            found[power] = []
            continue
        key = position.board, position.state, power, explicit_via, *given
        known = _kept.get(key)
        if known is None:
            unread[power] = given, key
        else:
            found[power] = list(known)
    if unread:
        for power, entries in _read_all(position, {p: given for p, (given, _) in unread.items()}, explicit_via).items():
            found[power] = entries
            if len(entries) <= MAX_ORDERS_KEPT:
                _keep(unread[power][1], entries)
    return found


def _keep(key: _Key, entries: Sequence[Entry]) -> None:
    if len(_kept) >= MAX_KEPT:
        _kept.clear()
    _kept[key] = tuple(entries)


def _read_all(position: Position, orders: Mapping[int, Sequence[str]], explicit_via: bool) -> dict[int, list[Entry]]:
    found = _looked_up(position, orders)
    for power, given in orders.items():
        if power not in found:
            found[power] = _read(position, power, given)
    if explicit_via or position.stage != "orders":
        return found
    # Only powers that convoy need the call, and most do not convoy.
    for power in {power for power, own in found.items() for entry in own if (entry.action or 0) & 0xFF == _CONVOY}:
        found[power] = by_intent(found[power], action_table(position.board).by_low)
    return found


def _looked_up(position: Position, orders: Mapping[int, Sequence[str]]) -> dict[int, list[Entry]]:
    """Return the entries of the powers whose orders are all valid and in strict spelling, as nearly all are.

    These orders are strings that were made before, for the same types and coasts of units, and the kernel accepts all
    actions of the power.
    """
    strings = texts(position.board)
    found = position.listed(orders)
    unsure: dict[int, list[Entry]] = {}
    for power, given in orders.items():
        if power not in found and len(given) <= MAX_ORDERS:
            entries = strings.meant(given, position.state)
            if entries is not None:
                unsure[power] = entries
    if unsure:
        chosen = {power: [entry.action or 0 for entry in entries] for power, entries in unsure.items()}
        ignored = cast("list[bool]", position.reasons(chosen).any(axis=1).tolist())
        found |= {power: entries for power, entries in unsure.items() if not ignored[power]}
    return found


def _too_late(text: str) -> Entry:
    return Entry(text.strip(), None, Flaw(Reason.WRONG_PHASE, text[:40], "no order: the match is over"))


def _read(position: Position, power: int, given: Sequence[str]) -> list[Entry]:
    read = {text: position.order_parser.read(power, text) for text in dict.fromkeys(given[:MAX_ORDERS])}
    entries = [read[text] for text in given[:MAX_ORDERS]]
    entries = without_excess(position.board, position.state, power, entries)
    # Make the strings of these actions, so that they are looked up the next time.
    texts(position.board).of(np.array([e.action for e in entries if e.action is not None], np.int64), position.state)
    for text in given[MAX_ORDERS : MAX_ORDERS + 1]:  # one entry stands for all excess orders
        flaw = Flaw(Reason.TOO_MANY, text[:40], f"at most {MAX_ORDERS} orders, not {len(given):,}")
        entries.append(Entry(text.strip()[:MAX_LENGTH], None, flaw))
    return entries
