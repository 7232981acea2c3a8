"""Our server beside the original one of the `diplomacy` package: the same clients, in the same run.

Server CPU for a phase with seven players, the round trip of press at the start and after many messages, and what a
sign-in costs everybody else. Bare websockets, so that what is measured is the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websockets

ROOT = Path(__file__).parents[1]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
WARMING, PHASES, MESSAGES = 5, 40, 300
TICKS = os.sysconf("SC_CLK_TCK")
_numbers = itertools.count()


class Client:
    """A bare client: one socket, one account."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.token, self.phase = socket, "", "S1901M"
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._changed = asyncio.Event()
        self.heard = asyncio.Event()
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        with contextlib.suppress(websockets.ConnectionClosed):
            async for text in self.socket:
                frame = json.loads(text)
                if (request := frame.get("request_id")) in self._waiting:
                    self._waiting.pop(request).set_result(frame)
                elif frame["name"] == "game_processed":
                    self.phase = frame["current_phase_data"]["name"]
                    self._changed.set()
                elif frame["name"] == "game_message_received":
                    self.heard.set()

    async def ask(self, name: str, **fields: Any) -> Any:
        """Ask, and wait for the answer."""
        request = f"r{next(_numbers)}"
        answer = self._waiting[request] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"request_id": request, "name": name, "re_sent": False, **fields}))
        frame = await answer
        assert frame["name"] != "error", frame
        return frame

    async def play(self, name: str, role: str, **fields: Any) -> Any:
        """Ask for something in the game."""
        where = {"token": self.token, "game_id": "bench", "game_role": role, "phase": self.phase}
        return await self.ask(name, **where, **fields)

    async def next_phase(self, phase: str) -> None:
        """Wait until that phase is over."""
        while self.phase == phase:
            self._changed.clear()
            await self._changed.wait()


@contextlib.contextmanager
def server(name: str) -> Iterator[tuple[int, int]]:
    """A server's port and process."""
    with tempfile.TemporaryDirectory() as folder:
        if name == "original":
            command = [sys.executable, str(ROOT / "tests/peers/original_server.py"), "--slow-passwords"]
            found = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
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
    """The CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def measure(port: int, pid: int) -> dict[str, float]:
    """The figures of one server."""
    url = f"ws://127.0.0.1:{port}/"
    figures: dict[str, float] = {}
    async with contextlib.AsyncExitStack() as stack:
        clients = []
        for power in POWERS:
            client = Client(await stack.enter_async_context(websockets.connect(url, compression=None, max_size=None)))
            client.token = (await client.ask("sign_in", username=f"{power} player", password="password"))["data"]
            clients.append(client)
        setup = {"game_id": "bench", "power_name": POWERS[0], "deadline": 0, "rules": ["POWER_CHOICE"]}
        await clients[0].ask("create_game", token=clients[0].token, map_name="standard", **setup)
        for client, power in zip(clients[1:], POWERS[1:], strict=True):
            await client.ask("join_game", token=client.token, game_id="bench", power_name=power)
        figures["sign-in stalls others, ms"] = await stall(url, clients[0])
        await phases(clients, WARMING)  # a server makes its tables once
        begun = cpu(pid)
        await phases(clients, PHASES)
        figures["server CPU a phase, ms"] = (cpu(pid) - begun) / PHASES * 1000
        trips = [await trip(clients[2], clients[1]) for _ in range(MESSAGES)]
        figures["press p50, first 50, ms"] = statistics.median(trips[:50]) * 1000
        figures["press p50, last 50, ms"] = statistics.median(trips[-50:]) * 1000
    return figures


async def phases(clients: list[Client], count: int) -> None:
    """Play phases in which everybody holds."""
    for _ in range(count):
        phase = clients[0].phase
        for client, power in zip(clients, POWERS, strict=True):
            await client.play("set_orders", power, orders=[], wait=False)
        await asyncio.gather(*(client.next_phase(phase) for client in clients))


async def trip(france: Client, england: Client) -> float:
    """Seconds for a message there and one back."""
    begun = time.perf_counter()
    for client, sender, recipient, other in (
        (france, "FRANCE", "ENGLAND", england),
        (england, "ENGLAND", "FRANCE", france),
    ):
        message = {"sender": sender, "recipient": recipient, "phase": client.phase, "message": "x", "time_sent": None}
        other.heard.clear()
        await asyncio.gather(client.play("send_game_message", sender, message=message), other.heard.wait())
    return time.perf_counter() - begun


async def stall(url: str, bystander: Client) -> float:
    """The longest that somebody else waits for an answer while another signs in, in milliseconds."""
    async with websockets.connect(url, compression=None) as socket:
        guest = Client(socket)
        signing = asyncio.ensure_future(guest.ask("sign_in", username="somebody new", password="password"))
        worst = 0.0
        while not signing.done():
            begun = time.perf_counter()
            await bystander.ask("get_games_info", token=bystander.token, games=[])
            worst = max(worst, time.perf_counter() - begun)
        return worst * 1000


def main() -> None:
    """Print the figures of both, and the ratios."""
    found = {}
    for name in ("original", "parlour"):
        with server(name) as (port, pid):
            found[name] = asyncio.run(measure(port, pid))
    print(f"{'':<28}{'original':>10}{'parlour':>10}{'ratio':>8}")
    for figure, theirs in found["original"].items():
        ours = found["parlour"][figure]
        print(f"{figure:<28}{theirs:>10.2f}{ours:>10.2f}{theirs / ours:>8.1f}")


if __name__ == "__main__":
    main()
