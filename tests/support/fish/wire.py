"""Shared parts of the tests of Fish over the network: small quick servers, good players, and players that misbehave."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from parlour.agents import make_agent
from parlour.core.player import Player
from parlour.core.terms import Clock, Terms
from parlour.games.fish import GAME
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.fish_neu import NeuClient
from parlour.net.fish.dialect import Patience
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.referee.conduct import STRICT
from parlour.store import Store
from parlour.tournament.knock_out.events import TournamentResult
from parlour.tournament.reports.audience import Spectator

HOST = "127.0.0.1"
TURN = 1.0
"""Seconds for a turn: enough for a good player on a busy machine, short for those who are late."""

Taking = Callable[[int], Coroutine[Any, Any, Any]]
"""Somebody who takes part, given the port."""


def settings(players: int, **changes: Any) -> Settings:
    """Return a server for one tournament of so many players on a small board."""
    usual = Settings(
        terms=Terms(STRICT, Clock(per_turn=TURN)),
        config={"rows": 4, "cols": 3, "fish": 2},
        fewest=players,
        most=players,
        wait=2.0,
        tries=1,
        once=True,
        patience=Patience(TURN, TURN, TURN),
        name_time=TURN,
        grace=TURN / 4,
        return_time=5.0,
        seed=7,
    )
    return replace(usual, **changes)


def greedy(game: int) -> Player:
    """Return a good player."""
    return make_agent("fish", "greedy", game)


def good(name: str, protocol: str = "json", **more: Any) -> Taking:
    """Return a good player over a protocol; gives its report."""

    async def play(port: int) -> Any:
        if protocol == "json":
            return await JsonClient(name, greedy, inline=True, **more).run(HOST, port)
        return await NeuClient(name, greedy, inline=True, **more).run(HOST, port)

    return play


async def hold(
    settings: Settings,
    guests: Sequence[Taking],
    *,
    protocol: str = "json",
    store: Store | None = None,
    spectators: Sequence[Spectator] = (),
    between: float = 0.0,
) -> tuple[list[TournamentResult | None], list[Any]]:
    """Run a server and its guests; the results of its tournaments, and what each guest came back with."""
    server = TournamentServer(GAME, make_dialect(protocol), settings, store=store, spectators=spectators)
    await server.start()
    results: list[TournamentResult | None] = []
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server.run(results.append))
        tasks = []
        for guest in guests:
            tasks.append(group.create_task(guest(server.port)))
            await asyncio.sleep(between)
        await asyncio.wait([serving])
        found = []
        for task in tasks:
            # Whoever still waits for something that will not come goes home now.
            done, _ = await asyncio.wait([task], timeout=2.0)
            if not done:
                task.cancel()
            found.append(task.result() if done else None)
    return results, found


class Line:
    """A bare connection, for saying whatever one likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, port: int) -> Line:
        return cls(*await asyncio.open_connection(HOST, port, limit=1 << 20))

    def say(self, value: Any) -> None:
        """Send a JSON value."""
        self.writer.write(json.dumps(value).encode() + b"\n")

    async def hear(self) -> Any:
        """Return the next line; None at the end."""
        try:
            line = await self.reader.readline()
        except ConnectionError:
            return None
        return json.loads(line) if line else None

    async def silence(self) -> list[Any]:
        """Return everything up to the end."""
        heard = []
        while (value := await self.hear()) is not None:
            heard.append(value)
        return heard

    async def close(self) -> None:
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except ConnectionError:
            return


def raw(script: Callable[[Line], Awaitable[Any]]) -> Taking:
    """A guest that does as the script says."""

    async def play(port: int) -> Any:
        line = await Line.open(port)
        try:
            return await script(line)
        except ConnectionError as error:
            return error
        finally:
            await line.close()

    return play
