"""Runs tests in a fork and watches them: reports failures and timeouts, and leaves no process behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

LEAST = 20.0
"""Minimum seconds for a test; one that takes many times longer than before is stopped."""
SLOWER = 10.0
FIRST = 120.0
"""Seconds until the first test begins."""
GRACE = 20.0
"""Seconds for the fixtures to clean up."""
PYTEST = ("-q", "-x", "-s", "-n", "0", "-p", "no:cacheprovider", "--assert=plain")

Tell = Callable[[str], None]
"""Sends a line from the fork: `began TEST`, and at the end `failed TEST`, `passed` or `unknown`."""


class Trial(NamedTuple):
    """The result of one run of some tests."""

    outcome: str
    """`passed`, `failed`, `timed out`, or `unknown` if the change could not be made in this process."""
    by: str = ""
    """The test that failed or took too long."""


def watched(body: Callable[[Tell], None], seconds: dict[str, float]) -> Trial:
    """Run tests in a fork, stop at the first that takes many times as long as before, and return the result."""
    name, patience = "", FIRST
    with forked(body) as lines:
        while line := lines(patience):
            word, _, name = line.partition(" ")
            if word != "began":
                lines(GRACE)
                return Trial(word, name)
            patience = LEAST + SLOWER * seconds.get(name, 0.0)
    return Trial("timed out" if line is None else "failed", name)


@contextlib.contextmanager
def forked(body: Callable[[Tell], None]) -> Iterator[Callable[[float], str | None]]:
    """Run `body` in a fork; the yielded function returns its next line, None after a timeout, "" at its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.setsid()
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            body(lambda line: _tell(writing, line))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    pending = b""

    def lines(patience: float) -> str | None:
        nonlocal pending
        until = time.monotonic() + patience
        while b"\n" not in pending:
            ready, _, _ = select.select([reading], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            if not (more := os.read(reading, 65536)):
                return ""
            pending += more
        line, _, pending = pending.partition(b"\n")
        return line.decode()

    try:
        yield lines
    finally:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def _tell(writing: int, line: str) -> None:
    os.write(writing, line.encode() + b"\n")
