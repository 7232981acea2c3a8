"""Two servers on one PostgreSQL: one plays, the other stands by, takes over after kill -9, and clients come back."""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys
from asyncio.subprocess import Process
from itertools import accumulate
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg

from parlour.cli.servers.serving import STANDBY_PAUSE
from parlour.net.client import connect
from parlour.net.client.connection import Connection, retry_pause
from support.processes.ports import free_port
from support.store.postgres import PostgresServer
from support.waiting import PATIENCE

HOST = "127.0.0.1"


async def started(path: Path, store: str, port: int, *options: str) -> Process:
    """Return a server, once it says that its door is open or that it stands by."""
    command = [sys.executable, "-m", "parlour", "serve", "--only", "http", "--http-port", str(port), "--store", store]
    server = await asyncio.create_subprocess_exec(*command, *options, cwd=path, stderr=subprocess.PIPE)
    await told(server, "stands by" if options else "http listens")
    return server


async def told(server: Process, beginning: str) -> None:
    assert server.stderr is not None
    while line := await server.stderr.readline():
        if line.decode().startswith(beginning):
            return
    raise AssertionError("it ended")


async def is_ready(port: int) -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        try:
            with urlopen(f"http://{HOST}:{port}/api/v1/ready") as page:
                return page.status, ""
        except HTTPError as error:
            return error.code, json.load(error)["detail"]

    return await asyncio.to_thread(ask)


async def killed(*servers: Process) -> None:
    for server in servers:
        if server.returncode is None:
            server.kill()
        await server.communicate()


def test_a_standby_takes_over_after_kill_9_and_clients_come_back(postgres: PostgresServer, tmp_path: Path) -> None:
    async def scenario(store: str, port: int) -> None:
        first = await started(tmp_path, store, port)
        second = await started(tmp_path, store, port, "--standby")
        try:
            async with connect(HOST, port, timeout=PATIENCE, attempts=1_000) as connection:
                channel = await connection.authenticate("anna", "password")
                game = await channel.create_game(game_id="evening", n_controls=1, deadline=0, power_name="FRANCE")
                await game.set_orders(orders=["A PAR - BUR"], wait=True)
                first.kill()
                await told(second, "http listens")
                await game.set_orders(orders=["A PAR - GAS"], wait=True)
                again = await connection.authenticate("anna", "password")
                known = await again.join_game(game_id="evening", power_name="FRANCE")
                assert known.get_orders("FRANCE") == ["A PAR - GAS"]
            assert await is_ready(port) == (200, "")
        finally:
            await killed(first, second)

    asyncio.run(scenario(postgres.new_schema(), free_port()))


def test_pauses_leave_a_standby_three_seconds_to_open_before_clients_come_back_within_five() -> None:
    longest = inspect.signature(Connection).parameters["pause"].default
    attempts = list(accumulate(retry_pause(attempt, longest) for attempt in range(1, 6)))
    assert attempts == [0.25, 0.75, 1.75, 3.75, 7.75]
    assert any(STANDBY_PAUSE + 3.0 <= attempt <= 5.0 for attempt in attempts)


def test_a_server_that_lost_its_store_to_another_is_not_ready(postgres: PostgresServer, tmp_path: Path) -> None:
    async def scenario(store: str, port: int, other: int) -> None:
        first = await started(tmp_path, store, port)
        second = await started(tmp_path, store, other, "--standby")
        try:
            assert await is_ready(port) == (200, "")
            with psycopg.connect(postgres.url, autocommit=True) as operator:  # as if the network had cut it off
                holder = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'"
                while True:
                    for (process,) in operator.execute(holder).fetchall():
                        operator.execute("SELECT pg_terminate_backend(%s)", (process,))
                    try:
                        async with asyncio.timeout(1):
                            await told(second, "http listens")
                        break
                    except TimeoutError:
                        continue
            while (answer := await is_ready(port))[0] == 200:  # noqa: ASYNC110  # it finds out with its next write
                await asyncio.sleep(0.1)
            assert answer == (503, "nothing can be kept at the moment; try again")
            assert await is_ready(other) == (200, "")
        finally:
            await killed(first, second)

    asyncio.run(scenario(postgres.new_schema(), free_port(), free_port()))
