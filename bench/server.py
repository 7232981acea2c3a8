"""Parlour's server beside the original one of the `diplomacy` package: the same clients, in the same run.

It measures the server's CPU for a phase with seven players, who act at once or one after the other, and for a message;
the round trip of press at the start and after many messages; the delay of others during a sign-in; and, for many busy
games, phases per second of the server's CPU, and memory. Clients are bare websockets. CPU seconds are compared because
other programs run beside the server: the clients alone take more CPU than it does.

The floor is bench/bare_server.py: it reads the same requests, commits as durably and sends as many frames, and does
nothing else. On a busy machine every figure grows, the floor with them.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvloop

import usage
from bare_client import POWERS, Client

ROOT = Path(__file__).parents[1]
WARMING, PHASES, MESSAGES = 5, 40, 300
SECONDS = 5.0
"""Seconds of the server's CPU for which many games are played."""
ASLEEP = 70.0
"""Seconds after which a game without players is asleep."""
ROUNDS = 3
"""Rounds of games that are opened and left; the last round is measured."""


@contextlib.contextmanager
def server(name: str) -> Iterator[tuple[int, int]]:
    """Yield the port and the process id of a server."""
    with tempfile.TemporaryDirectory() as folder:
        if name == "original":
            command = [sys.executable, str(ROOT / "tests/peers/original_server.py"), "--slow-passwords"]
            found = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            assert found.stdout is not None
            port = int(found.stdout.readline())
        elif name == "floor":
            found = subprocess.Popen(
                [sys.executable, str(ROOT / "bench/bare_server.py"), folder], stdout=subprocess.PIPE
            )
            assert found.stdout is not None
            port = int(found.stdout.readline())
        else:
            limits = ["PARLOUR_SIGN_INS_PER_MINUTE", "PARLOUR_REGISTRATIONS_PER_HOUR"]
            environ = {**os.environ, **dict.fromkeys(limits, "100000"), "PARLOUR_LOG_LEVEL": "error"}
            command = [str(Path(sys.executable).with_name("parlour")), "serve", "--only", "mila", "--mila-port", "0"]
            command += ["--store", f"{folder}/bench.db"]
            found = subprocess.Popen(command, stderr=subprocess.PIPE, env=environ)
            assert found.stderr is not None
            line = next(line for line in found.stderr if b"listens on" in line).decode()
            port = int(line.partition("listens on ws://127.0.0.1:")[2].partition(":")[0])
        try:
            yield port, found.pid
        finally:
            found.terminate()
            found.wait()


