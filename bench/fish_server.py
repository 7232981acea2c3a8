"""The Fish server under load: a knock-out of 100 players, the round trip of one question, 200 games at once.

The server runs in a program of its own with its store on disk, so that its CPU time and memory are its own; the
clients are plain ones in this program. The reference implementation needs about 6 s of wall time for 100 players over
TCP and 1.9 s in-process (2-core machine).
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import usage
from parlour.agents import make_agent
from parlour.core.player import Player
from parlour.core.terms import Clock, Terms
from parlour.games.fish import GAME
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.fish_neu import NeuClient
from parlour.net.fish.json import messages as ms
from parlour.net.fish.json.dialect import ask
from parlour.net.fish.peer import Peer
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.net.framing.connection import Wire, prepare
from parlour.net.framing.json_stream import encode_line
from parlour.referee.conduct import STRICT
from parlour.store import SQLiteStore
from parlour.tournament.knock_out.events import TournamentResult

HOST = "127.0.0.1"
ANSWER = encode_line(ms.PlayerRespondMove(((0, 0), (2, 0))))
LETTERS = "abcdefghijklmnopqrstuvwxyz"


# The server, in a program of its own


async def serve(players: int, protocol: str, path: str) -> None:
    """Run one tournament; print the port at the beginning and the cost at the end, each as a line of JSON."""
    settings = Settings(
        terms=Terms(STRICT, Clock(per_turn=30.0)),
        config={"rows": 5, "cols": 5},
        fewest=players,
        most=players,
        wait=60.0,
        once=True,
        seed=7,
        name_time=60.0,
        most_strangers=players,
    )
    results: list[TournamentResult | None] = []
    with SQLiteStore(path) as store:
        server = TournamentServer(GAME, make_dialect(protocol), settings, store=store)
        await server.start()
        print(json.dumps({"port": server.port, "memory": _memory()}), flush=True)
        begun = time.process_time()
        await server.run(results.append)
        cpu = time.process_time() - begun
        (result,) = results
        assert result is not None
        assert not result.failures
        assert not result.cheaters
        print(json.dumps({"cpu": cpu, "memory": _memory(), "rounds": result.rounds}), flush=True)


def _memory() -> float:
    """Return the peak resident memory in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# The clients


def greedy(game: int) -> Player:
    """Return a quick player."""
    return make_agent("fish", "greedy", game)


