"""A websocket at the door: each frame is answered separately; answers are written in order and in few writes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from parlour.net.framing.connection import LineRate
from parlour.net.mila.kernel.telling import framed

if TYPE_CHECKING:
    from parlour.net.framing.websocket import TextSocket
    from parlour.net.mila.door import MilaDoor

MAX_UNSENT = 32 << 20
"""Maximum bytes of unsent output for a client that does not read; with more it is disconnected."""
MAX_UNREAD = 1 << 20
"""Number of unsent bytes above which a client's requests wait."""
LOOK_AGAIN = 0.05
"""Minimum seconds between two checks if waiting requests may begin."""
MAX_AT_WORK = 64
"""Maximum number of simultaneous requests of one socket; further ones wait, and reading stops."""


PATIENCE = 0.05
"""Seconds that quiet frames may wait. Players order at about the same time, and a separate notification of each order
costs more than the order.
"""

T = TypeVar("T")
Given = ParamSpec("Given")
_numbers = count()


class Recent(Generic[T]):
    """A set of limited size that forgets its oldest items."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[T, None] = {}

    def __contains__(self, one: T) -> bool:
        return one in self._kept

    def add(self, one: T) -> None:
        """Add an item as the latest."""
        self._kept.pop(one, None)
        self._kept[one] = None
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]


class Socket:
    """A client's connection, independent of the transport of its frames.

    A client assumes the changes of its request when the answer arrives. So notifications of a game wait while a request
    about it is running.
    """

    def __init__(
        self,
        write: Callable[[bytes, bool], None],
        *,
        address: str = "",
        regrades: bool = False,
        weigh: Callable[[int], object] = int,
    ) -> None:
        self.weigh = weigh
        """Counts bytes that a request makes the server read against the rate of the connection."""
        self.number = next(_numbers)
        """The socket's number; later sockets have higher numbers."""
        self.address = address
        self.regrades = regrades
        """True if the client can process a change of its role, on which clients of 1.1.2 crash."""
        self.tokens: set[str] = set()
        self._write = write
        self._held: dict[str, list[bytes]] = {}
        self._lanes: dict[str, list[Callable[[], object]]] = {}
        """Games with a running request, and the requests that wait for it."""

    def in_turn(self, game: str, begin: Callable[Given, object], *given: Given.args, **named: Given.kwargs) -> bool:
        """Begin a request, after earlier ones about the same game; return True if it began at once."""
        waiting = self._lanes.get(game)
        if waiting is not None:
            waiting.append(partial(begin, *given, **named))
            return False
        self._lanes[game] = []
        begin(*given, **named)
        return True

    def done(self, game: str) -> None:
        """Note that a request about a game is done, and begin the next one."""
        if waiting := self._lanes[game]:
            asyncio.get_running_loop().call_soon(waiting.pop(0))
        else:
            del self._lanes[game]

    def answer(self, text: bytes) -> None:
        """Send a response."""
        self._write(framed(text), False)

    def teller(self, game: str) -> Callable[[bytes, bool], None]:
        """Return the function that sends notifications about a game, in frames."""

        def tell(frames: bytes, quiet: bool) -> None:
            held = self._held.get(game)
            if held is None:
                self._write(frames, quiet)
            else:
                held.append(frames)

        return tell

    def hold(self, game: str) -> None:
        """Hold back the notifications of a game."""
        self._held.setdefault(game, [])

    def keep_place(self, game: str) -> Callable[[bytes], None]:
        """Keep a place among the notifications that are held back; return the function that puts frames there."""
        held = self._held[game]
        held.append(b"")
        return partial(held.__setitem__, len(held) - 1)

    def release(self, game: str) -> None:
        """Send the notifications of a game that were held back, and hold back no more."""
        for frames in self._held.pop(game, ()):
            self._write(frames, False)


