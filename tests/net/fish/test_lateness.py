"""The server's own lateness is held against nobody: a stalled loop, a slow disk, a flood of hostile connections.

These tests use real time, since what they stall is a real event loop. The players sit on a thread of their own, so
that they are as quick as ever.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from parlour.core.terms import Clock, Terms
from parlour.games.fish import GAME
from parlour.net.fish.dialect import Patience
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.referee.conduct import STRICT
from parlour.store import SQLiteStore, Store, Write
from parlour.tournament.knock_out.events import TournamentResult
from support.fish.wire import Taking, good, settings

SHORT = 0.3
"""Seconds for whatever a player is asked: ample for one that is quick, gone in each of the stalls below."""
STALL = 0.6


def hurried(players: int, **changes: Any) -> Settings:
    terms = Terms(STRICT, Clock(per_turn=SHORT))
    return settings(players, terms=terms, patience=Patience(SHORT, SHORT, SHORT), wait=10.0, **changes)


def elsewhere(guests: Sequence[Taking], port: int) -> threading.Thread:
    """Guests on a thread of their own."""

    async def play() -> None:
        async with asyncio.TaskGroup() as group:
            for guest in guests:
                group.create_task(guest(port))
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(play()))
    thread.start()
    return thread


def hold_apart(
    wanted: Settings,
    guests: Sequence[Taking],
    *,
    protocol: str = "json",
    store: Store | None = None,
    trouble: Callable[[int], Awaitable[None]] | None = None,
) -> TournamentResult | None:
    """Run a server with its guests elsewhere and whatever troubles it."""

    async def run() -> TournamentResult | None:
        server = TournamentServer(GAME, make_dialect(protocol), wanted, store=store)
        await server.start()
        results: list[TournamentResult | None] = []
        if trouble is not None:
            await trouble(server.port)
        thread = elsewhere(guests, server.port)
        await server.run(results.append)
        await asyncio.to_thread(thread.join, 5)
        return results[0]

    return asyncio.run(run())


async def stalls(port: int) -> None:
    """Again and again the loop does nothing for longer than anyone has."""
    loop = asyncio.get_running_loop()
    for number in range(4):
        loop.call_later(0.1 + number * (STALL + 0.1), time.sleep, STALL)


def everyone_is_unhurt(result: TournamentResult | None, count: int) -> None:
    assert result is not None
    assert result.failures == result.cheaters == ()
    assert len(result.winners + result.losers) == count


def test_nobody_is_removed_because_the_loop_was_stalled() -> None:
    roomy = hurried(5, config={"rows": 9, "cols": 9, "fish": 1})
    for protocol in ("json", "neu"):
        names = [f"p{letter}" for letter in "abcde"]
        guests = [good(name, protocol) for name in names]
        everyone_is_unhurt(hold_apart(roomy, guests, protocol=protocol, trouble=stalls), 5)


class SlowDisk(SQLiteStore):
    """Takes longer for some of what it keeps than anyone has for a turn."""

    kept = 0

    async def keep(self, *writes: Write) -> None:
        self.kept += 1
        if self.kept in (4, 12, 20):
            await asyncio.sleep(STALL)
        await super().keep(*writes)


def test_nobody_is_removed_because_the_disk_was_slow(tmp_path: Path) -> None:
    store = SlowDisk(tmp_path / "s.db")
    with store:
        everyone_is_unhurt(hold_apart(hurried(2), [good("a"), good("b")], store=store), 2)
        assert store.kept >= 20


FLOOD = """
import socket, sys
texts = [b"[" + b"1," * (1 << 20), b'"' + b"x" * (1 << 21), b"[[]],[" * (1 << 18), b" " * (1 << 21), b"{" * 1000]
for number in range(10_000):
    callers = []
    for _ in range(20):
        try:
            callers.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=1))
            callers[-1].sendall(texts[number % len(texts)])
        except OSError:
            continue
    print(number, flush=True)
    if not callers:
        break
"""


def test_a_flood_of_hostile_connections_removes_nobody_and_leaves_no_socket_open() -> None:
    """Somebody connects as quickly as the machine allows and sends megabytes of nonsense, or says nothing more."""
    floods: list[subprocess.Popen[bytes]] = []

    async def trouble(port: int) -> None:
        flood = subprocess.Popen([sys.executable, "-c", FLOOD, str(port)], stdout=subprocess.PIPE)  # noqa: ASYNC220
        floods.append(flood)
        assert flood.stdout is not None
        await asyncio.to_thread(flood.stdout.readline)

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of ourselves
    result = hold_apart(hurried(3), [good(name) for name in "abc"], trouble=trouble)
    everyone_is_unhurt(result, 3)
    with floods[0] as flood:
        assert int(flood.communicate()[0].split()[-1]) > 0
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
