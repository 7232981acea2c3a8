"""The terminal of this program, shared by all people who play in it; one at a time awaits a line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from parlour.agents.completing import Complete

MAX_LINE = 1 << 16
"""Maximum bytes of a line; further bytes are another line."""
PATIENCE = 0.05
"""Seconds between two checks whether the terminal is free."""


class Terminal(Protocol):
    """The terminal in which a person reads and types."""

    @property
    def colour(self) -> bool:
        """True if colours are shown there."""

    async def line(self, complete: Complete | None = None) -> str:
        """Return the next typed line; raise EOFError at the end of input.

        If the terminal has a line editor, `complete` offers words.
        """

    def show(self, text: str) -> None:
        """Print a line."""

    def held(self) -> AbstractAsyncContextManager[None]:
        """Use the terminal alone."""


class SharedTerminal:
    """A terminal that one person at a time may have, whichever thread and loop that person is on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Use the terminal alone."""
        while not self._lock.acquire(blocking=False):  # noqa: ASYNC110  # an Event belongs to one loop
            await asyncio.sleep(PATIENCE)
        try:
            yield
        finally:
            self._lock.release()


class FileTerminal(SharedTerminal):
    """A terminal made of a file descriptor and a stream."""

    def __init__(self, source: int, out: TextIO) -> None:
        super().__init__()
        self._source, self._out = source, out
        self._typed = b""
        self._ended = False
        # People sit on loops of their own threads, so that no asyncio lock can serve them all.

    @property
    def colour(self) -> bool:
        """Return True if the stream is a terminal and colours are not switched off."""
        return self._out.isatty() and not os.environ.get("NO_COLOR")

    async def line(self, complete: Complete | None = None) -> str:
        """Return the next line that is typed; EOFError if the input has ended. Cancelling loses nothing typed."""
        while b"\n" not in self._typed and len(self._typed) < MAX_LINE and not self._ended:
            await _readable(self._source)
            chunk = os.read(self._source, 4096)
            self._typed += chunk
            self._ended = not chunk
        if not self._typed:
            raise EOFError("nobody types any more")
        end = self._typed.find(b"\n", 0, MAX_LINE) + 1 or min(len(self._typed), MAX_LINE)
        typed, self._typed = self._typed[:end], self._typed[end:]
        return typed.decode("utf-8", "replace").rstrip("\r\n")

    def show(self, text: str) -> None:
        """Print a line."""
        self._out.write(f"{text}\n")
        self._out.flush()


async def _readable(source: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    try:
        loop.add_reader(source, _finish, ready)
    except PermissionError:  # the source is a plain file, which can always be read
        return
    try:
        await ready
    finally:
        loop.remove_reader(source)


def _finish(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


@cache
def the_terminal() -> Terminal:
    """Return the terminal that this program was started from; a closed one counts as input that has ended.

    If both ends are a terminal and prompt-toolkit is installed, it has an editor of lines.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(ImportError):
            from parlour.agents.line_editor import PromptTerminal

            return PromptTerminal()
    try:
        source = sys.stdin.fileno()
    except OSError:
        source = os.open(os.devnull, os.O_RDONLY)
    return FileTerminal(source, sys.stdout)
