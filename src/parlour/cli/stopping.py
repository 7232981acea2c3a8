"""Lets whoever ends us do it as Ctrl-C does, so that no program that plays is left behind."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Stopped(KeyboardInterrupt):
    """Somebody ends us.

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