async def play(players: int, protocol: str, port: int) -> None:
    """Take part with this number of players."""
    async with asyncio.TaskGroup() as group:
        for number in range(players):
            if protocol == "json":
                client: JsonClient | NeuClient = JsonClient(f"p{number}", greedy, inline=True)
            else:
                client = NeuClient("p" + LETTERS[number // 26 % 26] + LETTERS[number % 26], greedy, inline=True)
            group.create_task(client.run(HOST, port, tries=100))
            if number % 50 == 49:
                await asyncio.sleep(0.01)


def tournament(players: int, protocol: str) -> dict[str, Any]:
    """Run a tournament, and return its cost to the server."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "serve", str(players), protocol, str(Path(folder, "bench.db"))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            ready = json.loads(server.stdout.readline())
            begun = time.perf_counter()
            asyncio.run(play(players, protocol, ready["port"]))
            wall = time.perf_counter() - begun
            cost: dict[str, Any] = json.loads(server.stdout.readline())
    return cost | {"wall": wall, "before": ready["memory"]}


# One question


def _instant_client(server: socket.socket) -> None:
    """Answer every question at once, directly on the socket."""
    with socket.create_connection(server.getsockname()) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            while connection.recv(4096):
                connection.sendall(ANSWER)


def _stock_client(server: socket.socket) -> None:
    """Answer as the course's clients do: 2040 spaces, then ten bytes at a time with pauses of 5 ms."""
    with socket.create_connection(server.getsockname()) as connection, contextlib.suppress(ConnectionError):
        while connection.recv(4096):
            connection.sendall(b" " * 2040)
            for start in range(0, len(ANSWER), 10):
                connection.sendall(ANSWER[start : start + 10])
                time.sleep(0.005)


async def _round_trips(client: Callable[[socket.socket], None], questions: int) -> list[float]:
    peer = Peer("instant")
    arrived = asyncio.Event()

    def accept() -> Wire:
        connection = Wire(peer)
        peer.attach(connection)
        arrived.set()
        return connection

    server = await asyncio.get_running_loop().create_server(accept, HOST, 0)
    prepare(server.sockets[0])
    threading.Thread(target=client, args=(server.sockets[0],), daemon=True).start()
    await arrived.wait()
    await asyncio.sleep(0)  # the loop gives the connection its transport right after it was made
    question = encode_line(ms.PlayerRequestMove(True))
    found = []
    for _ in range(questions):
        begun = time.perf_counter()
        await ask(peer, question, ms.PlayerRespondMove)
        found.append(time.perf_counter() - begun)
    peer.close()
    server.close()
    return found


# As a user starts the server


COMMAND = [sys.executable, "-c", "from parlour.cli import main; main()", "serve", "--game", "fish", "--once"]
COURSE_CPU = 0.72
"""Seconds of CPU beyond its start-up that the course's own server was measured to need for 100 clients that answer at
once, in its own protocol (neu). It keeps no records; Parlour stores every action before it sends it."""


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@functools.cache
def _as_installed() -> dict[str, str]:
    """Return an environment in which a program finds its bytecode, as after an installation."""
    kept = tempfile.mkdtemp(prefix="parlour-bench-")
    atexit.register(shutil.rmtree, kept)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": kept}


def command_cpu(players: int, protocol: str = "json") -> float:
    """Return the CPU seconds of `parlour serve` for one tournament of these players, or (0) for one without players."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    wait = (
        ["--min", str(players), "--max", str(players), "--wait", "60"]
        if players
        else ["--wait", "0.01", "--tries", "1"]
    )
    before = _cpu_of_children()
    with tempfile.TemporaryDirectory() as folder:
        where = ["--port", str(port), "--protocol", protocol, "--store", str(Path(folder, "b.db"))]
        command = [*COMMAND, *where, *wait, "--time-per-turn", "30", "--seed", "7"]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdout=quiet, stderr=quiet, env=_as_installed()) as server:
            if players:
                asyncio.run(play(players, protocol, port))
            server.wait()
    return _cpu_of_children() - before


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def main() -> None:
    """Measure all and print it."""
    print("100 players, knock-out, 5x5, records kept on disk; the reference: about 6 s wall over TCP")
    for protocol in ("json", "neu"):
        cost = tournament(100, protocol)
        print(
            f"  {protocol:5} server CPU {cost['cpu']:5.2f} s   wall {cost['wall']:5.2f} s   {cost['rounds']} rounds"
            f"   target: at most 3 s of server CPU: {_verdict(cost['cpu'] <= 3)}"
        )
    command_cpu(100)  # makes the bytecode
    # In turn, and the least of each: other work on the machine only adds.
    taken = [(command_cpu(0), command_cpu(100, "neu"), command_cpu(100, "json")) for _ in range(9)]
    start, *loaded = map(min, zip(*taken, strict=True))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"parlour serve, CPU: start-up {start:.2f} s   at most 0.20 s: {_verdict(start <= 0.2)}")
    for protocol, least in zip(("neu", "json"), loaded, strict=True):
        beyond = least - start
        print(
            f"  beyond it, 100 clients, {protocol:5} {beyond:.2f} s   at most 0.25 s: {_verdict(beyond <= 0.25)}"
            f"   the course's server, as published: {COURSE_CPU:.2f} s, {COURSE_CPU / beyond:.1f} times ours"
        )
    trips = asyncio.run(_round_trips(_instant_client, 3000))
    cuts = statistics.quantiles(trips, n=100)
    print(
        f"a question to an instant client: median {cuts[49] * 1e3:.3f} ms, p95 {cuts[94] * 1e3:.3f} ms"
        f"   target: median at most 1 ms: {_verdict(cuts[49] <= 1e-3)}"
    )
    pauses = 5 * len(range(0, len(ANSWER), 10))
    stock = statistics.median(asyncio.run(_round_trips(_stock_client, 50))) * 1e3
    print(f"a question to a stock client, which pauses for {pauses} ms itself: median {stock:.1f} ms")
    cost = tournament(800, "json")
    grown = cost["memory"] - cost["before"]
    print(
        f"200 games at once (800 players): server CPU {cost['cpu']:.2f} s, wall {cost['wall']:.2f} s,"
        f" memory {cost['before']:.0f} MiB before, {cost['memory']:.0f} MiB at the peak:"
        f" {grown * 1024 / 200:.0f} KiB a game with its four connections"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2]), sys.argv[3], sys.argv[4]))
    else:
        usage.parser(__doc__).parse_args()
        main()
