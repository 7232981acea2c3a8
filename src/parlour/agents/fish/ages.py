"""The order of age: asks players for their ages, and sorts the players by age."""

from __future__ import annotations

import inspect
import queue
import threading
from collections.abc import Sequence
from typing import Any

PATIENCE = 10.0
"""Seconds to wait for an answer, the same as when the referee asks a player to identify."""
OLDEST = 6
"""Maximum number of digits of an age."""


def age_of(player: object, patience: float = PATIENCE) -> int | None:
    """Return the player's age; None without a valid answer in time, which the referee judges later."""
    identify = getattr(player, "identify", None)
    if identify is None or inspect.iscoroutinefunction(identify):
        return None
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # The thread is a daemon, because a missing answer must not prevent the program from ending.
    threading.Thread(target=_ask, args=(identify, answers.put), daemon=True, name="age of a player").start()
    try:
        answer = answers.get(timeout=patience)
    except queue.Empty:
        return None
    age = answer.get("Age") if isinstance(answer, dict) else None
    text = str(age) if isinstance(age, (int, str)) else ""
    return int(text) if text.isdecimal() and len(text) <= OLDEST else None


def by_age(ages: Sequence[int | None]) -> list[int]:
    """Return the order of players by age, youngest first; players without an age keep their places."""
    known = [index for index, age in enumerate(ages) if age is not None]
    youngest = iter(sorted(known, key=lambda index: ages[index] or 0))
    return [index if age is None else next(youngest) for index, age in enumerate(ages)]


def youngest_first(players: Sequence[object]) -> list[int]:
    """Return the seat order of Fish players, youngest first."""
    return by_age([age_of(player) for player in players])


def _ask(identify: Any, put: Any) -> None:
    try:
        put(identify())
    except (Exception, SystemExit):  # the player boundary: a player may raise anything
        put(None)
