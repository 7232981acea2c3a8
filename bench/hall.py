"""The hall: intents to durable answers, awake matches, viewers, memory, waking, starting. Each with its limit.

CPU is that of the process that has the hall, its store's writing thread included; clients of sockets are in another.
Run alone: `python bench/hall.py`.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import uvloop
import websockets

import usage
from parlour.core import intents as it
from parlour.core.game import Position, Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import MODERATOR
from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.limits import RequestLimits
from parlour.net.accounts.principals import of_account
from parlour.net.doors import HttpDoor
from parlour.net.hall import Hall
from parlour.net.setup import HallLimits, MatchSetup
from parlour.net.stand_ins import Sitter
from parlour.referee.conduct import DIPLOMACY
from parlour.store import RecordHead, RecordKind, Seating, SQLiteStore, Write
from parlour.web.site import Site
from referee import overhead

POWERS = [Seat(power) for power in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")]
PRESS = PressTerms(PressMode.ANYTIME, level=8000, max_per_turn=100_000)
SETUP = MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY, Clock(per_turn=86_400), PRESS))
VIEWERS = 500
YEARS = 10
SLEEPERS = 60
ROUNDS = 6
MESSAGES = 20
"""Number of messages per turn in a match whose memory is measured."""

missed: list[str] = []


def row(what: str, found: float, unit: str, limit: float | None = None) -> None:
    """Print one line: the name, the figure, and its limit."""
    told = "" if limit is None else f"limit {limit:8.2f}   {'met' if found <= limit else 'MISSED'}"
    if limit is not None and found > limit:
        missed.append(what)
    print(f"{what:62} {found:10.2f} {unit:4} {told}", flush=True)


class TimedStore(SQLiteStore):
    """A store that records the waiting time of each commit."""

    def __init__(self, path: Path) -> None:
        self.commits: list[float] = []
        super().__init__(path)

    async def keep(self, *writes: Write) -> None:
        """Store the writes, and record the time."""
        begun = time.perf_counter()
        await super().keep(*writes)
        self.commits.append(time.perf_counter() - begun)


async def seated(hall: Hall) -> str:
    """Return a running match with seven players."""
    match = await hall.open(SETUP)
    for seat in POWERS:
        sitter = Sitter(seat.lower(), of_account(seat.lower()))
        await hall.submit(match, it.Join(seat.lower(), seat), sitter=sitter)
    return match


async def answers(hall: Hall, rate: float, seconds: float, matches: list[str]) -> tuple[list[float], float]:
    """Return the latencies of intents at a steady rate, spread over matches, and the CPU time of all."""
    found: list[float] = []
    begun, cpu = time.perf_counter(), time.process_time()

    async def one(number: int) -> None:
        start = time.perf_counter()
        answer = (await hall.submit(matches[number % len(matches)], it.Say(POWERS[number % 7], f"number {number}")))[0]
        found.append(time.perf_counter() - start)
        assert answer.refusal is None

    async with asyncio.TaskGroup() as group:
        for number in range(int(rate * seconds)):
            if (early := begun + number / rate - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            group.create_task(one(number))
    return found, time.process_time() - cpu


async def speed(folder: Path) -> None:
    """Print the figures of intents and awake matches."""
    with TimedStore(folder / "speed.db") as store:
        hall = Hall(store)
        await hall.start()
        few = [await seated(hall) for _ in range(50)]
        store.commits.clear()
        intents, cpu = await answers(hall, 1000, 3, few)
        commit = statistics.median(store.commits)
        row("the store's own commit at 1,000 intents a second, p50", commit * 1e3, "ms")
        row("intent to durable answer beyond it, p50", (statistics.median(intents) - commit) * 1e3, "ms", 1.0)
        row("CPU of an intent, its commit included", cpu / len(intents) * 1e6, "µs")
        many = few + [await seated(hall) for _ in range(950)]
        _, cpu = await answers(hall, 1000, 3, many)
        row("1,000 awake matches, one intent a second each: of a core", cpu / 3 * 100, "%", 50.0)
        await hall.close()


# Viewers


async def look_on(port: int, match: str) -> None:
    """Open pages of one match that read all events until a line arrives on stdin; print when all are connected."""

    async def page() -> None:
        async with websockets.connect(f"ws://127.0.0.1:{port}/match/{match}/line", compression=None) as socket:
            await socket.send("{}")
            await socket.recv()
            welcomed.release()
            async for _ in socket:
                pass

    welcomed = asyncio.Semaphore(0)
    pages = []
    for _ in range(VIEWERS):  # one after the other: a crowd from one address would have to wait
        pages.append(asyncio.ensure_future(page()))
        await welcomed.acquire()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for each in pages:
        each.cancel()


async def viewers(folder: Path) -> None:
    """Print the cost of 500 pages of one match, each with a socket of its own, in another program."""
    with SQLiteStore(folder / "viewers.db") as store:
        hall, accounts = Hall(store), Accounts(store)
        await hall.start()
        match = await seated(hall)
        site = Site(hall, accounts, limits=RequestLimits(1e6, 1e6))
        door = HttpDoor(site.app(), host="127.0.0.1", port=0, connections=2000, connections_of_one=2000)
        await door.open()
        serving = asyncio.ensure_future(door.run())
        alone = await _told(hall, match)
        command = [sys.executable, __file__, "look on", door.address.rpartition(":")[2].rstrip("/"), match]
        process = await asyncio.create_subprocess_exec(
            *command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, limit=1 << 20
        )
        assert process.stdout is not None
        await process.stdout.readline()
        together = await _told(hall, match)
        await process.communicate(b"\n")
        row(f"{VIEWERS} viewers with sockets, each an event, CPU", (together - alone) / VIEWERS * 1e6, "µs", 30.0)
        await door.close()
        await asyncio.wait([serving])
        site.close()
        await hall.close()
        accounts.close()


async def _told(hall: Hall, match: str, events: int = 60) -> float:
    """Return the CPU seconds of one event, from its intent until all viewers were sent it."""
    cpu = time.process_time()
    for number in range(events):
        await hall.submit(match, it.Say(POWERS[number % 7], f"number {number}"))
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.5)
    return (time.process_time() - cpu) / events


# Memory and waking


async def memory(folder: Path) -> None:
    """Print the memory of an awake match after years of play and press, and the time to wake one."""
    with SQLiteStore(folder / "memory.db") as store:
        hall = Hall(store, limits=HallLimits(thinking=1))
        await hall.start()
        long = await seated(hall)
        while store.length(long) < 1000:
            await turn(hall, long, 7)
        times = []
        for _ in range(20):
            hall.sleep(long)
            begun = time.process_time()
            await hall.wake(long)
            times.append(time.process_time() - begun)
        row("waking a match of 1,000 events, CPU", statistics.median(times) * 1e3, "ms", 10.0)
        hall.sleep(long)
        played = [await seated(hall) for _ in range(3)]
        for match in played:
            while (await hall.head(match)).turn < 3 * YEARS:
                await turn(hall, match, MESSAGES)
        names = [*played]
        for name in names:
            hall.sleep(name)
        await _measured(hall, f"an awake match after {YEARS} years with press", names, _nobody)
        await _measured(hall, "the same with six agents of the house", names, _house)
        await _asleep(hall, "a match that sleeps again", _nobody)
        await _asleep(hall, "the same with six agents of the house, asleep", _house)
        await hall.close()


async def _measured(hall: Hall, what: str, names: list[str], prepare: Callable[[Hall, str], object]) -> None:
    tracemalloc.start()
    for name in names:
        prepare(hall, name)
        await hall.wake(name)  # so that all that matches share is loaded
        await _fall_asleep(hall, name)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for name in names:
        await hall.wake(name)
    gc.collect()
    awake = (tracemalloc.get_traced_memory()[0] - before) / len(names) / 1024
    tracemalloc.stop()
    for name in names:
        await _fall_asleep(hall, name)
    row(what, awake, "KB", 200.0)


async def _asleep(hall: Hall, what: str, prepare: Callable[[Hall, str], object]) -> None:
    """Print the memory that a match keeps after its sleep, from many matches and several rounds."""
    names = [await seated(hall) for _ in range(SLEEPERS)]
    for name in names:
        hall.sleep(name)
        prepare(hall, name)
    tracemalloc.start()
    left = []
    for _ in range(ROUNDS):
        for name in names:
            await hall.wake(name)
        for name in names:
            await _fall_asleep(hall, name)
        await asyncio.sleep(0.1)  # until cancelled tasks have ended
        gc.collect()
        left.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    row(what, max(0.0, left[-1] - left[1]) / (ROUNDS - 2) / SLEEPERS / 1024, "KB", 0.1)


async def _fall_asleep(hall: Hall, name: str) -> None:
    while not hall.sleep(name):  # noqa: ASYNC110 - its agents still think
        await asyncio.sleep(0.01)


def _nobody(hall: Hall, match: str) -> None:
    pass


def _house(hall: Hall, match: str) -> None:
    """Seat house agents in the store on all seats but one; with all seats they would play on automatically."""
    hall.store.write(*(Seating(match, seat, "random", "", "random") for seat in POWERS[1:]))


_chance = random.Random(1)


async def turn(hall: Hall, match: str, messages: int) -> None:
    """Play one random turn, with press."""
    for number in range(messages):
        await hall.submit(match, it.Say(POWERS[number % 7], "PRP ( PCE ( ENG FRA ) )", (POWERS[(number + 3) % 7],)))
    position: Position | None = (await hall.view(match, MODERATOR)).position
    assert position is not None
    for seat in position.to_act():
        await hall.submit(match, it.Act(seat, position.sample(seat, _chance)))


async def start(folder: Path) -> None:
    """Print the time and memory to start on a store with 10,000 sleeping matches."""
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
    """Print every row, and at the end those that miss their limit."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for part in (start, speed, viewers, memory):
            uvloop.run(part(Path(folder)))  # as `parlour serve` does
    bare, refereed = overhead()
    row("overhead of the referee, a turn", refereed - bare, "µs", 20.0)
    print(f"missed: {'; '.join(missed) or 'none'}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["look on"]:
        asyncio.run(look_on(int(sys.argv[2]), sys.argv[3]))
    else:
        usage.parser(__doc__).parse_args()
        main()
