"""The table of attacks: each row is a function, decorated with a number and a title."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from house import House

ATTACK_SECONDS = 4.0
"""Seconds that an attack lasts if it can be repeated."""


class Happened(NamedTuple):
    """The result of an attack."""

    told: str
    """The attacker's observations in a few words."""
    succeeded: bool = False


Run: TypeAlias = Callable[[House, float], Awaitable[Happened]]
Prepare: TypeAlias = Callable[[House], Awaitable[object]]


class Attack(NamedTuple):
    """One row."""

    point: int
    title: str
    run: Run
    floods: bool
    """True if many connections may attack at once, so that the delay of an honest player is limited."""
    prepare: Prepare | None = None
    """Prepares the attack before the honest player starts."""


ATTACKS: list[Attack] = []


def attack(point: int, title: str, *, floods: bool = False, prepare: Prepare | None = None) -> Callable[[Run], Run]:
    """Return a decorator that adds a row to the table."""

    def added(run: Run) -> Run:
        ATTACKS.append(Attack(point, title, run, floods, prepare))
        return run

    return added


async def repeated(seconds: float, once: Callable[[], Awaitable[str]]) -> Happened:
    """Repeat an action; return its counted results, and the time of the slowest."""
    seen: Counter[str] = Counter()
    slowest, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.monotonic()
        word = "hung up"
        with contextlib.suppress(OSError, EOFError, IndexError):
            try:
                async with asyncio.timeout(15.0):
                    word = await once()
            except TimeoutError:
                word = "no answer in 15 s"
        seen[word] += 1
        slowest = max(slowest, time.monotonic() - begun)
        await asyncio.sleep(0)
    assert set(seen) - {"429", "hung up"}, "nothing was answered, so nothing was tried"
    told = ", ".join(f"{count} × {word}" for word, count in seen.most_common(3))
    return Happened(f"{told}; slowest {slowest:.1f} s", "no answer in 15 s" in seen)
