"""The order of age: asks players that can say how old they are, and sorts them by it."""

from __future__ import annotations

import inspect
import queue
import threading
from collections.abc import Sequence
from typing import Any

PATIENCE = 10.0
"""Seconds for an answer; as long as the referee waits when it asks who a player is."""
OLDEST = 6
"""Digits of an age."""


def age_of(player: object, patience: float = PATIENCE) -> int | None:
    """Return the player's age; None if it does not answer properly and in time, which the referee will judge."""
    identify = getattr(player, "identify", None)
    if identify is None or inspect.iscoroutinefunction(identify):
        return None
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # A daemon, because an answer that never comes must not keep the program from ending.
    threading.Thread(target=_ask, args=(identify, answers.put), daemon=True, name="age of a player").start()
    try:
        answer = answers.get(timeout=patience)
    except queue.Empty:
        return None
    age = answer.get("Age") if isinstance(answer, dict) else None
    text = str(age) if isinstance(age, (int, str)) else ""
    return int(text) if text.isdecimal() and len(text) <= OLDEST else None


def by_age(ages: Sequence[int | None]) -> list[int]:
    """Return the order of players of these ages: the youngest first. Those without an age keep the places they have."""
    known = [index for index, age in enumerate(ages) if age is not None]
    youngest = iter(sorted(known, key=lambda index: ages[index] or 0))
    return [index if age is None else next(youngest) for index, age in enumerate(ages)]


def youngest_first(players: Sequence[object]) -> list[int]:
    """Return the order in which players of Fish sit down."""
    return by_age([age_of(player) for player in players])


def _ask(identify: Any, put: Any) -> None:
    try:
        put(identify())
    except (Exception, SystemExit):  # the player boundary: a player may raise anything
        put(None)
