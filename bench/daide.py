"""Speed of the DAIDE door: SUB and THX, idle bots, and a game of HoldBots beside the `diplomacy` package's server.

Run: python bench/daide.py

The server is a process of its own, and its processor time alone is counted; clients are in this process. Beside each
rate of SUB and THX stands the floor: the cost of a bare protocol on the same loop that cuts the same frames and answers
each with one of the same length. On a busy machine it grows, too. THX comes when the order is stored; the floor and the
package's server store nothing. The two servers play their games in turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import usage

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples"))

import daide_holdbot as holdbot  # noqa: E402
from daide_holdbot import HLO, MAP, NME, NOW, OPEN, SHUT, SUB, YES  # noqa: E402

EXCHANGES, TABLES, TOGETHER = 10_000, 10, 3
BOTS, IDLE_SECONDS = 200, 5.0
LAST_YEAR, ROUNDS, GAMES = 1910, 2, 3
COMMITS, TURN_BYTES = 200, 4000
THX, SPRING, FALL = 0x481A, 0x4700, 0x4702
UNITS = {"AUS": "AMY VIE", "ENG": "FLT LON", "FRA": "AMY PAR", "GER": "AMY MUN", "ITA": "AMY ROM", "RUS": "AMY MOS",
         "TUR": "AMY CON"}  # fmt: skip
GOALS = {"AUS": "GAL", "ENG": "NTH", "FRA": "BUR", "GER": "BUR", "ITA": "TUS", "RUS": "UKR", "TUR": "BUL"}


class Pace:
    """The number of turns played, the seconds they took, and the server's CPU seconds."""

    turns, seconds, spent = 0, 0.0, 0.0

    def add(self, turns: int, seconds: float, spent: float) -> None:
        self.turns, self.seconds, self.spent = self.turns + turns, self.seconds + seconds, self.spent + spent

    def print(self, what: str) -> None:
        each = self.spent / self.turns * 1e3
        print(f"{what:<45}{self.turns / self.seconds:10,.1f} turns a second, {each:.2f} ms of the server's CPU each")


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def cpu(self) -> float:
        """Return the seconds of processor time that the server has used, in all its threads."""
        return cpu_of(self.process.pid)


