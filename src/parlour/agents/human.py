"""A person at a terminal: shows the position, reads an action from a line, explains what was wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

import msgspec

from parlour.core.game import Action, Outcome, View, Violation
from parlour.core.intents import PlayerType, Refusal

LISTED = 40
"""How many legal actions are shown on request."""


class Human:
    """Asks until the action is allowed; an empty input stream is a player who has left."""

    player_type = PlayerType.HUMAN

    def __init__(self, read: Callable[[str], str] = input, out: TextIO | None = None) -> None:
        self._read = read
        self._out = out or sys.stdout

    def act(self, view: View) -> Action:
        """Show the position and read lines until one is an action that may be played."""
        self._show(f"\n{view.position}")
        while True:
            line = self._read(f"{view.seat}, {view.position.stage} (? for what is possible): ").strip()
            if line == "?":
                self._list(view)
                continue
            violations = view.position.check(view.seat, action := read_action(line))
            if not violations:
                return action
            for violation in violations:
                self._show(violation.message)

    def refused(self, reason: Violation | Refusal) -> None:
        """Say why the referee did not take the action."""
        self._show(reason.message if isinstance(reason, Violation) else reason.reason)

    def ended(self, outcome: Outcome) -> None:
        """Say how it ended."""
        places = ", ".join(" and ".join(seats) for seats in outcome.places) or "nobody"
        self._show(f"The match is over ({outcome.reason}): {places}.")

    def _list(self, view: View) -> None:
        legal = view.position.legal(view.seat)
        for action in legal[:LISTED]:
            self._show(f"  {_written(action)}")
        if len(legal) > LISTED:
            self._show(f"  and {len(legal) - LISTED} more")

    def _show(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


def read_action(line: str) -> Action:
    """The action in a line: JSON; or numbers, two for a place and four for a move; or orders parted by semicolons."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    words = line.replace(",", " ").split()
    if len(words) in (2, 4) and all(len(word) < 10 and word.isdecimal() for word in words):
        numbers = [int(word) for word in words]
        return numbers if len(numbers) == 2 else [numbers[:2], numbers[2:]]
    return [order.strip() for order in line.split(";") if order.strip()]


def _written(action: Action) -> str:
    return action if isinstance(action, str) else msgspec.json.encode(action).decode()
