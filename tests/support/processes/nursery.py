"""Starts programs that are to be killed as forks of a process that has imported all of them: that takes milliseconds.

An interpreter that starts anew would import for a second, and be killed many times fewer in an hour. The process that
forks is this module as a program. It ends with whoever started it, and so do all that it has forked.
"""

# Why real time passes here: programs that are killed are processes, which live in real time.

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, Self

from support import TESTS

PRELOADED = (
    *(
        "support.hall.traffic",
        "support.store.traffic",
        "parlour.agents",
        "parlour.cli.display.results",
        "parlour.cli.serve",
    ),
    *(
        "parlour.cli.servers.serving",
        "parlour.games.diplomacy.maps.mapfile",
        "parlour.net.daide.door",
        "parlour.net.http.app",
    ),
    *("parlour.net.fish.json.dialect", "parlour.net.mila.server_door", "parlour.net.mila.hall_host"),
    *("parlour.net.mila.lobby", "parlour.net.mila.moderating", "parlour.net.mila.playing"),
    *("parlour.net.mila.reading", "parlour.net.mila.signing", "parlour.web.site"),
    *("parlour.store.postgres", "uvicorn.protocols.http.httptools_impl"),
)


class Fork:
    """A function that runs in a process of its own until it is killed; what it says goes to a file.

    It is named like `support.hall.traffic:play`, and takes text.
    """

    def __init__(self, said: Path, function: str, *arguments: str) -> None:
        self._said = said
        said.touch()
        parent = _parent()
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(json.dumps([str(said), function, arguments]).encode() + b"\n")
        parent.stdin.flush()
        self._pid = int(parent.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def alive(self) -> bool:
        """Return True while the process runs."""
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        return True

    @property
    def lines(self) -> list[bytes]:
        """Return the output so far; the last line may have been cut by a kill."""
        return self._said.read_bytes().splitlines(keepends=True)

    def kill(self) -> None:
        """kill -9."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        while self.alive:
            time.sleep(0.001)

    def forget(self) -> None:
        """Drop all further output of the process."""
        self._said.unlink(missing_ok=True)


@cache
def _parent() -> subprocess.Popen[bytes]:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environ["PYTHONPATH"] = str(TESTS)
    command = [sys.executable, "-m", __name__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, process_group=0)


def serve(*words: str) -> None:
    """`parlour serve`; words with = before the first option are set in the environment."""
    from parlour.cli import main

    first = next(at for at, word in enumerate(words) if word.startswith("-"))
    for word in words[:first]:
        name, _, value = word.partition("=")
        os.environ[name] = value
    sys.argv = ["parlour", "serve", *words[first:]]
    main()


def _run(said: str, function: str, arguments: list[Any]) -> None:
    """The code that a fork runs."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    out = os.open(said, os.O_WRONLY | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    module, _, name = function.partition(":")
    getattr(importlib.import_module(module), name)(*arguments)


def _main() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # what was imported lives as long as any fork
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that have ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops us closes the pipe
    commands = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115 - what was read ahead would be the forks', too
    while line := commands.readline():
        pid = os.fork()
        if not pid:
            _run(*json.loads(line))
            return
        os.write(1, b"%d\n" % pid)
    os.killpg(0, signal.SIGKILL)  # with all that were forked and not killed


if __name__ == "__main__":
    _main()
