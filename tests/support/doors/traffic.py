"""A server that is killed again and again, a tournament at its door, and what must be true afterwards.

The server is `parlour serve` in a program of its own. At its Fish door players sit in a tournament and come back.
"""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import time
from typing import Self

from parlour.core import events as ev
from parlour.core.game import Action, View
from parlour.errors import RecordError
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.report import ClientReport
from parlour.referee.match import Match
from parlour.store import Filter, RecordKind, open_store, read_events
from parlour.tournament.knock_out.tournament import read_result
from support.fish.wire import greedy
from support.processes.ports import free_port

HOST = "127.0.0.1"
AT_WILL = {
    "PARLOUR_REQUESTS_PER_SECOND": "100000",
    "PARLOUR_REQUESTS_AT_ONCE": "100000",
    "PARLOUR_REGISTRATIONS_PER_HOUR": "1000",
    "PARLOUR_SIGN_INS_PER_MINUTE": "1000",
    "PARLOUR_LOG_LEVEL": "error",
}


class Server:
    """`parlour serve` on a store, always at the same ports; dead when the block ends, whatever happens."""

    def __init__(self, address: str, *more: str, **environ: str) -> None:
        self._environ = {**os.environ, **AT_WILL, **environ}
        self.http_port, self.fish_port = free_port(), free_port()
        ports = ("--http-port", str(self.http_port), "--fish-port", str(self.fish_port))
        program = (sys.executable, "-c", "from parlour.cli import main; main()", "serve", "--only", "http,fish")
        self._command = [*program, *ports, "--store", address, *more]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            self._command, env=self._environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        until = time.monotonic() + 150
        while True:
            try:
                socket.create_connection((HOST, self.http_port)).close()
                return
            except OSError:
                assert self._process.stderr is not None
                assert self._process.poll() is None, self._process.stderr.read().decode()
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.02)

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            if self._process.stderr is not None:
                self._process.stderr.close()
            self._process = None


class Deliberate:
    """Greedy, but slow enough that there is a middle to be killed in."""

    def __init__(self, game: int) -> None:
        self._greedy = greedy(game)

    async def act(self, view: View) -> Action:
        """Wait a little, then move."""
        await asyncio.sleep(0.03)
        return self._greedy.act(view)


async def returning(name: str, port: int) -> ClientReport:
    """Return a player of Fish that is not in a hurry, and comes back after the server died."""
    return await JsonClient(name, Deliberate, returns=120.0).run(HOST, port, tries=3000, pause=0.1)


class FishTraffic:
    """One tournament whose server is killed several times; its players come back."""

    NAMES = ("a", "b", "c", "d", "e")
    SETTINGS = ("--min", "5", "--max", "5", "--wait", "120", "--rows", "6", "--cols", "6", "--return-time", "120")

    def __init__(self, server: Server, address: str, seed: int = 0) -> None:
        self.moves = 0
        """Entries of matches that were there at the last kill, all of which must be there for ever."""
        self.kills = 0
        self._server = server
        self._address = address
        self._chance = random.Random(seed)

    async def killed(self, kills: int) -> list[str]:
        """Play a tournament to its end over so many kills; what was wrong in the end."""
        found: list[str] = []
        before: dict[str, list[bytes]] = {}
        self._server.start()
        async with asyncio.TaskGroup() as group:
            players = [group.create_task(returning(name, self._server.fish_port)) for name in self.NAMES]
            for _ in range(kills):
                if not await self._written(self.moves + self._chance.randrange(1, 25), players):
                    break  # it was over before
                self._server.kill()
                self.kills += 1
                now = await asyncio.to_thread(self._entries)
                found += [f"{match} lost entries" for match, old in before.items() if now[match][: len(old)] != old]
                before, self.moves = now, sum(map(len, now.values()))
                await asyncio.to_thread(self._server.start)
        while not await asyncio.to_thread(self._is_over):  # noqa: ASYNC110 - it is another program
            await asyncio.sleep(0.05)
        return found + await asyncio.to_thread(self._compared, before, [player.result() for player in players])

    async def _written(self, count: int, players: list[asyncio.Task[ClientReport]]) -> bool:
        while not all(player.done() for player in players):
            entries = await asyncio.to_thread(self._entries)
            if sum(map(len, entries.values())) >= count:
                return True
            await asyncio.sleep(0.02)
        return False

    def _entries(self) -> dict[str, list[bytes]]:
        with open_store(self._address, read_only=True) as store:
            heads = store.heads(Filter(kind=RecordKind.MATCH, game="fish"))
            return {head.id: list(store.entries(head.id)) for head in heads}

    def _is_over(self) -> bool:
        with open_store(self._address, read_only=True) as store:
            return all(head.result is not None for head in store.heads(Filter(kind=RecordKind.TOURNAMENT)))

    def _compared(self, before: dict[str, list[bytes]], reports: list[ClientReport]) -> list[str]:
        """Return the store's final state, beside what the players received."""
        now = self._entries()
        found = [f"{match} lost entries" for match, old in before.items() if now[match][: len(old)] != old]
        with open_store(self._address, read_only=True) as store:
            (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
            result = read_result(store, head.id)
            for match in now:
                found += broken(match, read_events(store, match))
        won = tuple(sorted(report.name for report in reports if report.won))
        if won != tuple(sorted(result.winners)):
            found.append(f"{won} were told that they won, {result.winners} did")
        if result.failures or result.cheaters:
            found.append(f"{result.failures} failed and {result.cheaters} cheated, though everyone played well")
        return found


def broken(match: str, events: list[ev.Event]) -> list[str]:
    """Why a record does not hold, if it does not."""
    try:
        if events:
            Match.resume(events)
    except RecordError as error:
        return [f"{match}: {error}"]
    return []
