"""Servers of Diplomacy for tests: the original one in a process of its own."""

# Why real time passes here: servers of others are processes, which live in real time; waits end as soon as they answer.

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PEERS = Path(__file__).with_name("peers")
HOST = "127.0.0.1"
CALLBACKS = [
    "cleared_centers",
    "cleared_orders",
    "cleared_units",
    "game_deleted",
    "game_message_received",
    "game_processed",
    "game_phase_update",
    "game_status_update",
    "omniscient_updated",
    "power_orders_flag",
    "power_orders_update",
    "power_vote_updated",
    "power_wait_flag",
    "powers_controllers",
    "vote_count_updated",
    "vote_updated",
]
"""What a game of the seed calls back for."""


@contextmanager
def original_server() -> Iterator[int]:
    """The port of a server of the `diplomacy` package."""
    command = [sys.executable, str(PEERS / "original_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.terminate()


async def until(reached: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is the case."""
    async with asyncio.timeout(seconds):
        while not reached():  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
            await asyncio.sleep(0.005)
