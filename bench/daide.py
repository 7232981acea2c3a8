"""How fast the DAIDE door is: SUB and THX, idle bots, and a whole game of HoldBots.

Run: python bench/daide.py
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import sys
import tempfile
import time
from pathlib import Path

from parlour.games.diplomacy.map import standard
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.sayings import words
from parlour.net.daide.tokens import codec
from parlour.net.hall import Hall
from parlour.store import open_store

EXCHANGES, BOTS, IDLE_SECONDS, LAST_YEAR = 2000, 200, 5.0, 1910
OPEN, SHUT, NME, MAP, HLO, YES, THX = 0x4000, 0x4001, 0x480C, 0x4809, 0x4804, 0x481C, 0x481A
UNITS = {"AUS": "AMY VIE", "ENG": "FLT LON", "FRA": "AMY PAR", "GER": "AMY MUN", "ITA": "AMY ROM", "RUS": "AMY MOS"}


def main() -> None:
    """Print every figure."""
    asyncio.run(_ours())


async def _ours() -> None:
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "store.db")) as store:
        hall = Hall(store)
        await hall.start()
        door = DaideDoor(hall, config={"last_year": LAST_YEAR})
        await door.open("127.0.0.1", 0)
        try:
            await _exchanges(door)
            await _idle(door)
            await _game(door, hall)
        finally:
            await door.close()
            await hall.close()


async def _exchanges(door: DaideDoor) -> None:
    """One bot sends its order again and again, each time another one, and waits for THX."""
    bots = [await _Bot.open(door.port, f"sub{number}") for number in range(7)]
    try:
        hello = await bots[0].until(HLO)
        for bot in bots[1:]:
            await bot.until(HLO)
        code = codec(standard())
        mine = code.decode(struct.pack(">H", hello[2]))[0]
        order = code.encode(words(f"SUB ( ( {mine} {UNITS.get(str(mine), 'AMY CON')} ) HLD )"))
        begun, cpu = time.perf_counter(), time.process_time()
        for _ in range(EXCHANGES):
            bots[0].send(order)
            await bots[0].until(THX)
        wall, spent = time.perf_counter() - begun, time.process_time() - cpu
        rate = f"{EXCHANGES / wall:10,.0f} a second, {spent / EXCHANGES * 1e6:.0f} µs of CPU"
        print(f"SUB and THX, both sides in one process  {rate}")
    finally:
        for bot in bots:
            bot.close()


async def _idle(door: DaideDoor) -> None:
    bots = [await _Bot.open(door.port, f"idle{number}", play=False) for number in range(BOTS)]
    cpu = time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    spent = time.process_time() - cpu
    print(f"{BOTS} connected idle bots                   {spent / IDLE_SECONDS:10.2%} of one core")
    for bot in bots:
        bot.close()


async def _game(door: DaideDoor, hall: Hall) -> None:
    example = Path(__file__).parents[1] / "examples" / "daide_holdbot.py"
    begun, cpu = time.perf_counter(), time.process_time()
    command = (sys.executable, str(example), "127.0.0.1", str(door.port))
    quiet = asyncio.subprocess.DEVNULL
    bots = [await asyncio.create_subprocess_exec(*command, f"hold{n}@bench", stdout=quiet) for n in range(7)]
    await asyncio.gather(*(bot.wait() for bot in bots))
    wall, spent = time.perf_counter() - begun, time.process_time() - cpu
    turns = (await hall.head("bench")).turn
    rate = f"{turns / wall:10,.0f} phases a second, {spent / turns * 1e3:.2f} ms of CPU each"
    print(f"a game of seven HoldBots to {LAST_YEAR}          {rate}")


class _Bot:
    """A client that only counts."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int, name: str, *, play: bool = True) -> _Bot:
        bot = cls(*await asyncio.open_connection("127.0.0.1", port))
        bot._writer.write(bytes((0, 0, 0, 4)) + struct.pack(">HH", 1, 0xDA10))
        if play:
            signs = [0x4B00 | ord(sign) for sign in name]
            bot.send(struct.pack(f">{len(signs) + 6}H", NME, OPEN, *signs, SHUT, OPEN, 0x4B31, SHUT))
            found = await bot.until(MAP)
            bot.send(struct.pack(f">{len(found) + 3}H", YES, OPEN, *found, SHUT))
        return bot

    def send(self, body: bytes) -> None:
        self._writer.write(bytes((2, 0)) + len(body).to_bytes(2, "big") + body)

    async def until(self, word: int) -> tuple[int, ...]:
        while True:
            head = await self._reader.readexactly(4)
            length = int.from_bytes(head[2:], "big")
            body = struct.unpack(f">{length // 2}H", await self._reader.readexactly(length))
            if head[0] == 2 and body[0] == word:
                return body

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._writer.close()


if __name__ == "__main__":
    main()
