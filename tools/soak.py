"""Kills stores, halls and servers again and again under traffic and prints what came: `tools/soak.py [--kills 1000]`.

Acknowledged must be there, refused must not, nothing twice. What `make test` does tens of times, this does thousands;
with `--minutes 30` as often as that time allows, the same time for each part.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

import hall_traffic  # noqa: E402 - found beside the tests
from door_traffic import FishTraffic, HttpTraffic, Server  # noqa: E402 - found beside the tests
from parlour.store import open_store  # noqa: E402
from postgres_server import NoPostgres, PostgresServer  # noqa: E402 - found beside the tests
from store_traffic import complaints  # noqa: E402

PARTS = 10


class Stint(NamedTuple):
    """How long one part goes on: so many kills, and no longer than so many seconds."""

    kills: int
    seconds: float

    def rounds(self) -> Iterator[int]:
        """The numbers of the kills, as long as there is time."""
        until = time.monotonic() + self.seconds
        for number in range(self.kills):
            if number and time.monotonic() > until:
                return
            yield number


class Figures:
    """What a row of the table says."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kills = self.kept = self.refused = 0
        self.wrong: list[str] = []
        self.begun = time.perf_counter()

    def count(self, lines: list[bytes]) -> None:
        """Count what the writer said."""
        self.kept += sum(line.startswith(b"kept") for line in lines)
        self.refused += sum(line.startswith(b"refused") for line in lines)

    def show(self) -> None:
        """Print the row, and what was wrong."""
        seconds = time.perf_counter() - self.begun
        counts = f"{self.kills:>8,} {self.kept:>13,} {self.refused:>9,} {len(self.wrong):>7,}"
        print(f"{self.name:32}{counts} {seconds:>8.0f} s", flush=True)
        for complaint in self.wrong[:20]:
            print(f"    {complaint}")


def start(address: str, run: str, traffic: str = "store_traffic.py") -> subprocess.Popen[bytes]:
    """A writer, writing."""
    return subprocess.Popen([sys.executable, str(TESTS / traffic), address, run], stdout=subprocess.PIPE)


def take(stream: IO[bytes] | None, count: int) -> list[bytes]:
    """So many lines that the writer says."""
    assert stream is not None
    lines = [stream.readline() for _ in range(count)]
    if not all(lines):
        raise SystemExit("the writer ended by itself")
    return lines


def killed(writer: subprocess.Popen[bytes]) -> list[bytes]:
    """kill -9; what it had said until then."""
    assert writer.stdout is not None
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.readlines()
    writer.wait()
    return rest


def kill_writers(name: str, addresses: list[str], stint: Stint, chance: random.Random) -> Figures:
    """Kill one writer after the other, each after a random number of answers; every store is killed in turn."""
    figures = Figures(name)
    for number in stint.rounds():
        address = addresses[number % len(addresses)]
        writer = start(address, f"run{number}")
        lines = take(writer.stdout, chance.randrange(1, 400)) + killed(writer)
        figures.kills += 1
        figures.count(lines)
        with open_store(address) as store:
            figures.wrong += complaints(store, lines)
    figures.show()
    return figures


def kill_halls(name: str, address: str, stint: Stint, chance: random.Random) -> Figures:
    """Kill one hall after the other on the same store: its matches go on, and every answer since the first holds."""
    figures = Figures(name)
    lines: list[bytes] = []
    for number in stint.rounds():
        hall = start(address, f"run{number}", "hall_traffic.py")
        said = take(hall.stdout, chance.randrange(1, 300)) + killed(hall)
        figures.kills += 1
        figures.count(said)
        lines += said
        if number % 50 == 49:  # a record that grows takes its time to be looked through
            with open_store(address) as store:
                figures.wrong += hall_traffic.complaints(store, lines)
    with open_store(address) as store:
        figures.wrong += hall_traffic.complaints(store, lines)
    figures.show()
    return figures


def kill_http(name: str, address: str, stint: Stint, chance: random.Random) -> Figures:
    """Kill `parlour serve` again and again under traffic at its HTTP door, always on the same store."""
    figures = Figures(name)
    with Server(address) as server:
        traffic = HttpTraffic(server, chance.randrange(1 << 30))
        for number in stint.rounds():
            server.start()
            asyncio.run(traffic.until_killed(chance.randrange(1, 150)))
            figures.kills += 1
            if number % 25 == 24:  # a record that grows takes its time to be looked through
                with open_store(address) as store:
                    figures.wrong += traffic.complaints(store)
        with open_store(address) as store:
            figures.wrong += traffic.complaints(store)
    figures.kept, figures.refused = len(traffic.kept), len(traffic.refused)
    figures.show()
    return figures


