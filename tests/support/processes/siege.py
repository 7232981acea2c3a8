"""A server with all its doors on one store, its clients, and whoever kills it: a siege.

A life of the server begins with a fork and ends with kill -9, often while it is still starting, at any moment
otherwise. While the next one starts, what the last one acknowledged is looked up in the store.
"""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import random
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

from parlour.core.game import Seat
from parlour.net.accounts.tokens import digest_of
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.store import Account, Token, open_store
from support.doors.clients import Clients, DaideTalkers, FishPlayers, HttpTalkers, MilaTalkers, Ports
from support.doors.traffic import AT_WILL, HOST
from support.hall import traffic as hall_traffic
from support.hall.people import session_of
from support.processes.nursery import Fork
from support.processes.ports import free_port
from support.store.postgres import PostgresServer

HANGS = 300.0
"""Seconds after which something that always comes will not come; long, for the machine may be busy."""
TALKING = ("HTTP", "websocket", "DAIDE")
"""Doors at which everybody is answered soon."""


class Siege:
    """One store, the clients of all doors, and one server after the other."""

    def __init__(self, address: str, folder: Path, chance: random.Random) -> None:
        self.address, self.chance = address, chance
        self.kills = 0
        self.wrong: list[str] = []
        self._folder = folder
        self._ports = Ports(free_port(), free_port(), free_port())
        self._daide = DaideTalkers("daide", self._ports, chance)
        self.clients: dict[str, Clients] = {
            "HTTP": HttpTalkers("http", self._ports, chance),
            "websocket": MilaTalkers("mila", self._ports, chance),
            "DAIDE": self._daide,
            "Fish": FishPlayers(self._ports),
        }
        self._server: Fork | None = None
        self._numbers = itertools.count()
        self._starting = 0.2
        """Seconds that the last start took."""
        self._stopping, self._silent, self._over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._talking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._prepare()
        self._talking = asyncio.create_task(self._talk())
        try:
            await self.start()
            await self._until(lambda: self._daide.seated == 7, "DAIDE bots do not sit down")
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._talking is not None:
            self._talking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._talking
        if self._server is not None:
            self._server.kill()

    async def _prepare(self) -> None:
        """Accounts with their tokens, and two matches in which they sit."""
        with open_store(self.address) as store:
            for name in map(str.lower, hall_traffic.POWERS):
                await store.keep(Account(name, ""), Token(digest_of(name), name, "sign in", 0.0, math.inf))
            hall = Hall(store)
            await hall.start()
            for match in ("http", "mila"):
                await session_of(hall, "owner").open(
                    MatchSetup(game="diplomacy", terms=hall_traffic.TERMS, match=match)
                )
                for power in hall_traffic.POWERS:
                    await session_of(hall, power.lower()).join(match, Seat(power))
            await hall.close()

    async def _talk(self) -> None:
        """Let all talk; players of Fish stay until the server is dead, for whoever leaves a live one fails."""
        async with asyncio.TaskGroup() as playing:
            playing.create_task(self.clients["Fish"].talk(self._over))
            async with asyncio.TaskGroup() as talking:
                for door in TALKING:
                    talking.create_task(self.clients[door].talk(self._stopping))
            self._silent.set()

    # Lives

    async def start(self) -> None:
        """Begin a life, and wait until it has opened its last door."""
        self._fork()
        began = asyncio.get_running_loop().time()
        await self._until(self._is_open, "the server does not answer")
        self._starting = asyncio.get_running_loop().time() - began
        self._ports.open.set()

    async def life(self) -> None:
        """Kill the server at some moment; look, while the next one starts, at what the last one acknowledged."""
        await self.traffic()
        await self._killed()
        while self.chance.random() < 0.25:  # while it starts
            self._fork()
            await asyncio.sleep(self.chance.uniform(0.0, self._starting))
            await self._killed()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.start())
            group.create_task(self.look())

    async def traffic(self) -> None:
        """Let so many more answers be given, and a moment pass."""
        wanted = self.answers + self.chance.randrange(30)
        await self._until(lambda: self.answers >= wanted, "nobody is answered any more")
        await asyncio.sleep(self.chance.uniform(0.0, 0.02))

    @property
    def answers(self) -> int:
        """Return the number of acknowledged answers so far, at all doors."""
        return sum(len(clients.kept) + len(clients.refused) for clients in self.clients.values())

    async def look(self) -> None:
        """Return the differences from the acknowledged state."""
        self.wrong += await asyncio.to_thread(self._found, lambda clients: clients.complaints)

    async def end(self) -> None:
        """Let everybody come to an end, and look at everything."""
        await self._until(lambda: all(self.clients[door].kept for door in TALKING), "nobody is answered any more")
        self._stopping.set()
        await self._until(self._silent.is_set, "somebody does not come to an end")
        await self._killed()
        self.kills -= 1  # nothing was at stake any more
        self._over.set()
        assert self._talking is not None
        async with asyncio.timeout(HANGS):
            await self._talking
        self.wrong += await asyncio.to_thread(self._found, lambda clients: clients.verdict)

    def _found(self, method: Callable[[Clients], Callable[..., list[str]]]) -> list[str]:
        with open_store(self.address, read_only=True) as store:
            return [complaint for clients in self.clients.values() for complaint in method(clients)(store)]

    def _fork(self) -> None:
        ports = self._ports
        arguments = [f"{name}={value}" for name, value in AT_WILL.items()]
        arguments += ["--only", "http,fish,daide", "--store", self.address, *FishPlayers.SETTINGS]
        arguments += ["--http-port", str(ports.http), "--fish-port", str(ports.fish), "--daide-port", str(ports.daide)]
        arguments += ["--daide-level", "60", "--daide-mtl", "1", "--daide-years", "0"]
        said = self._folder / f"server{next(self._numbers)}.log"
        self._server = Fork(said, "support.processes.nursery:serve", *arguments)

    async def _killed(self) -> None:
        assert self._server is not None
        if not self._server.alive:
            self.wrong.append(f"the server ended by itself: {b''.join(self._server.lines)[-2000:].decode()}")
        await asyncio.to_thread(self._server.kill)
        self._server.forget()
        self._ports.open.clear()
        self.kills += 1

    def _is_open(self) -> bool:
        try:
            socket.create_connection((HOST, self._ports.daide)).close()
            return True
        except OSError:
            return False

    async def _until(self, reached: Callable[[], bool], otherwise: str) -> None:
        until = asyncio.get_running_loop().time() + HANGS
        while not reached():
            assert self._talking is not None
            assert self._server is not None
            if not self._server.alive:
                raise AssertionError(f"the server ended: {b''.join(self._server.lines)[-2000:].decode()}")
            if self._talking.done():
                self._talking.result()
            assert asyncio.get_running_loop().time() < until, otherwise
            await asyncio.sleep(0.01)


class DatabaseStrike:
    """Kills the database instead, under a server that lives on: one of its processes, or all of them."""

    def __init__(self, database: PostgresServer, chance: random.Random) -> None:
        self._database, self._chance = database, chance

    async def __call__(self, siege: Siege) -> None:
        await siege.traffic()
        await self.strike()
        siege.kills += 1
        await siege.look()

    async def strike(self) -> None:
        """Kill, and wait until the database answers again."""
        if self._chance.random() < 0.5:
            await asyncio.to_thread(self._database.kill_one, self._chance.random())
        else:
            await asyncio.to_thread(self._database.kill)
            assert await asyncio.to_thread(self._database.restart), "the database does not start again"


async def besieged(siege: Siege, kills: int, strike: Callable[[Siege], Awaitable[None]] = Siege.life) -> Siege:
    """Return a siege of so many kills, after its end."""
    async with siege:
        while siege.kills < kills:
            await strike(siege)
        await siege.end()
    return siege