def cpu_of(process: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def served(*command: str) -> Iterator[Served]:
    """Yield the server that a command starts; the command receives a folder for its store and prints its port first."""
    with tempfile.TemporaryDirectory() as folder:
        argv, pipe = [sys.executable, *command, folder], subprocess.PIPE
        with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None
            try:
                yield Served(process, int(process.stdout.readline()))
            finally:
                process.terminate()


async def serve(folder: str) -> None:
    """Serve in a process of its own until it is ended."""
    from parlour.net.daide.door import DaideDoor
    from parlour.net.hall import Hall
    from parlour.net.loops import settle_down
    from parlour.store import open_store

    with open_store(str(Path(folder) / "store.db")) as store:
        hall = Hall(store)
        await hall.start()
        door = DaideDoor(hall, config={"last_year": LAST_YEAR})
        await door.open()
        settle_down()  # as `parlour serve` does
        sys.stdout.write(f"{door.port}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


class Floor(asyncio.Protocol):
    """The least that a server can do: cut frames, and answer each with one that is as long as THX ( order ) ( MBV )."""

    def __init__(self) -> None:
        self._rest = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        data, at, answers = self._rest + data, 0, []
        while len(data) - at >= 4 and (end := at + 4 + int.from_bytes(data[at + 2 : at + 4], "big")) <= len(data):
            if data[at] == 2:
                body = THX.to_bytes(2, "big") + data[at + 6 : end] + b"@\0D\0@\1"
                answers.append(b"\2\0" + len(body).to_bytes(2, "big") + body)
            at = end
        self._rest = data[at:]
        assert self._transport is not None
        self._transport.write(b"".join(answers))


async def serve_floor() -> None:
    server = await asyncio.get_running_loop().create_server(Floor, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


class Bot(asyncio.Protocol):
    """A client that reads only the messages it waits for, so that the clients' cost does not count."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._heard: deque[bytes] = deque()
        self._wanted, self._times, self._listening = b"", 0, False
        self._found: asyncio.Future[bytes] | None = None
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, port: int, name: str = "") -> Bot:
        _, bot = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        if name:
            signs = [0x4B00 | ord(sign) for sign in name]
            bot.send(struct.pack(f">{len(signs) + 6}H", NME, OPEN, *signs, SHUT, OPEN, 0x4B31, SHUT))
            found = await bot.until(MAP)
            bot.send(struct.pack(f">{len(found) + 3}H", YES, OPEN, *found, SHUT))
        return bot

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(bytes((0, 0, 0, 4)) + struct.pack(">HH", 1, 0xDA10))

    def data_received(self, data: bytes) -> None:
        rest, at = self._rest, 0
        rest += data
        while len(rest) - at >= 4:
            end = at + 4 + (rest[at + 2] << 8 | rest[at + 3])
            if end > len(rest):
                break
            # Most messages are not waited for, and cost next to nothing.
            if rest[at] == 2 and (not self._listening or rest.startswith(self._wanted, at + 4)):
                self._take(bytes(rest[at + 4 : end]))
            at = end
        del rest[:at]

    def _take(self, body: bytes) -> None:
        if not self._listening:
            self._heard.append(body)
        elif body.startswith(self._wanted):
            self._times -= 1
            if not self._times:
                assert self._found is not None
                self._found.set_result(body)
                self._listening = False

    def send(self, body: bytes) -> None:
        assert self._transport is not None
        self._transport.write(bytes((2, 0)) + len(body).to_bytes(2, "big") + body)

    async def until(self, word: int, times: int = 1) -> tuple[int, ...]:
        """Return the next message that begins with the word, or the one of this number; drop all before it."""
        self._wanted, self._times, self._listening = word.to_bytes(2, "big"), times, True
        found = self._found = asyncio.get_running_loop().create_future()
        heard, self._heard = self._heard, deque()
        for body in heard:
            self._take(body)
        body = await found
        return struct.unpack(f">{len(body) // 2}H", body)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


async def exchanges(server: Served, floor: Served) -> None:
    """Print the cost of SUB and THX: bots at several tables change an order, and wait for one THX or for several."""
    from parlour.games.diplomacy.maps.map import standard
    from parlour.net.daide.server_messages import words
    from parlour.net.daide.tokens import codec

    code = codec(standard())
    powers = [*UNITS] * TABLES
    bots = [await Bot.open(server.port, f"{power}:sub@t{at // len(UNITS)}") for at, power in enumerate(powers)]
    for bot in bots:
        await bot.until(HLO)
    bare = [await Bot.open(floor.port) for _ in powers]

    async def change(bot: Bot, power: str, times: int, together: int) -> None:
        unit = f"{power} {UNITS[power]}"
        orders = [code.encode(words(f"SUB ( ( {unit} ) {order} )")) for order in ("HLD", f"MTO {GOALS[power]}")]
        for number in range(times // together):
            for each in range(together):
                bot.send(orders[(number + each) % 2])
            await bot.until(THX, together)

    async def spent(at: Served, all_of_them: list[Bot], times: int, together: int) -> tuple[float, float]:
        """Return the server's CPU seconds, and the wall seconds, of one exchange."""
        begun, cpu = time.perf_counter(), at.cpu()
        work = [change(bot, power, times, together) for bot, power in zip(all_of_them, powers, strict=True)]
        await asyncio.gather(*work)
        count = times * len(powers)
        return (at.cpu() - cpu) / count, (time.perf_counter() - begun) / count

    await spent(server, bots, 2, 1)  # what is made once is not counted
    for together in (1, TOGETHER):
        times = EXCHANGES // len(bots) // together * together
        cpu, wall = await spent(server, bots, times, together)
        least, _ = await spent(floor, bare, times, together)
        how = "one after the other" if together == 1 else f"{together} at once"
        print(
            f"SUB and THX, {len(bots)} bots, {how:<20}{1 / cpu:10,.0f} a second on one core"
            f" ({cpu * 1e6:.0f} µs of the server's CPU, floor {least * 1e6:.0f} µs; {1 / wall:,.0f} a second here)"
        )
    for bot in (*bots, *bare):
        bot.close()


async def idle(server: Served) -> None:
    bots = [await Bot.open(server.port) for _ in range(BOTS)]
    await asyncio.sleep(1)
    cpu = server.cpu()
    await asyncio.sleep(IDLE_SECONDS)
    spent = (server.cpu() - cpu) / IDLE_SECONDS
    print(f"{BOTS} connected idle bots                       {spent:10.2%} of one core")
    for bot in bots:
        bot.close()


async def hold(bot: Bot, last_year: int) -> int:
    """Hold until the last year is over, and return the number of turns; in winters nothing is due."""
    turns, me = 0, (await bot.until(HLO))[2]
    while True:
        now = await bot.until(NOW)
        if now[3] > last_year:
            return turns
        turns += 1
        if now[2] in (SPRING, FALL):
            orders = holdbot.order(own_units(now, me), holdbot.HLD)
            bot.send(struct.pack(f">{len(orders) + 1}H", SUB, *orders))


def own_units(now: tuple[int, ...], me: int) -> Iterator[tuple[int, ...]]:
    """Yield the units of a power in NOW, ( power kind place ); some places are in brackets."""
    at = 5
    while at < len(now):
        end = at + (8 if now[at + 3] == OPEN else 5)
        if now[at + 1] == me:
            yield now[at + 1 : end - 1]
        at = end


async def game(server: Served, port: int, match: str) -> tuple[int, float, float]:
    """Play a game of seven HoldBots; return the number of turns, the wall seconds, and the server's CPU seconds."""
    bots = [await Bot.open(port, f"{power}:hold{match}") for power in UNITS]
    begun, cpu = time.perf_counter(), server.cpu()
    turns = await asyncio.gather(*(hold(bot, LAST_YEAR) for bot in bots))
    took, spent = time.perf_counter() - begun, server.cpu() - cpu
    for bot in bots:
        bot.close()
    return turns[0], took, spent


def commit_time() -> float:
    """Return the median seconds of a commit like the store's commit of a turn; the other server makes none."""
    took = []
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(sqlite3.connect(f"{folder}/bare.db")) as bare:
        for line in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE bare (text BLOB)"):
            bare.execute(line)
        for _ in range(COMMITS):
            bare.execute("INSERT INTO bare VALUES (?)", (bytes(TURN_BYTES),))
            begun = time.perf_counter()
            bare.commit()
            took.append(time.perf_counter() - begun)
    return statistics.median(took)


async def games(ours: Served, theirs: Served) -> None:
    """Print the speed of the same games on both servers, played in turn, so that both see the same machine."""
    from parlour.net.client.connection import connect

    here, there = Pace(), Pace()
    async with connect("127.0.0.1", theirs.port) as connection:
        channel = await connection.authenticate("bench", "bench")
        for round in range(ROUNDS + 1):
            for number in range(GAMES):
                played = await game(ours, ours.port, f"@game{round}-{number}")
                if round:  # what is made once is not counted
                    here.add(*played)
            match = f"game{round}"
            await channel.create_game(game_id=match, rules=("REAL_TIME", "NO_PRESS", "POWER_CHOICE"))
            played = await game(theirs, await connection.get_daide_port(match), "")
            if round:
                there.add(*played)
    here.print(f"seven HoldBots to {LAST_YEAR}, ours")
    print(f"  of which a bare commit to this disk takes      {commit_time() * 1e3:10.2f} ms per turn")
    there.print("the same, the diplomacy package's server")
    faster = here.turns / here.seconds / (there.turns / there.seconds)
    less = there.spent / there.turns / (here.spent / here.turns)
    print(f"ours is {faster:.1f} times as fast, with {less:.1f} times less CPU")


async def main() -> None:
    """Print every figure."""
    with served(__file__, "serve") as server:
        with served(__file__, "floor") as floor:
            await exchanges(server, floor)
        await idle(server)
        with served(str(ROOT / "tests" / "peers" / "original_server.py")) as theirs:
            await games(server, theirs)


if __name__ == "__main__":
    import uvloop

    match sys.argv[1:]:
        case ["serve", folder]:
            uvloop.run(serve(folder))
        case ["floor", _]:
            uvloop.run(serve_floor())
        case _:
            usage.parser(__doc__).parse_args()
            uvloop.run(main())
