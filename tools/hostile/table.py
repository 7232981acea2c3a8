"""The table of attacks: each row is a function that is decorated with the point of the issue and what it tries."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from house import House

ATTACK_SECONDS = 4.0
"""For how long an attack that can go on goes on."""


class Happened(NamedTuple):
    """The result of an attack."""

    told: str
    """What the attacker saw, in a few words."""
    succeeded: bool = False


Run: TypeAlias = Callable[[House, float], Awaitable[Happened]]
Prepare: TypeAlias = Callable[[House], Awaitable[object]]


class Attack(NamedTuple):
    """One row."""

    point: int
    title: str
    run: Run
    floods: bool
    """True if many connections may do it at once, so that it is measured beside an honest player."""
    prepare: Prepare | None = None
    """Makes what the attack needs, before the honest player comes."""


ATTACKS: list[Attack] = []


def attack(point: int, title: str, *, floods: bool = False, prepare: Prepare | None = None) -> Callable[[Run], Run]:
    """Add a row to the table."""

    def added(run: Run) -> Run:
        ATTACKS.append(Attack(point, title, run, floods, prepare))
        return run

    return added


async def repeated(seconds: float, once: Callable[[], Awaitable[str]]) -> Happened:
    """Do something again and again; what came of it, counted, and how long the slowest took."""
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
