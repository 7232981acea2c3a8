"""How fast the DAIDE door is: SUB and THX, idle bots, and a game of HoldBots beside the `diplomacy` package's server.

Run: python bench/daide.py

The server is a process of its own, and its processor time alone is counted; clients are in this process or in others.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

ROOT = Path(__file__).parents[1]

EXCHANGES, TABLES, TOGETHER = 10_000, 10, 3
BOTS, IDLE_SECONDS = 200, 5.0
LAST_YEAR, GAMES = 1910, 3
OPEN, SHUT, NME, MAP, MDF, HLO, YES, THX, NOW = 0x4000, 0x4001, 0x480C, 0x4809, 0x480A, 0x4804, 0x481C, 0x481A, 0x480E
SUB, HLD, SPRING, FALL = 0x4818, 0x4322, 0x4700, 0x4702
UNITS = {"AUS": "AMY VIE", "ENG": "FLT LON", "FRA": "AMY PAR", "GER": "AMY MUN", "ITA": "AMY ROM", "RUS": "AMY MOS",
         "TUR": "AMY CON"}  # fmt: skip
GOALS = {"AUS": "GAL", "ENG": "NTH", "FRA": "BUR", "GER": "BUR", "ITA": "TUS", "RUS": "UKR", "TUR": "BUL"}


class Pace(NamedTuple):
    """Turns a second, and seconds of the server's processor for each."""

    rate: float
    spent: float


class Served:
    """A DAIDE server of ours in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def cpu(self) -> float:
        """Seconds of processor time that it has used, in all its threads."""
        return cpu_of(self.process.pid)


def cpu_of(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def served() -> Iterator[Served]:
    """Our server with a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "serve", folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield Served(process, int(process.stdout.readline()))
            finally:
                process.terminate()


