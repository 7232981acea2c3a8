"""Programs of Diplomacy for tests, each a process of its own: the original server and client, and `parlour serve`."""

# Why real time passes here: programs of others live in real time, and waits end as soon as they answer.

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from peers.environment import peer_python
from support import TESTS

PEERS = TESTS / "peers"
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
"""Names of the callbacks of a game."""


@contextmanager
def original_server() -> Iterator[int]:
    """Yield the port of a server of the `diplomacy` package."""
    command = [sys.executable, str(PEERS / "original_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.terminate()


def clients_python() -> str:
    """The Python that has nothing but the `diplomacy` package; a test is skipped where that cannot be installed."""
    try:
        return str(peer_python())
    except subprocess.CalledProcessError:
        pytest.skip("the diplomacy package cannot be installed")


async def seen_by_client(program: str, *words: object) -> Any:
    """Return the JSON that a program of `peers` prints in its last line, after a run with the original client."""
    command = [clients_python(), "-m", f"peers.{program}", *map(str, words)]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=PEERS.parent, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors.decode()[-2000:]
    return json.loads(out.splitlines()[-1])


@asynccontextmanager
async def served(path: Path, doors: Sequence[str] = ("http", "mila", "daide")) -> AsyncIterator[dict[str, int]]:
    """`parlour serve` with these doors; the port of each."""
    command = [str(Path(sys.executable).with_name("parlour")), "serve", "--only", ",".join(doors)]
    command += [word for door in doors for word in (f"--{door}-port", "0")] + ["--store", str(path / "store.db")]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE, cwd=path)
    assert process.stderr is not None
    ports: dict[str, int] = {}
    try:
        while len(ports) < len(doors):
            line = (await process.stderr.readline()).decode()
            assert line, "the server ended"
            if found := re.match(r"(\w+) listens on (?:\w+://)?[\d.]+:(\d+)", line):
                ports[found[1]] = int(found[2])
        yield ports
    finally:
        process.terminate()
        await process.wait()
