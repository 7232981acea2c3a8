"""The hall: intents to durable answers, awake matches, viewers, memory, waking, starting. Each with its target.

CPU is this process's own, so the store's writing thread is in it. Run alone: `python bench/hall.py`.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.player import Told
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR
from parlour.net.encodings import OncePerView
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.record import encode
from parlour.store import Entries, Progress, RecordHead, RecordKind, SQLiteStore

POWERS = [Seat(power) for power in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")]
PRESS = PressTerms(PressMode.ANYTIME, level=8000, max_per_turn=10_000_000)
SETUP = MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY, Clock(per_turn=86_400), PRESS))


def row(what: str, found: float, unit: str, target: float) -> None:
    """One line: what, how much, and how that compares with what is asked for."""
    print(f"{what:58} {found:10.2f} {unit:6} target {target:8.2f}   ratio {found / target:6.2f}")


async def seated(hall: Hall) -> str:
    """A running match with seven players."""
    match = await hall.open(SETUP)
    for seat in POWERS:
        await hall.join(match, it.Join(seat.lower(), seat), seat.lower())
    return match


async def answers(hall: Hall, rate: float, seconds: float, matches: list[str]) -> tuple[list[float], float]:
    """Latencies of intents at a rate, spread over matches; and the CPU that all of it took."""
    found: list[float] = []
    begun, cpu = time.perf_counter(), time.process_time()

    async def one(number: int) -> None:
        seat = POWERS[number % 7]
        start = time.perf_counter()
        await hall.handle(matches[number % len(matches)], it.SetWait(seat, number // 7 % 2 == 0))
        found.append(time.perf_counter() - start)

    async with asyncio.TaskGroup() as group:
        for number in range(int(rate * seconds)):
            if (late := begun + number / rate - time.perf_counter()) > 0:
                await asyncio.sleep(late)
            group.create_task(one(number))
    return found, time.process_time() - cpu


async def beyond(hall: Hall, rate: float, seconds: float, matches: list[str]) -> float:
    """How much longer an intent takes than a bare commit of as much, side by side at the same rate; medians."""
    store = hall.store
    await store.keep(RecordHead("bare", RecordKind.MATCH, "diplomacy"))
    found: list[float] = []
    begun = time.perf_counter()

    async def one(number: int) -> None:
        start = time.perf_counter()
        await store.keep(Entries("bare", number, (b"x" * 120,)), Progress("bare", "running"))
        found.append(time.perf_counter() - start)

    async def commits() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(int(rate * seconds)):
                if (late := begun + number / rate - time.perf_counter()) > 0:
                    await asyncio.sleep(late)
                group.create_task(one(number))

    (intents, _), _ = await asyncio.gather(answers(hall, rate, seconds, matches), commits())
    return statistics.median(intents) - statistics.median(found)


async def speed(folder: Path) -> None:
    """Intents and awake matches."""
    with SQLiteStore(folder / "speed.db") as store:
        hall = Hall(store)
        await hall.start()
        few = [await seated(hall) for _ in range(50)]
        longer = await beyond(hall, 1000, 3, few)
        row("intent to durable answer beyond the commit, p50, 1,000/s", longer * 1e3, "ms", 1.0)
        many = few + [await seated(hall) for _ in range(950)]
        _, cpu = await answers(hall, 1000, 3, many)
        row("1,000 awake matches, one intent a second each: of a core", cpu / 3 * 100, "%", 50.0)
        await viewers(hall, few[0])
        await hall.close()


async def viewers(hall: Hall, match: str) -> None:
    """500 who watch one match."""
    sent = 0
    once = OncePerView(lambda told: encode(told.event))

    def watcher(told: Told) -> None:
        nonlocal sent
        sent += len(once(told))

    ends = [await hall.watch(match, SPECTATOR, watcher) for _ in range(500)]
    cpu = time.process_time()
    events = 200
    for number in range(events):
        await hall.handle(match, it.Say(POWERS[number % 7], f"number {number}"))
    took = time.process_time() - cpu
    for end in ends:
        end()
    row("500 viewers of one match, each an event", took / events / 500 * 1e6, "µs", 30.0)


async def memory(folder: Path) -> None:
    """What a match takes that is awake, and how long it takes to wake one of a thousand events."""
    with SQLiteStore(folder / "memory.db") as store:
        hall = Hall(store)
        await hall.start()
        match = await seated(hall)
        while store.length(match) < 1000:
            for seat in POWERS:
                await hall.handle(match, it.Say(seat, "PRP ( PCE ( ENG FRA ) )"))
            for seat in POWERS:
                await hall.handle(match, it.Act(seat, []))
        times = []
        for _ in range(20):
            hall.sleep(match)
            begun = time.process_time()
            await hall.wake(match)
            times.append(time.process_time() - begun)
        row("waking a match of 1,000 events, CPU", statistics.median(times) * 1e3, "ms", 10.0)
        names = [await seated(hall) for _ in range(50)]
        for name in (*names, match):
            hall.sleep(name)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for name in names:
            await hall.wake(name)
        gc.collect()
        row("an awake match", (tracemalloc.get_traced_memory()[0] - before) / 50 / 1024, "KB", 200.0)
        for name in names:
            hall.sleep(name)
        gc.collect()
        row("a sleeping match", max(0.0, (tracemalloc.get_traced_memory()[0] - before) / 50 / 1024), "KB", 1.0)
        tracemalloc.stop()
        await hall.close()


async def start(folder: Path) -> None:
    """Start on a store with 10,000 sleeping matches."""
    with SQLiteStore(folder / "start.db") as store:
        for first in range(0, 10_000, 500):
            heads = [
                RecordHead(f"m{n}", RecordKind.MATCH, "diplomacy", status="running", due=time.time() + 86_400 + n)
                for n in range(first, first + 500)
            ]
            await store.keep(*heads)
    resident = _resident()
    with SQLiteStore(folder / "start.db") as store:
        begun = time.perf_counter()
        hall = Hall(store)
        await hall.start()
        row("start with 10,000 sleeping matches", time.perf_counter() - begun, "s", 2.0)
        row("and the memory it takes", _resident() - resident, "MB", 50.0)
        await hall.close()


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Every row."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for part in (start, speed, memory):
            asyncio.run(part(Path(folder)))


if __name__ == "__main__":
    main()
