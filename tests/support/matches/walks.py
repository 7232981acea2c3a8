"""Counts a walk through the program: the modules that it enters, and where it crosses from one to another."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

COUNTED = ("parlour.net.", "parlour.referee.")
"""The doors, the hall and the match; not the rules of the game, the values of core or the inside of the store."""
OUTSIDE = ("parlour.net.client.", "parlour.net.doors")
"""Code of whoever asks, and the server's own timers."""


class Walk:
    """The modules that were entered while it was on, and each pair of which one called the other."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.crossings: set[tuple[str, str]] = set()
        self._on = False

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of a call; for sys.setprofile."""
        if not self._on or event != "call" or not (here := _module(frame)):
            return
        self.modules.add(here)
        before = frame.f_back
        if before is not None and (there := _module(before)) not in ("", here):
            self.crossings.add((there, here))

    def begin(self) -> None:
        """Count from now on."""
        self._on = True

    def end(self) -> None:
        """Count no longer."""
        self._on = False


@contextmanager
def traced() -> Iterator[Walk]:
    """Make a walk that sees this thread and all that begin from now on; enter before the server starts its own."""
    walk, before = Walk(), sys.getprofile()
    threading.setprofile(walk.note)
    sys.setprofile(walk.note)
    try:
        yield walk
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def _module(frame: FrameType) -> str:
    """Return the module that a frame is in, if it is counted; empty if it is not."""
    name: str = frame.f_globals.get("__name__", "")
    return name if name.startswith(COUNTED) and not name.startswith(OUTSIDE) else ""
