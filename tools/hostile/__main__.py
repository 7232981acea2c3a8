"""Runs every attack of the table against a real server and prints a table: `python tools/hostile [WORD ...]`.

With words, only attacks whose title or point has one of them. Exit code 1 if an attack succeeded, the server ended or
hung, or an honest player beside it waited longer than it may.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
import time
from pathlib import Path

import house as houses
from house import Felt, House, honest_player
from rich.console import Console
from rich.table import Table
from table import ATTACK_SECONDS, ATTACKS, Attack, Happened
from websockets.exceptions import WebSocketException

LIMIT = 50.0
"""Maximum milliseconds, at the 99th percentile, of an answer to an honest player beside an attack."""
ALONE = 10.0
"""The same figure without an attack on an idle machine. On a busy machine the limit grows in proportion."""
LONGEST = 90.0
"""Maximum seconds of one attack."""
QUIET = 5.0
"""Seconds for which the honest player is measured before the first attack."""


async def tried(one: Attack, house: House) -> tuple[Happened, Felt]:
    """Run an attack beside an honest player; return the results of both."""
    if one.prepare is not None:
        await one.prepare(house)
    async with honest_player(house) as felt:
        try:
            async with asyncio.timeout(LONGEST):
                happened = await one.run(house, ATTACK_SECONDS)
        except TimeoutError:
            happened = Happened(f"was not done in {LONGEST:.0f} s", succeeded=True)
        except (OSError, EOFError, LookupError, AssertionError, WebSocketException) as error:
            happened = Happened(f"could not be tried: {type(error).__name__}: {error}"[:120], succeeded=True)
        if felt_seconds := max(0.0, ATTACK_SECONDS / 4):
            await asyncio.sleep(felt_seconds)
    if house.ended:
        return Happened(f"{happened.told}; {house.ended}", succeeded=True), felt[0]
    if not await house.answers():
        return Happened(f"{happened.told}; the server hangs", succeeded=True), felt[0]
    return happened, felt[0]


def wanted(words: list[str]) -> list[Attack]:
    """Return the attacks of the table that have one of the words, by their points."""
    for path in sorted(Path(__file__).parent.glob("*_attacks.py")):
        importlib.import_module(path.stem)
    rows = sorted(ATTACKS, key=lambda one: one.point)
    return [one for one in rows if not words or any(word in (str(one.point), *one.title.split()) for word in words)]


async def quiet_player(house: House) -> Felt:
    """Measure the honest player without an attack."""
    async with honest_player(house) as felt:
        await asyncio.sleep(QUIET)
    return felt[0]


def limit_beside(alone: Felt) -> float:
    """Return the milliseconds that the honest player may wait beside an attack, given its figures without one."""
    return LIMIT * max(1.0, alone.p99 / ALONE)


def main(words: list[str]) -> int:
    """Run the attacks, print the table, and return the exit code."""
    console, begun, bad = Console(width=170), time.monotonic(), 0
    table = Table("point", "attack", "what happened", "what others noticed", "verdict", show_lines=False)
    with contextlib.ExitStack() as stack:
        house: House = stack.enter_context(houses.temporary_house())
        alone = asyncio.run(quiet_player(house))
        limit = limit_beside(alone)
        table.add_row("", "(none)", "", str(alone), "")
        for one in wanted(words):
            happened, felt = asyncio.run(tried(one, house))
            late = bool(felt.lost) or (one.floods and felt.p99 > limit)
            if late and not felt.lost:  # the machine may have been busy: measure again without an attack
                late = felt.p99 > limit_beside(asyncio.run(quiet_player(house)))
            verdict = "succeeded" if happened.succeeded else "noticed" if late else "held"
            bad += verdict != "held"
            table.add_row(str(one.point), one.title, happened.told, str(felt), verdict)
            console.print(f"{one.point:3} {one.title}: {happened.told} [{felt}] {verdict}", markup=False)
            if house.ended or (happened.succeeded and not asyncio.run(house.answers())):
                house.stop()
                house.start()
    console.print(table)
    console.print(
        f"{len(wanted(words))} attacks in {time.monotonic() - begun:.0f} s, limit {limit:.0f} ms; {bad} not held"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
