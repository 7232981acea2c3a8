"""Lines to and from another process, on an event loop: no call waits for the process, and unread input is bounded.

Output of the process is read only while it is wanted, so that a process that writes too much is stopped by its own
pipe. Up to MAX_UNREAD bytes of its unread input are kept, and as many more for lines that it must receive.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import time
import weakref
from collections.abc import Callable, Sequence

from parlour.agents import process_supervisor
from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.errors import RemoteWireError

MAX_LINE = 1 << 20
MAX_UNREAD = 1 << 22
_PIECE = 1 << 16


class Lines:
    """A process and its two pipes; started at once, ended by close or with the last reference to it."""

    def __init__(self, words: Sequence[str], limits: Limits = UNLIMITED) -> None:
        process, self.held = process_supervisor.start(words, limits)
        self.process = process
        self.gone: Exception | None = None
        """The error that ended the stream of lines."""
        self._finalizer = weakref.finalize(self, process_supervisor.end, process)
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdout.fileno(), process.stdin.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._heard, self._unread = bytearray(), bytearray()
        self._looked = 0
        """Number of received bytes that were searched for the end of a line."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._took: Callable[[bytes], None] = _nobody
        self._lost: Callable[[Exception], None] = _nobody
        self._wanted = self._reading = self._writing = self._handing_on = False
        self._empty = asyncio.Event()

    def first(self, until: float) -> bytes | None:
        """Return the first line without removing it; None if none comes in time. Blocks; call it before attach only."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._in, selectors.EVENT_READ)
            while (end := self._heard.find(b"\n")) < 0 and len(self._heard) <= MAX_LINE:
                if not selector.select(max(0.0, until - time.monotonic())):
                    return None
                if not (piece := os.read(self._in, _PIECE)):
                    return None
                self._heard += piece
        return None if end < 0 else bytes(self._heard[:end])

    def attach(self, took: Callable[[bytes], None], lost: Callable[[Exception], None]) -> None:
        """Continue on the running loop: `took` receives each wanted line, `lost` the error that ends them."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._took, self._lost = loop, took, lost
            self._reading = self._writing = False

    def want(self, wanted: bool) -> None:
        """Listen to the process, or stop listening; may be called while a line is taken."""
        self._wanted = wanted
        self._hand_on()

    def send(self, line: bytes, *, must: bool = False) -> bool:
        """Write a line as soon as there is room for it; return False if the process is gone, or does not read."""
        if self.gone is not None or len(self._unread) + len(line) > MAX_UNREAD * (2 if must else 1):
            return False
        self._unread += line
        self._write()
        return self.gone is None

    async def sent(self) -> None:
        """Wait until the process has taken all that was sent, or is gone."""
        while self._unread and self.gone is None:
            self._empty.clear()
            await self._empty.wait()

    def close(self) -> None:
        """End the process, by force if it does not end on request."""
        self._lose(ConnectionError("the program has ended"))
        self._finalizer()

    # Reading

    def _hand_on(self) -> None:
        """Pass on the received lines while they are wanted, and listen for more."""
        if self._handing_on:
            return
        self._handing_on = True
        try:
            while self._wanted and self.gone is None and (end := self._heard.find(b"\n", self._looked)) >= 0:
                line = bytes(self._heard[:end])
                del self._heard[: end + 1]
                self._looked = 0
                self._took(line)
        finally:
            self._handing_on = False
        if self._wanted:
            self._looked = len(self._heard)
        if self._wanted and self.gone is None and len(self._heard) > MAX_LINE:
            self._lose(RemoteWireError(f"the program wrote a line of more than {MAX_LINE:,} bytes"))
            self.close()
        self._watch()

    def _readable(self) -> None:
        try:
            piece = os.read(self._in, _PIECE)
        except BlockingIOError:
            return
        if piece:
            self._heard += piece
            self._hand_on()
        else:
            self._lose(ConnectionError(process_supervisor.why_ended(self.process)))

    # Writing

    def _write(self) -> None:
        try:
            while self._unread:
                del self._unread[: os.write(self._out, bytes(self._unread[:_PIECE]))]
        except BlockingIOError:
            pass
        except OSError:
            self._lose(ConnectionError(process_supervisor.why_ended(self.process)))
        if not self._unread:
            self._empty.set()
        self._watch()

    # The loop

    def _watch(self) -> None:
        """Register with the loop for wanted input and for room for output, or remove the registration."""
        if self._loop is None or self._loop.is_closed():
            return
        reads = self._wanted and self.gone is None
        writes = bool(self._unread) and self.gone is None
        if reads != self._reading:
            self._reading = reads
            self._loop.add_reader(self._in, self._readable) if reads else self._loop.remove_reader(self._in)
        if writes != self._writing:
            self._writing = writes
            self._loop.add_writer(self._out, self._write) if writes else self._loop.remove_writer(self._out)

    def _lose(self, reason: Exception) -> None:
        if self.gone is None:
            self.gone = reason
            self._unread.clear()
            self._empty.set()
            self._watch()
            self._lost(reason)


def _nobody(_: object) -> None:
    """Ignore a line: stands in until attach sets a receiver."""