class Pump:
    """Handles the input and output of one websocket until the server reports its end."""

    def __init__(
        self,
        door: MilaDoor,
        carrier: TextSocket,
        *,
        address: str = "",
        regrades: bool = False,
        rate: LineRate | None = None,
    ) -> None:
        self._door, self._carrier = door, carrier
        self._loop = asyncio.get_running_loop()
        self._outbox: list[bytes] = []
        self._sending = False
        """True if the outbox is sent in the next turn of the loop."""
        self._later: asyncio.TimerHandle | None = None
        """Timer that sends quiet frames after a moment."""
        self._unread: deque[bytes] = deque()
        self._at_work = 0
        self._is_gone = False
        """True once the socket is closed: waiting requests are dropped."""
        self._is_behind = False
        """True while the client is far behind with reading."""
        self._catching_up = False
        """True if waiting requests begin in the next turn of the loop."""
        self._rate = rate or LineRate()
        self._held: asyncio.TimerHandle | None = None
        """Timer after which waiting requests may begin: they came too fast, or their answers are not read."""
        self._idle = asyncio.Event()
        self._idle.set()
        self.socket = Socket(self._put, address=address, regrades=regrades, weigh=self._rate.sent)
        carrier.listen(self.receive)

    async def gone(self) -> None:
        """Finish the work begun for a closed socket, and then send nothing more to it."""
        self._is_gone = True
        if self._held is not None:
            self._held.cancel()
            self._hold(0.0)
        await self._idle.wait()
        self._door.hang_up(self.socket)
        self._door.backlog.forget(self._carrier)

    def receive(self, frame: bytes) -> None:
        """Process a frame, now or when it may begin."""
        wait = self._rate.line(len(frame))
        if self._at_work < MAX_AT_WORK and not self._unread and not wait and self._carrier.unsent <= MAX_UNREAD:
            self._begin(frame)
            return
        if not self._unread:
            self._carrier.pause()
        self._unread.append(frame)
        if not self._at_work and self._held is None and not self._catching_up:
            self._hold(wait)

    def _hold(self, wait: float) -> None:
        """Begin no further request for a while; for a closed socket, none at all."""
        if self._is_gone:
            self._unread.clear()
            if not self._at_work:
                self._idle.set()
            return
        self._held = self._loop.call_later(max(wait, LOOK_AGAIN), self._catch_up)

    def _begin(self, frame: bytes) -> None:
        self._at_work += 1
        self._idle.clear()
        self._door.receive(self.socket, frame, self._done)

    def _done(self) -> None:
        self._at_work -= 1
        if self._unread:
            if not self._catching_up and self._held is None:
                # Not called directly: requests that are answered at once would recurse.
                self._catching_up = True
                self._loop.call_soon(self._catch_up)
        elif not self._at_work:
            self._idle.set()

    def _catch_up(self) -> None:
        """Begin as many waiting requests as allowed, and resume reading once none waits."""
        self._catching_up, self._held = True, None
        for _ in range(min(MAX_AT_WORK - self._at_work, len(self._unread))):
            wait = self._rate.wait()
            if wait or self._carrier.unsent > MAX_UNREAD:
                self._catching_up = False
                self._hold(wait)
                return
            self._begin(self._unread.popleft())
        self._catching_up = False
        if not self._unread:
            self._carrier.go_on()
        elif self._at_work < MAX_AT_WORK:  # some of the requests were answered at once
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
        """Send the queued frames of this turn of the loop, with earlier quiet ones."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._sending = False
        frames, self._outbox = self._outbox, []
        self._rate.sent(sum(map(len, frames)))
        self._carrier.send_frames(frames)
        unsent = self._carrier.unsent
        if unsent > MAX_UNSENT:
            self._carrier.cut()
        elif unsent > MAX_UNREAD:
            self._door.backlog.note(self._carrier)
        elif self._is_behind:
            self._door.backlog.forget(self._carrier)
        self._is_behind = unsent > MAX_UNREAD
