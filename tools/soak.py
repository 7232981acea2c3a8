"""Kills stores, halls, servers and databases under traffic and prints the results: `tools/soak.py [--minutes 60]`.

Acknowledged writes must be stored, refused ones must not, and nothing twice. `make test` kills tens of times, this tool
thousands of times. The parts take turns in shifts of a few kills, each on a new store, so that the figures grow evenly;
one shift per processor runs at a time. After a stop (Ctrl-C, SIGTERM) the table so far is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from parlour.store import RecordKind, open_store, read_events  # noqa: E402
from parlour.store.schema import VERSION  # noqa: E402
from support.daide import world as daide_world  # noqa: E402 - these are found beside the tests
from support.fish import world as fish_world  # noqa: E402
from support.hall import traffic as hall_traffic  # noqa: E402
from support.hall import world as hall_world  # noqa: E402
from support.mila import world as mila_world  # noqa: E402
from support.processes.nursery import Fork  # noqa: E402
from support.processes.siege import DatabaseStrike, Siege, besieged  # noqa: E402
from support.store import traffic as store_traffic  # noqa: E402
from support.store.postgres import NoPostgres, PostgresServer  # noqa: E402

SHIFT = 20
"""Kills of one shift."""
OLD = [TESTS / "store" / "fixtures" / f"version-{version}.db" for version in range(1, VERSION)]


class Figures:
    """The figures of a row of the table, or of one shift."""

    def __init__(self) -> None:
        self.kills = 0
        self.kept: Counter[str] = Counter()
        self.refused = 0
        self.wrong: list[str] = []
        self.seconds = 0.0

    def count(self, lines: list[bytes]) -> None:
        """Count the acknowledged and the refused answers of a writer."""
        self.kept["answers"] += sum(line.startswith(b"kept") for line in lines)
        self.refused += sum(line.startswith(b"refused") for line in lines)

    def add(self, other: Figures) -> None:
        """Add the figures of a shift."""
        self.kills += other.kills
        self.kept += other.kept
        self.refused += other.refused
        self.wrong += other.wrong
        self.seconds += other.seconds

    def line(self, name: str) -> str:
        """Return the row as text."""
        counts = f"{self.kills:>7,} {self.kept.total():>13,} {self.refused:>9,} {len(self.wrong):>7,}"
        doors = ", ".join(f"{door} {kept:,}" for door, kept in self.kept.items()) if len(self.kept) > 1 else ""
        return f"{name:36}{counts} {self.seconds:>7.0f} s  {doors}".rstrip()


class Soak:
    """The parts of the soak, each of which runs one shift at a time."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder, self._chance = folder, chance
        self._numbers = itertools.count()
        self.database: PostgresServer | None = None
        self.victim: PostgresServer | None = None
        """A database that is killed itself."""
        self._struck = asyncio.Lock()
        """Held by the part that kills the database, since no other part may use it meanwhile."""

    def parts(self) -> dict[str, Callable[[], Awaitable[Figures]]]:
        """Return the parts by the names of their rows."""
        found: dict[str, Callable[[], Awaitable[Figures]]] = {
            "all doors on SQLite": lambda: self._siege(self._path()),
            "store on SQLite, the writer": lambda: self._writers(self._path()),
            "hall on SQLite": lambda: self._halls(self._path()),
            "opening and migrating on SQLite": self._migrations,
            "simulated worlds (seeds, no kills)": self._worlds,
        }
        if (database := self.database) is not None and (victim := self.victim) is not None:
            found |= {
                "all doors on PostgreSQL": lambda: self._siege(database.new_schema()),
                "PostgreSQL itself, under all doors": lambda: self._behind_doors(victim),
                "store on PostgreSQL, the writer": lambda: self._writers(database.new_schema()),
                "PostgreSQL itself, under a writer": lambda: self._databases(victim),
                "hall on PostgreSQL": lambda: self._halls(database.new_schema()),
                "opening on PostgreSQL": self._schemas,
            }
        return found

    def _path(self) -> str:
        return str(self._folder / f"{next(self._numbers)}.db")

    def _fork(self, function: str, *arguments: str) -> Fork:
        return Fork(self._folder / f"{next(self._numbers)}.txt", function, *arguments)

    async def _heard(self, talker: Fork, lines: int) -> None:
        """Wait until the process has printed this number of further lines, and a moment longer."""
        before = len(talker.lines)
        while len(talker.lines) < before + lines:
            if not talker.alive:
                raise AssertionError(f"it ended by itself: {talker.lines[-20:]}")
            await asyncio.sleep(0.01)
        await asyncio.sleep(self._chance.uniform(0.0, 0.05))

    # Shifts

    async def _siege(self, address: str, strike: Callable[[Siege], Awaitable[None]] = Siege.life) -> Figures:
        figures, siege = Figures(), Siege(address, self._folder, random.Random(self._chance.random()))
        await besieged(siege, SHIFT, strike)
        figures.kills, figures.wrong = siege.kills, siege.wrong
        figures.kept.update({door: len(clients.kept) for door, clients in siege.clients.items()})
        figures.refused = sum(len(clients.refused) for clients in siege.clients.values())
        return figures

    async def _behind_doors(self, victim: PostgresServer) -> Figures:
        """Kill the database under a server that keeps running."""
        async with self._struck:
            return await self._siege(victim.new_schema(), DatabaseStrike(victim, self._chance))

    async def _writers(self, address: str) -> Figures:
        """Start one writer after the other, and kill each at a random moment, often before it has begun."""
        figures = Figures()
        for number in range(SHIFT):
            with self._fork("support.store.traffic:write", address, f"run{number}") as writer:
                await asyncio.sleep(self._chance.uniform(0.0, 0.5))
            figures.kills += 1
            figures.count(writer.lines)
            with open_store(address) as store:
                figures.wrong += store_traffic.complaints(store, writer.lines)
            writer.forget()
        return figures

    async def _halls(self, address: str) -> Figures:
        """Start one hall after the other on the same store, and kill it; all acknowledged answers must hold."""
        figures, lines = Figures(), list[bytes]()
        for number in range(SHIFT):
            with self._fork("support.hall.traffic:play", address, f"run{number}") as hall:
                await self._heard(hall, self._chance.randrange(60))
            figures.kills += 1
            lines += hall.lines
            hall.forget()
        figures.count(lines)
        with open_store(address) as store:
            figures.wrong += await asyncio.to_thread(hall_traffic.complaints, store, lines)
        return figures

    async def _databases(self, victim: PostgresServer) -> Figures:
        """Kill processes of the database repeatedly under one writer, then check all of its answers."""
        async with self._struck:
            return await self._under_a_writer(victim)

    async def _under_a_writer(self, victim: PostgresServer) -> Figures:
        figures, address = Figures(), victim.new_schema()
        with self._fork("support.store.traffic:write", address, "run") as writer:
            for _ in range(SHIFT):
                await self._heard(writer, self._chance.randrange(100))
                await DatabaseStrike(victim, self._chance).strike()
                figures.kills += 1
        figures.count(writer.lines)
        with open_store(address) as store:
            figures.wrong += store_traffic.complaints(store, writer.lines)
        writer.forget()
        return figures

    async def _migrations(self) -> Figures:
        """Kill a process that migrates an old store or makes a new one; the next process must finish the work."""
        figures = Figures()
        for number in range(SHIFT):
            path, wanted = self._path(), dict[str, list[bytes]]()
            if number % 4:
                old = self._chance.choice(OLD)
                with open_store(str(old), read_only=True) as store:
                    wanted = {head.id: list(store.entries(head.id)) for head in store.heads()}
                shutil.copy(old, path)
            await self._opened(path, figures, wanted)
            for file in self._folder.glob(f"{Path(path).name}*"):
                file.unlink()
        return figures

    async def _schemas(self) -> Figures:
        """Kill a process that makes a store in an empty schema."""
        assert self.database is not None
        figures = Figures()
        for _ in range(SHIFT):
            await self._opened(self.database.new_schema(), figures, {})
        return figures

    async def _opened(self, address: str, figures: Figures, wanted: dict[str, list[bytes]]) -> None:
        with self._fork("support.store.traffic:opened", address) as opening:
            await asyncio.sleep(self._chance.uniform(0.0, 0.1))
        opening.forget()
        figures.kills += 1
        with open_store(address) as store:
            found = {head.id: list(store.entries(head.id)) for head in store.heads()}
            if found != wanted:
                figures.wrong.append(f"{address}: {sorted(found)} are there of {sorted(wanted)}, version {VERSION}")
            figures.kept["answers"] += sum(map(len, found.values()))
            for head in store.heads():
                if head.kind is RecordKind.MATCH:
                    read_events(store, head.id)

    async def _worlds(self) -> Figures:
        """Run simulated worlds with new seeds."""
        figures = Figures()
        for simulate in (hall_world.simulate, daide_world.simulate, fish_world.simulate, mila_world.simulate):
            seed = self._chance.randrange(1 << 40)
            try:
                await asyncio.to_thread(simulate, seed)
            except AssertionError as error:
                figures.wrong.append(f"{simulate.__module__} {seed}: {str(error)[:300]}")
            figures.kept[simulate.__module__] += 1
        return figures