def kill_database_behind_http(name: str, database: PostgresServer, stint: Stint, chance: random.Random) -> Figures:
    """Kill all processes of the database again and again while a server on it has traffic at its HTTP door."""
    figures = Figures(name)
    address = database.new_schema()
    with Server(address) as server:
        traffic = HttpTraffic(server, chance.randrange(1 << 30))
        server.start()

        async def one() -> None:
            talking = asyncio.ensure_future(traffic.until_answered(100))
            await asyncio.sleep(chance.uniform(0.0, 1.0))
            await asyncio.to_thread(database.kill)
            if not await asyncio.to_thread(database.start):
                raise SystemExit("the server did not start again")
            await talking

        for _ in stint.rounds():
            asyncio.run(one())
            figures.kills += 1
    with open_store(address) as store:
        figures.wrong += traffic.complaints(store)
    figures.kept, figures.refused = len(traffic.kept), len(traffic.refused)
    figures.show()
    return figures


def kill_fish(name: str, addresses: Iterator[str], stint: Stint, chance: random.Random) -> Figures:
    """Kill `parlour serve` again and again under tournaments at its Fish door, a few times in each."""
    figures = Figures(name)
    for _ in stint.rounds():
        if figures.kills >= stint.kills:
            break
        address = next(addresses)
        with Server(address, *FishTraffic.SETTINGS) as server:
            traffic = FishTraffic(server, address, chance.randrange(1 << 30))
            figures.wrong += asyncio.run(traffic.killed(min(5, stint.kills - figures.kills)))
        figures.kills += traffic.kills
        figures.kept += traffic.moves
    figures.show()
    return figures


def kill_servers(server: PostgresServer, stint: Stint, chance: random.Random) -> Figures:
    """Kill all processes of the database again and again under one writer, then look at everything it was told."""
    figures = Figures("PostgreSQL, all server processes")
    address = server.new_schema()
    writer = start(address, "run")
    lines = take(writer.stdout, 50)
    for _ in stint.rounds():
        server.kill()
        figures.kills += 1
        if not server.start():
            raise SystemExit("the server did not start again")
        lines += take(writer.stdout, chance.randrange(1, 400))
    lines += killed(writer)
    figures.count(lines)
    with open_store(address) as store:
        figures.wrong += complaints(store, lines)
    figures.show()
    return figures


def main() -> None:
    """Run every part and fail if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="for each part (default 1000)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="altogether, at most (default: for ever)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, stint = random.Random(options.seed), Stint(options.kills, options.minutes * 60 / PARTS)
    print(f"{'kill -9 of':32}{'kills':>8} {'acknowledged':>13} {'refused':>9} {'wrong':>7} {'time':>10}")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        found.append(kill_writers("SQLite, the writer", [f"{folder}/{n}.db" for n in range(10)], stint, chance))
        found.append(kill_halls("a hall on SQLite", f"{folder}/hall.db", stint, chance))
        found.append(kill_http("HTTP door on SQLite", f"{folder}/http.db", stint, chance))
        paths = (f"{folder}/fish{number}.db" for number in itertools.count())
        found.append(kill_fish("Fish door on SQLite", paths, stint, chance))
    try:
        with PostgresServer() as server:
            found.append(kill_halls("a hall on PostgreSQL", server.new_schema(), stint, chance))
            addresses = [server.new_schema() for _ in range(10)]
            found.append(kill_writers("PostgreSQL, the writer", addresses, stint, chance))
            found.append(kill_servers(server, stint, chance))
            found.append(kill_http("HTTP door on PostgreSQL", server.new_schema(), stint, chance))
            found.append(kill_database_behind_http("HTTP door, server processes", server, stint, chance))
            schemas = (server.new_schema() for _ in itertools.count())
            found.append(kill_fish("Fish door on PostgreSQL", schemas, stint, chance))
    except NoPostgres as reason:
        print(f"PostgreSQL is left out: {reason}")
    sys.exit(any(figures.wrong for figures in found))


if __name__ == "__main__":
    main()
