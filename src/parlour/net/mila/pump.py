"""One websocket at the door: frames in, each answered on its own; frames out, in order, as few writes as can be."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from parlour.net.mila.door import MilaDoor
from parlour.net.mila.sockets import Socket

MAX_UNSENT = 32 << 20
"""Bytes that may wait for a client that does not read; then it is cut off."""
MAX_AT_WORK = 64
"""Requests of one socket that are at work at once; more wait, and nothing more is read."""


PATIENCE = 0.05
"""Seconds for which frames may wait that nobody acts upon. Players order at about the same time, and to be told of each
order by itself costs more than the order.
"""


class Carrier(Protocol):
    """What carries the frames."""

    def listen(self, listener: Callable[[bytes], None], /) -> None:
        """Give each frame that comes to the listener."""
        ...

    def send_frames(self, frames: Sequence[bytes], /) -> None:
        """Send frames, any number of them in each of these."""
        ...

    @property
    def unsent(self) -> int:
        """Bytes that wait because the client does not read."""
        ...

    def pause(self) -> None:
        """Read nothing more until it goes on."""
        ...

    def go_on(self) -> None:
        """Read again."""
        ...

    def cut(self) -> None:
        """Hang up at once."""
        ...


class Pump:
    """Runs one websocket from when it is made until it is told that the socket is gone."""

    def __init__(self, door: MilaDoor, carrier: Carrier, *, address: str = "", regrades: bool = False) -> None:
        self._door, self._carrier = door, carrier
        self._loop = asyncio.get_running_loop()
        self._outbox: list[bytes] = []
        self._sending = False
        """Whether the outbox is sent when the loop has done what it is at."""
        self._later: asyncio.TimerHandle | None = None
        """Sends it after a moment, for there are only quiet frames in it."""
        self._unread: deque[bytes] = deque()
        self._at_work = 0
        self._catching_up = False
        """Whether some of what is unread begins when the loop has done what it is at."""
        self._idle = asyncio.Event()
        self._idle.set()
        self.socket = Socket(self._put, address=address, regrades=regrades)
        carrier.listen(self.receive)

    async def gone(self) -> None:
        """The socket is gone: what was asked for is still done, and then nobody is told anything there any more."""
        await self._idle.wait()
        self._door.hang_up(self.socket)

    def receive(self, frame: bytes) -> None:
        """Take a frame in."""
        if self._at_work < MAX_AT_WORK and not self._unread:
            self._begin(frame)
            return
        if not self._unread:
            self._carrier.pause()
        self._unread.append(frame)

    def _begin(self, frame: bytes) -> None:
        self._at_work += 1
        self._idle.clear()
        self._door.receive(self.socket, frame, self._done)

    def _done(self) -> None:
        self._at_work -= 1
        if self._unread:
            if not self._catching_up:
                # Not from here: what is answered at once would lead back here, as often as there is something to read.
                self._catching_up = True
                self._loop.call_soon(self._catch_up)
        elif not self._at_work:
            self._idle.set()

    def _catch_up(self) -> None:
        """Begin as many of the requests that wait as there is room for, and read on once none does."""
        for _ in range(min(MAX_AT_WORK - self._at_work, len(self._unread))):
            self._begin(self._unread.popleft())
        self._catching_up = False
        if not self._unread:
            self._carrier.go_on()
        elif self._at_work < MAX_AT_WORK:  # some were answered at once
            self._catching_up = True
            self._loop.call_soon(self._catch_up)

    def _put(self, frames: bytes, quiet: bool) -> None:
        self._outbox.append(frames)
        if self._sending:
            return
        if not quiet:
            self._sending = True
            self._loop.call_soon(self._send)
        elif self._later is None:
            self._later = self._loop.call_later(PATIENCE, self._send)

    def _send(self) -> None:
        """Send what came together in this step of the loop, after what was quiet before it."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._sending = False
        frames, self._outbox = self._outbox, []
        self._carrier.send_frames(frames)
        if self._carrier.unsent > MAX_UNSENT:
            self._carrier.cut()
