"""A PostgreSQL server of our own, for tests that need one: made in a folder, killed at will, gone afterwards."""

# Why real time passes here: a database server is a process, which lives in real time; waits end as soon as it answers.

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import psycopg

from support.processes.ports import free_port

DEBIAN = Path("/usr/lib/postgresql")
STARTS = 5
"""Number of ports to try; another program may take a free one first."""
RESTARTS = 100
"""Number of starts of a server that was killed, a tenth of a second apart."""


class NoPostgres(Exception):
    """There is no server to start here; the text says why."""


def programs() -> Path:
    """Return the folder with initdb and postgres."""
    if found := shutil.which("initdb"):
        here = Path(found).resolve().parent
        if (here / "postgres").exists():
            return here
    versions = sorted(DEBIAN.glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not versions:
        raise NoPostgres("PostgreSQL is not installed: tools/install_postgres.sh")
    return versions[-1].parent


class PostgresServer:
    """One cluster with its own port. Its tests use databases of their own."""

    def __init__(self) -> None:
        self._programs = programs()
        self._folder = Path(tempfile.mkdtemp(prefix="parlour-pg-"))
        self._user = self._unprivileged()
        self._process: subprocess.Popen[bytes] | None = None
        self._names = itertools.count()
        self.port = 0

    def _unprivileged(self) -> dict[str, Any]:
        """Return the server refuses to run as root."""
        if os.geteuid() != 0:
            return {}
        for name in ("postgres", "nobody"):
            with contextlib.suppress(KeyError):
                user = pwd.getpwnam(name)
                os.chown(self._folder, user.pw_uid, user.pw_gid)
                return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        raise NoPostgres("PostgreSQL does not run as root, and there is no other user")

    def __enter__(self) -> Self:
        try:
            command = [
                "initdb",
                "--no-sync",
                "-A",
                "trust",
                "-U",
                "parlour",
                "-E",
                "UTF8",
                "--locale",
                "C",
                "-D",
                "base",
            ]
            self._run(*command)
            for _ in range(STARTS):
                self.port = free_port()
                if self.start():
                    return self
            raise NoPostgres(f"PostgreSQL does not start: {(self._folder / 'log').read_text()[-500:]}")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self.kill()  # nothing here is worth a checkpoint
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> bool:
        """Start the server in its folder; whether it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self._folder,
            "shared_buffers": "16MB",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", "base", *options],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._user,
            )
        while self._process.poll() is None:
            if self._answers():
                return True
            time.sleep(0.02)
        return False

    def restart(self) -> bool:
        """Start the server after it was killed; whether it answers.

        A process of its that was just being born may hold its memory for a moment, or somebody's line its port.
        """
        for _ in range(RESTARTS):
            if self.start():
                return True
            time.sleep(0.1)
        return False

    def _answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """kill -9 to all its processes at once."""
        if self._process is None or self._process.poll() is not None:
            return
        for pid in [self._process.pid, *_children(self._process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def kill_one(self, chance: float) -> None:
        """kill -9 to one of its processes, whichever; all others then begin again, from what was written."""
        assert self._process is not None
        children = _children(self._process.pid)
        killed = children[int(chance * len(children))]
        with contextlib.suppress(ProcessLookupError):
            os.kill(killed, signal.SIGKILL)
        while killed in _children(self._process.pid) or not self._answers():
            time.sleep(0.01)

    def new_schema(self) -> str:
        """Return the address of an empty schema; much quicker to make than a database."""
        name = f"s{next(self._names)}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self.url}?options=-csearch_path%3D{name}"

    @property
    def url(self) -> str:
        """The address of the database."""
        return f"postgresql://parlour@127.0.0.1:{self.port}/postgres"

    def execute(self, *statements: str) -> None:
        """Run statements as the administrator."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, check=False, text=True, **self._user)
        if done.returncode:
            raise NoPostgres(f"{program} failed: {done.stderr.strip()[-500:]}")


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []
