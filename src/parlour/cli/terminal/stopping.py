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

    It is a kind of its own, for Python ends itself by SIGINT, whatever exit code was meant, if KeyboardInterrupt itself
    comes out of code that was made at run time, as that of many classes is while a module is imported.
    """


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM and SIGHUP raise Stopped, the first of them; one that was to be ignored still is."""
    stopped: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        if len(stopped) == 1:
            raise Stopped

    here = threading.current_thread() is threading.main_thread()  # only there may one ask for signals
    wanted = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if here and signal.getsignal(number) is not signal.SIG_IGN  # as nohup wants it
    ]
    before = {number: signal.signal(number, stop) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_at_once(code: int) -> NoReturn:
    """End this program after its exit functions, without the interpreter's own clean-up.

    Libraries may still be at work in threads of their own, as JAX is, and crash when it is taken from under them.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader may be gone
            stream.flush()
    os._exit(code)