def cpu(pid: int) -> float:
    """Return the CPU seconds that the threads of a process have used."""
    return sum(int(own.read_text().split()[0]) for own in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def memory(pid: int) -> float:
    """Return the resident kilobytes of a process."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return float(line.split()[1])


async def measure(port: int, pid: int, games: int) -> dict[str, float]:
    """Return the figures of one server."""
    figures: dict[str, float] = {}
    clients = [await signed_in(port, f"{power} player") for power in POWERS]
    try:
        await opened(clients, "bench")
        figures["sign-in stalls others, ms"] = await stall(port, clients[0])
        await phases(clients, WARMING)  # a server makes its tables once
        for name, play in (("at once", at_once), ("in turn", phases)):
            begun = cpu(pid)
            await play(clients, PHASES)
            figures[f"server CPU a phase, {name}, ms"] = (cpu(pid) - begun) / PHASES * 1000
        begun = cpu(pid)
        trips = [await trip(clients[2], clients[1]) for _ in range(MESSAGES)]
        figures["server CPU a message, ms"] = (cpu(pid) - begun) / MESSAGES / 2 * 1000
        figures["press p50, first 50, ms"] = statistics.median(trips[:50]) * 1000
        figures["press p50, last 50, ms"] = statistics.median(trips[-50:]) * 1000
        if games:
            with contextlib.suppress(ConnectionResetError):
                figures |= await crowd(clients, pid, games)
                figures[f"memory of an idle game, round {ROUNDS}, kB"] = await idle(port, pid, games)
    finally:
        for client in clients:
            client.close()
    return figures


async def signed_in(port: int, name: str) -> Client:
    """Return a client that has signed in."""
    client = await Client.connect(port)
    client.token = await client.ask("sign_in", username=name, password="password")
    return client


async def opened(clients: list[Client], game: str) -> None:
    """Open a game and seat all seven."""
    setup = {"game_id": game, "power_name": POWERS[0], "deadline": 0, "rules": ["POWER_CHOICE"]}
    await clients[0].ask("create_game", token=clients[0].token, map_name="standard", **setup)
    for client, power in zip(clients[1:], POWERS[1:], strict=True):
        await client.ask("join_game", token=client.token, game_id=game, power_name=power)


async def crowd(clients: list[Client], pid: int, games: int) -> dict[str, float]:
    """Return the figures of many games in which everybody always orders at once, after a first phase of each."""
    names = [f"crowd {number}" for number in range(games)]
    before = memory(pid)
    for name in names:
        await opened(clients, name)
    played = dict.fromkeys(names, 0)
    over = asyncio.Event()
    at_work: set[asyncio.Future[Any]] = set()
    refused: list[BaseException] = []

    def order(client: Client, power: str, game: str) -> None:
        if not over.is_set():
            sent = asyncio.ensure_future(client.play("set_orders", power, game=game, orders=[], wait=False))
            at_work.add(sent)
            sent.add_done_callback(answered)

    def answered(sent: asyncio.Future[Any]) -> None:
        at_work.discard(sent)
        if (error := sent.exception()) is not None:
            refused.append(error)

    def begin(client: Client, power: str) -> None:
        def went_on(game: str) -> None:
            played[game] += client is clients[0]
            order(client, power, game)

        client.on_phase = went_on
        for name in names:
            order(client, power, name)

    for client, power in zip(clients, POWERS, strict=True):
        begin(client, power)
    while not all(played.values()):
        await asyncio.sleep(0.1)
        _raise(refused)
    first, begun, started = sum(played.values()), cpu(pid), time.perf_counter()
    while cpu(pid) - begun < SECONDS:
        await asyncio.sleep(0.1)
        _raise(refused)
    over.set()
    count, used, took = sum(played.values()) - first, cpu(pid) - begun, time.perf_counter() - started
    held = memory(pid) - before
    if at_work:
        await asyncio.wait(at_work)
    return {
        f"{games} games, phases a second": count / took,
        f"{games} games, phases a CPU second": count / used,
        f"{games} games, memory of one, kB": held / games,
    }


def _raise(refused: list[BaseException]) -> None:
    """Raise the first error: a server that disconnects busy clients, as the original may, has no figure."""
    for error in refused:
        raise error


async def idle(port: int, pid: int, games: int) -> float:
    """Return the kilobytes of one more game that was opened and left, when it is asleep.

    In the first rounds a server takes the memory that these games need while they are awake, and keeps it for later
    games. That is the cost of the largest number awake at once, not the cost of one more game.
    """
    setup = {"power_name": POWERS[0], "deadline": 0, "rules": ["POWER_CHOICE"]}
    found = math.nan
    for turn in range(ROUNDS):
        guest = await signed_in(port, "guest")
        before = memory(pid)
        for number in range(games):
            name = f"idle {turn} {number}"
            await guest.ask("create_game", token=guest.token, game_id=name, map_name="standard", **setup)
        guest.close()
        await asyncio.sleep(ASLEEP)
        found = (memory(pid) - before) / games
    return found


async def at_once(clients: list[Client], count: int) -> None:
    """Play phases in which everybody holds as soon as the phase before is over."""

    async def play(client: Client, power: str) -> None:
        for _ in range(count):
            phase = client.phase
            await client.play("set_orders", power, orders=[], wait=False)
            await client.next_phase(phase)

    await asyncio.gather(*(play(client, power) for client, power in zip(clients, POWERS, strict=True)))


async def phases(clients: list[Client], count: int) -> None:
    """Play phases in which everybody holds, one after the other."""
    for _ in range(count):
        phase = clients[0].phase
        for client, power in zip(clients, POWERS, strict=True):
            await client.play("set_orders", power, orders=[], wait=False)
        await asyncio.gather(*(client.next_phase(phase) for client in clients))


async def trip(france: Client, england: Client) -> float:
    """Return the seconds for a message and its answer."""
    begun = time.perf_counter()
    for client, sender, recipient, other in (
        (france, "FRANCE", "ENGLAND", england),
        (england, "ENGLAND", "FRANCE", france),
    ):
        message = {"sender": sender, "recipient": recipient, "phase": client.phase, "message": "x", "time_sent": None}
        other.heard.clear()
        await asyncio.gather(client.play("send_game_message", sender, message=message), other.heard.wait())
    return time.perf_counter() - begun


async def stall(port: int, bystander: Client) -> float:
    """Return the longest wait of another client for an answer during a sign-in, in milliseconds."""
    signing = asyncio.ensure_future(signed_in(port, "somebody new"))
    worst = 0.0
    while not signing.done():
        begun = time.perf_counter()
        await bystander.ask("get_games_info", token=bystander.token, games=[])
        worst = max(worst, time.perf_counter() - begun)
    (await signing).close()
    return worst * 1000


def main() -> None:
    """Print the figures of both servers, their ratios, and the floor."""
    parser = usage.parser(__doc__)
    parser.add_argument("--games", type=int, default=200, help="games that are busy at the same time; 0 for none")
    games = parser.parse_args().games
    found = {}
    for name in ("original", "parlour", "floor"):
        with server(name) as (port, pid):
            found[name] = uvloop.run(measure(port, pid, 0 if name == "floor" else games))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{'':<38}{'original':>10}{'parlour':>10}{'ratio':>8}{'floor':>10}{'above it':>10}")
    for figure, ours in found["parlour"].items():
        theirs, floor = found["original"].get(figure, math.nan), found["floor"].get(figure)
        ratio = max(theirs, ours) / min(theirs, ours) if min(theirs, ours) > 0 else math.inf
        line = f"{figure:<38}{theirs:>10.2f}{ours:>10.2f}{ratio:>8.1f}"
        print(line if floor is None else f"{line}{floor:>10.2f}{ours / floor:>9.1f}x")


if __name__ == "__main__":
    main()
