"""Cost of durability: latency from append to acknowledgement at 1,000 events per second, beside one commit per event.

Open loop with Poisson arrivals of 200-byte events from 50 matches. Prints the median, the 95th and 99th percentile.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import usage
from parlour.store import Entries, SQLiteStore, open_store

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.store.postgres import NoPostgres, PostgresServer

BODY = os.urandom(200)
TARGET = 0.002


async def _latencies(append: Callable[[str, int], Awaitable[None]], rate: float, seconds: float) -> list[float]:
    rng = random.Random(7)
    found: list[float] = []
    numbers = [0] * 50

    async def one(match: int, number: int) -> None:
        begun = time.perf_counter()
        await append(f"m{match}", number)
        found.append(time.perf_counter() - begun)

    async with asyncio.TaskGroup() as tasks:
        begun = due = time.perf_counter()
        while due - begun < seconds:
            due += rng.expovariate(rate)
            if (wait := due - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            match = rng.randrange(50)
            tasks.create_task(one(match, numbers[match]))
            numbers[match] += 1
    return found


async def grouped(path: Path, rate: float, seconds: float) -> list[float]:
    """Return the latencies of Parlour's store: one writer with group commit."""
    store = SQLiteStore(path)
    try:
        return await _latencies(lambda match, number: store.keep(Entries(match, number, (BODY,))), rate, seconds)
    finally:
        store.close()


async def on_postgres(address: str, rate: float, seconds: float) -> list[float]:
    """Return the latencies of the same writer on PostgreSQL."""
    with open_store(address) as store:
        return await _latencies(lambda match, number: store.keep(Entries(match, number, (BODY,))), rate, seconds)


async def one_by_one(path: Path, rate: float, seconds: float) -> list[float]:
    """Return the latencies of one commit per event, one after the other in a thread."""
    SQLiteStore(path).close()
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    turn = asyncio.Lock()

    async def append(match: str, number: int) -> None:
        async with turn:
            await asyncio.to_thread(connection.execute, "INSERT INTO entry VALUES (?, ?, 1, ?)", (match, number, BODY))

    try:
        return await _latencies(append, rate, seconds)
    finally:
        connection.close()


def _row(name: str, rate: float, found: list[float]) -> float:
    cuts = statistics.quantiles(found, n=100)
    print(
        f"{name:24} {rate:>8,.0f} {len(found):>8,} {cuts[49] * 1e3:>9.2f} {cuts[94] * 1e3:>9.2f} {cuts[98] * 1e3:>9.2f}"
    )
    return cuts[49]


def main() -> None:
    """Measure both ways and print them side by side."""
    print(f"{'append to durable, ms':24} {'events/s':>8} {'events':>8} {'median':>9} {'p95':>9} {'p99':>9}")
    with tempfile.TemporaryDirectory() as folder:
        median = _row("group commit", 1000, asyncio.run(grouped(Path(folder, "a.db"), 1000, 5)))
        _row("one commit per event", 1000, asyncio.run(one_by_one(Path(folder, "b.db"), 1000, 5)))
        _row("group commit", 5000, asyncio.run(grouped(Path(folder, "c.db"), 5000, 2)))
        _row("one commit per event", 5000, asyncio.run(one_by_one(Path(folder, "d.db"), 5000, 2)))
    try:
        with PostgresServer() as server:
            for rate, seconds in ((1000, 5), (5000, 2)):
                _row("group commit, PostgreSQL", rate, asyncio.run(on_postgres(server.new_schema(), rate, seconds)))
    except NoPostgres as reason:
        print(f"PostgreSQL is left out: {reason}")
    verdict = "met" if median <= TARGET else "MISSED"
    print(f"target: median at 1,000 events/s at most {TARGET * 1e3:.0f} ms: {verdict}")


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