async def lane(turns: itertools.cycle[str], soak: Soak, rows: dict[str, Figures], until: Callable[[], bool]) -> None:
    """Run one shift after the other."""
    parts = soak.parts()
    while until():
        name = next(turns)
        began = time.perf_counter()
        try:
            figures = await parts[name]()
        except Exception:  # any error is a finding, and the other shifts continue
            figures = Figures()
            figures.wrong.append(traceback.format_exc())
        figures.seconds = time.perf_counter() - began
        rows[name].add(figures)
        total = sum(row.kills for row in rows.values())
        print(f"{figures.line(name)}  [{total:,} kills in all]", flush=True)
        for complaint in figures.wrong[:20]:
            print(f"    {complaint}", flush=True)


async def run(soak: Soak, options: argparse.Namespace, rows: dict[str, Figures]) -> None:
    """Run all lanes until the limit of kills or minutes."""
    turns = itertools.cycle(soak.parts())
    rows |= {name: Figures() for name in soak.parts()}
    end = time.monotonic() + options.minutes * 60

    def more() -> bool:
        return time.monotonic() < end and sum(row.kills for row in rows.values()) < options.kills

    async with asyncio.TaskGroup() as group:
        for _ in range(options.lanes):
            group.create_task(lane(turns, soak, rows, more))


def main() -> None:
    """Run every part in turn and fail if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=float, default=10_000, help="altogether (default 10,000)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="altogether, at most (default: for ever)")
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="shifts at a time")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rows: dict[str, Figures] = {}
    heading = f"{'kill -9 of':36}{'kills':>7} {'acknowledged':>13} {'refused':>9} {'wrong':>7} {'time':>9}"
    print(f"seed {options.seed}\n{heading}", flush=True)
    with ExitStack() as stack:
        soak = Soak(Path(stack.enter_context(tempfile.TemporaryDirectory())), random.Random(options.seed))
        try:
            soak.database, soak.victim = (stack.enter_context(PostgresServer()) for _ in range(2))
        except NoPostgres as reason:
            print(f"PostgreSQL is left out: {reason}")
        try:
            asyncio.run(run(soak, options, rows))
        except KeyboardInterrupt:
            print("stopped")
    print(f"\n{heading}")
    total = Figures()
    for name, figures in rows.items():
        print(figures.line(name))
        total.add(figures)
    print(total.line("all"))
    sys.exit(bool(total.wrong))


if __name__ == "__main__":
    main()
