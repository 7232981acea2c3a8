"""Reads the orders of a phase: those in strict spelling by looking them up, all others by the clerk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from parlour.core.game import Seat
from parlour.games.diplomacy.actions import action_table
from parlour.games.diplomacy.legality import Entry, by_intent, without_excess
from parlour.games.diplomacy.reasons import Flaw, Reason
from parlour.games.diplomacy.texts import texts

if TYPE_CHECKING:
    from parlour.games.diplomacy.position import Position

Orders: TypeAlias = Mapping[str, Sequence[str]] | Mapping[Seat, Sequence[str]]
"""Orders as text, by power."""

MAX_ORDERS = 200
"""More orders of one power in one turn are not looked at."""


def read_all(position: Position, orders: Mapping[int, Sequence[str]], *, explicit_via: bool) -> dict[int, list[Entry]]:
    """What each order of each power means in the position, or why it is void."""
    found = _looked_up(position, orders)
    for power, given in orders.items():
        if power not in found:
            found[power] = _read(position, power, given)
    if not explicit_via and position.stage == "orders":
        table = action_table(position.board).by_low
        found = {power: by_intent(entries, table) for power, entries in found.items()}
    return found


def _looked_up(position: Position, orders: Mapping[int, Sequence[str]]) -> dict[int, list[Entry]]:
    """The entries of those powers whose orders are all good and in strict spelling: nearly always all of them.

    A string that was made before belongs to one action. It is meant if that action's string in this position is the
    same again, so that unit types and coasts agree, and if the kernel takes all of the power's actions.
    """
    strings = texts(position.board)
    known = strings.actions_of(position.stage)
    chosen: dict[int, list[int]] = {}
    for power, given in orders.items():
        if len(given) <= MAX_ORDERS and all(text in known for text in given):
            chosen[power] = [known[text] for text in given]
    flat = np.array([action for actions in chosen.values() for action in actions], np.int64)
    same = strings.of(flat, position.state)
    reasons = position.reasons(chosen)
    ignored: list[bool] = np.any(reasons, axis=1).tolist()
    found, at = {}, 0
    for power, actions in chosen.items():
        given = orders[power]
        if not ignored[power] and same[at : at + len(given)] == list(given):
            found[power] = list(map(Entry, given, actions))
        at += len(given)
    return found


def _read(position: Position, power: int, given: Sequence[str]) -> list[Entry]:
    entries = [position.clerk.read(power, text) for text in given[:MAX_ORDERS]]
    entries = without_excess(position.board, position.state, power, entries)
    # Make their strings, so that the next time they are looked up.
    texts(position.board).of(np.array([e.action for e in entries if e.action is not None], np.int64), position.state)
    for text in given[MAX_ORDERS:]:
        entries.append(Entry(text.strip(), None, Flaw(Reason.TOO_MANY, text[:40], f"at most {MAX_ORDERS} orders")))
    return entries
