"""Clients of a DAIDE table without sockets: each says something and hears what it would have heard on a wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.net.daide.guest import DaideGuest
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.places import Gate
from parlour.net.daide.reception import Reception
from parlour.net.daide.tokens import Codec, written
from parlour.net.framing.frames import HEADER, FrameReader
from parlour.net.hall import Hall
from parlour.store import open_store
from support.daide.wire import tokens
from support.waiting import PATIENCE

POWERS = ("AUS", "ENG", "FRA", "GER", "ITA", "RUS", "TUR")
HOLDS = {
    "AUS": "( ( AUS AMY BUD ) HLD ) ( ( AUS FLT TRI ) HLD ) ( ( AUS AMY VIE ) HLD )",
    "ENG": "( ( ENG FLT EDI ) HLD ) ( ( ENG FLT LON ) HLD ) ( ( ENG AMY LVP ) HLD )",
    "FRA": "( ( FRA FLT BRE ) HLD ) ( ( FRA AMY MAR ) HLD ) ( ( FRA AMY PAR ) HLD )",
    "GER": "( ( GER AMY BER ) HLD ) ( ( GER FLT KIE ) HLD ) ( ( GER AMY MUN ) HLD )",
    "ITA": "( ( ITA FLT NAP ) HLD ) ( ( ITA AMY ROM ) HLD ) ( ( ITA AMY VEN ) HLD )",
    "RUS": "( ( RUS AMY MOS ) HLD ) ( ( RUS FLT SEV ) HLD ) ( ( RUS FLT ( STP SCS ) ) HLD ) ( ( RUS AMY WAR ) HLD )",
    "TUR": "( ( TUR FLT ANK ) HLD ) ( ( TUR AMY CON ) HLD ) ( ( TUR AMY SMY ) HLD )",
}


class Voice:
    """One client."""

    def __init__(self, reception: Reception, gate: Gate, address: str = "") -> None:
        self.guest = DaideGuest(reception, gate, self._take, self._hang_up, lambda: address, self._probe)
        self.alive = True
        """False once the line is dead, of which nobody has been told."""
        self.codec: Codec = gate.codec
        self.shown_out = False
        self._heard: list[str] = []
        self._frames = FrameReader(max_body=1 << 16)

    def _take(self, frames: bytes) -> None:
        self._heard += [written(self.codec.decode(frame[HEADER:])) for frame in self._frames.feed(frames)]

    def _hang_up(self) -> None:
        self.shown_out = True

    async def _probe(self) -> bool:
        if not self.alive:
            await self.guest.leave()
        return self.alive

    async def say(self, *texts: str) -> list[str]:
        """Say something; all that was heard since anybody last listened."""
        for text in texts:
            body = self.codec.encode(tokens(text))
            if not (text.startswith("SUB") and self.guest.take_orders(body)):
                await self.guest.hear(body)
        await self.guest.settled()
        return self.heard()

    async def ask(self, text: str) -> str:
        """Say something that has one answer, which comes first; other news that came with it is dropped."""
        self.heard()
        return (await self.say(text))[0]

    def heard(self) -> list[str]:
        """Return the messages since the last call."""
        found, self._heard = self._heard, []
        return found

    async def sit(self, name: str, version: str = "1") -> None:
        """Sign up and take the seat."""
        heard = await self.say(f"NME ( '{name}' ) ( '{version}' )")
        assert heard[0] == f"YES ( NME ( '{name}' ) ( '{version}' ) )"
        await self.say(f"YES ( {heard[1]} )")


@dataclass
class Clock:
    """Time that stands still until it is moved."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class DaideTable:
    """A hall with its reception, and whoever sits there."""

    hall: Hall
    reception: Reception
    gate: Gate
    clock: Clock
    voices: dict[str, Voice] = field(default_factory=dict)

    def newcomer(self, address: str = "") -> Voice:
        return Voice(self.reception, self.gate, address)

    async def seven(self, match: str = "table") -> dict[str, Voice]:
        """Return all seats taken, and the first position heard."""
        for power in POWERS:
            voice = self.voices[power] = self.newcomer()
            await voice.sit(f"{power}:bot@{match}", "v 0.1")
        for voice in self.voices.values():
            voice.heard()
        return self.voices

    async def play(self, orders: dict[str, str]) -> None:
        """Everybody orders that, or holds; in spring 1901."""
        for power, voice in self.voices.items():
            await voice.say(f"SUB {orders.get(power, HOLDS[power])}")

    async def pass_time(self, seconds: float, match: str = "table") -> None:
        self.clock.now += seconds
        await (await self.hall.wake(match)).table.tick()

    def seat(self, power: str) -> Seat:
        return self.gate.lexicon.seat_of[power]


@asynccontextmanager
async def table(path: Path, options: DaideOptions, gate: Gate, **more: Any) -> AsyncIterator[DaideTable]:
    clock = Clock()
    with open_store(str(path / "store.db")) as store:
        hall = Hall(store, clock=clock)
        await hall.start()
        reception = Reception(hall, options, **more)
        await reception.open()
        try:
            yield DaideTable(hall, reception, gate, clock)
        finally:
            await hall.close()


def at_table(
    path: Path, scene: Callable[[DaideTable], Awaitable[None]], options: DaideOptions | None = None, **more: Any
) -> None:
    """Play a scene at a new table."""
    gate = more.pop("gate", None) or Gate()

    async def whole() -> None:
        async with asyncio.timeout(PATIENCE), table(path, options or DaideOptions(), gate, **more) as found:
            await scene(found)

    asyncio.run(whole())


def winter_position() -> str:
    """France has a centre more than units, everybody else as many."""
    start = Position.start()
    spring = start.resolve({"FRANCE": ["F BRE - MAO", "A PAR - GAS"]})
    fall = spring.resolve({"FRANCE": ["F MAO - POR"]})
    assert fall.phase == "W1901A"
    return str(fall.encode())
