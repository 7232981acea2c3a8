"""A real `parlour serve` on free ports with a store in a folder of its own, and an honest player beside the attacks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

from wire import ask

HERE = Path(__file__).parent
ADMIN = "the administrator's password"
START_TIME, STOP_TIME = 60.0, 10.0


class House:
    """One server. It is started again for the next attack if it was ended or hangs."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = settings
        self.ports: dict[str, int] = {}
        self.starts = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def http(self) -> int:
        """The port of pages and API."""
        return self.ports["http"]

    @property
    def pid(self) -> int:
        """The process of the server."""
        assert self._process is not None
        return self._process.pid

    @property
    def store(self) -> Path:
        """The file of the store."""
        return self.folder / "parlour.db"

    def start(self) -> None:
        """Start the server and wait until its doors are open."""
        self.starts += 1
        command = [str(Path(sys.executable).with_name("parlour")), "serve", "--store", str(self.store)]
        for port in ("http", "mila", "fish", "daide"):
            command += [f"--{port}-port", "0"]
        for name, value in self.settings.items():
            command += ["--set", f"{name}={value}"]
        environ = {**os.environ, "PARLOUR_ADMIN_PASSWORD": ADMIN, "PARLOUR_LOG_LEVEL": "error"}
        self._log = (self.folder / f"log-{self.starts}").open("w+")
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self._log, env=environ, text=True)
        deadline = time.monotonic() + START_TIME
        while len(self.ports) < 4 or not self.ports.get("daide"):
            text = Path(self._log.name).read_text()
            self.ports = {name: int(port) for name, port in re.findall(r"^(\w+) listens on \S*?:(\d+):? ", text, re.M)}
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise SystemExit(f"the server did not start:\n{text[-2000:]}")
            time.sleep(0.1)

    @property
    def ended(self) -> str:
        """The exit code of the server in words; empty while it runs."""
        assert self._process is not None
        code = self._process.poll()
        return "" if code is None else f"the server ended with code {code}"

    async def answers(self, seconds: float = 5.0) -> bool:
        """Return True if the server answers within this time."""
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(seconds):
                return (await ask(self.http, "GET", "/api/v1/health")).status == 200
        return False

    def stop(self) -> None:
        """End the server, by force if it does not stop in time."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIME)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGKILL)
                self._process.wait()
        self.ports = {}

    def traceback(self) -> str:
        """Return the last line of a traceback in the log, if there is one."""
        text = Path(self._log.name).read_text()
        return text.rpartition("Traceback")[2].strip().splitlines()[-1][:100] if "Traceback" in text else ""


class Felt(NamedTuple):
    """The round trips of the honest player's orders, in milliseconds."""

    count: int
    median: float
    p99: float
    worst: float
    lost: str = ""
    """The reason why the player could not continue; empty if it could."""

    def __str__(self) -> str:
        return self.lost or f"p50 {self.median:.0f}, p99 {self.p99:.0f}, worst {self.worst:.0f} ms"


@contextlib.asynccontextmanager
async def honest_player(house: House) -> AsyncIterator[list[Felt]]:
    """Play in a process of its own while the block runs; afterwards the yielded list has the round trips."""
    felt: list[Felt] = []
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(HERE / "honest.py"),
        str(house.ports["mila"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(30.0):
            await process.stdout.readline()
        yield felt
    finally:
        try:
            async with asyncio.timeout(15.0):
                output, _ = await process.communicate(b"\n")
            felt.append(Felt(**json.loads(output)))
        except (TimeoutError, ValueError):
            felt.append(Felt(0, 0.0, 0.0, 0.0, "the honest player was not answered"))
        if process.returncode is None:
            process.kill()
            await process.wait()


@contextlib.contextmanager
def temporary_house(**settings: str) -> Any:
    """Yield a server that runs during the block."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder), **settings)
        house.start()
        try:
            yield house
        finally:
            house.stop()