async def serve(folder: str) -> None:
    """What runs in that process."""
    from parlour.net.daide.door import DaideDoor
    from parlour.net.hall import Hall
    from parlour.store import open_store

    with open_store(str(Path(folder) / "store.db")) as store:
        hall = Hall(store)
        await hall.start()
        door = DaideDoor(hall, config={"last_year": LAST_YEAR})
        await door.open("127.0.0.1", 0)
        sys.stdout.write(f"{door.port}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


class Bot(asyncio.Protocol):
    """A client that looks only at what it waits for, so that clients are not what is measured."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._heard: deque[bytes] = deque()
        self._wanted, self._times = b"", 0
        self._found: asyncio.Future[bytes] | None = None
        self._transport: asyncio.Transport | None = None
        self.power = ""

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
            end = at + 4 + int.from_bytes(rest[at + 2 : at + 4], "big")
            if end > len(rest):
                break
            if rest[at] == 2:
                self._take(bytes(rest[at + 4 : end]))
            at = end
        del rest[:at]

    def _take(self, body: bytes) -> None:
        if self._found is None or self._found.done():
            self._heard.append(body)
        elif body.startswith(self._wanted):
            self._times -= 1
            if not self._times:
                self._found.set_result(body)

    def send(self, body: bytes) -> None:
        assert self._transport is not None
        self._transport.write(bytes((2, 0)) + len(body).to_bytes(2, "big") + body)

    async def until(self, word: int, times: int = 1) -> tuple[int, ...]:
        """The next message that begins with the word, or the one after so many; what comes before is dropped."""
        self._wanted, self._times = word.to_bytes(2, "big"), times
        found = self._found = asyncio.get_running_loop().create_future()
        heard, self._heard = self._heard, deque()
        for body in heard:
            self._take(body)
        body = await found
        return struct.unpack(f">{len(body) // 2}H", body)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


async def exchanges(server: Served) -> None:
    """Bots at several tables change an order again and again, and wait for THX: alone, or for several at once."""
    from parlour.games.diplomacy.map import standard
    from parlour.net.daide.sayings import words
    from parlour.net.daide.tokens import codec

    code = codec(standard())
    bots = [await Bot.open(server.port, f"{power}:sub@t{table}") for table in range(TABLES) for power in UNITS]
    for bot, power in zip(bots, [*UNITS] * TABLES, strict=True):
        await bot.until(HLO)
        bot.power = power

    async def change(bot: Bot, times: int, together: int) -> None:
        unit = f"{bot.power} {UNITS[bot.power]}"
        orders = [code.encode(words(f"SUB ( ( {unit} ) {order} )")) for order in ("HLD", f"MTO {GOALS[bot.power]}")]
        for number in range(times // together):
            for each in range(together):
                bot.send(orders[(number + each) % 2])
            await bot.until(THX, together)

    await asyncio.gather(*(change(bot, 2, 1) for bot in bots))  # what is made once is not counted
    for together in (1, TOGETHER):
        times = EXCHANGES // len(bots) // together * together
        begun, cpu = time.perf_counter(), server.cpu()
        await asyncio.gather(*(change(bot, times, together) for bot in bots))
        wall, spent = time.perf_counter() - begun, (server.cpu() - cpu) / (times * len(bots))
        how = "one after the other" if together == 1 else f"{together} at once"
        print(
            f"SUB and THX, {len(bots)} bots, {how:<20}{1 / spent:10,.0f} a second on one core"
            f" ({spent * 1e6:.0f} µs of the server's CPU, {times * len(bots) / wall:,.0f} a second here)"
        )
    for bot in bots:
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
    """Hold until the year is over; how many turns that took. It answers MIS of winters with what is due: nothing."""
    turns, me = 0, (await bot.until(HLO))[2]
    while True:
        now = await bot.until(NOW)
        if now[3] > last_year:
            return turns
        turns += 1
        units = [group for group in groups(now[1:])[1:] if group[0] == me]
        if now[2] in (SPRING, FALL):
            orders = [token for unit in units for token in (OPEN, OPEN, *unit, SHUT, HLD, SHUT)]
            bot.send(struct.pack(f">{len(orders) + 1}H", SUB, *orders))


def groups(tokens: tuple[int, ...]) -> list[list[int]]:
    """What stands in the outer brackets."""
    found: list[list[int]] = []
    depth = 0
    for token in tokens:
        depth -= token == SHUT
        if token == OPEN and not depth:
            found.append([])
        elif depth:
            found[-1].append(token)
        depth += token == OPEN
    return found


async def game(port: int, match: str) -> tuple[int, float]:
    """A game of seven HoldBots: how many turns, and the seconds from the first position to the last."""
    bots = [await Bot.open(port, f"{power}:hold{match}") for power in UNITS]
    begun = time.perf_counter()
    turns = await asyncio.gather(*(hold(bot, LAST_YEAR) for bot in bots))
    took = time.perf_counter() - begun
    for bot in bots:
        bot.close()
    return turns[0], took


async def games(server: Served) -> Pace:
    """Games on our server."""
    await game(server.port, "@first")  # what is made once is not counted
    cpu = server.cpu()
    played = [await game(server.port, f"@game{number}") for number in range(GAMES)]
    turns, seconds = sum(turns for turns, _ in played), sum(took for _, took in played)
    spent = (server.cpu() - cpu) / turns
    report(f"seven HoldBots to {LAST_YEAR}, ours", turns / seconds, spent)
    return Pace(turns / seconds, spent)


def report(what: str, rate: float, spent: float) -> None:
    """Print how fast games were."""
    print(f"{what:<45}{rate:10,.1f} turns a second, {spent * 1e3:.2f} ms of the server's CPU each")


async def peer() -> Pace:
    """The same on the server of the `diplomacy` package."""
    from parlour.net.client.connection import connect

    command = [sys.executable, str(ROOT / "tests" / "peers" / "original_server.py")]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: ASYNC220 - nothing else is to be done meanwhile
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        async with connect("127.0.0.1", port) as connection:
            channel = await connection.authenticate("bench", "bench")
            for match in ("first", "second"):
                await channel.create_game(game_id=match, rules=("REAL_TIME", "NO_PRESS", "POWER_CHOICE"))
                own, cpu = await connection.get_daide_port(match), cpu_of(process.pid)
                turns, seconds = await game(own, "")
            spent = (cpu_of(process.pid) - cpu) / turns
        process.terminate()
    report("the same, the diplomacy package's server", turns / seconds, spent)
    return Pace(turns / seconds, spent)


async def main() -> None:
    """Print every figure."""
    with served() as server:
        await exchanges(server)
        await idle(server)
        ours = await games(server)
    theirs = await peer()
    print(f"ours is {ours.rate / theirs.rate:.1f} times as fast, with {theirs.spent / ours.spent:.1f} times less CPU")


if __name__ == "__main__":
    import uvloop

    if sys.argv[1:2] == ["serve"]:
        uvloop.run(serve(sys.argv[2]))
    else:
        uvloop.run(main())
