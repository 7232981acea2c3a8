"""Treats signals that end this program like Ctrl-C, so that no player's program is left behind."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn


class Stopped(KeyboardInterrupt):
    """A signal ends this program.

    It is a class of its own because of a rule of Python. If KeyboardInterrupt itself leaves code that was compiled at
    run time, Python ends itself by SIGINT and ignores the exit code. Importing a module often runs this kind of code.
    """


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Raise Stopped at the first SIGTERM or SIGHUP within the context; an ignored signal stays ignored."""
    stopped: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        if len(stopped) == 1:
            raise Stopped

    here = threading.current_thread() is threading.main_thread()  # only the main thread may handle signals
    wanted = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if here and signal.getsignal(number) is not signal.SIG_IGN  # nohup sets SIG_IGN
    ]
    before = {number: signal.signal(number, stop) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_at_once(code: int) -> NoReturn:
    """End this program after its exit functions, without the interpreter's own clean-up.

    Threads of libraries such as JAX may still run, and would crash during the clean-up.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader of a pipe may have ended
            stream.flush()
    os._exit(code)
