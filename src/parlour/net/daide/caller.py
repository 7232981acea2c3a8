"""A connection of a DAIDE client: its greeting, its frames, and its guest."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from parlour.errors import ParlourError, RemoteWireError
from parlour.net.daide.frames import (
    DIPLOMACY,
    ERROR,
    FINAL,
    FIRST_BODY,
    REPRESENTATION,
    Fault,
    check_greeting,
    check_message,
    check_overlong,
    framed,
)
from parlour.net.daide.guest import DaideGuest
from parlour.net.daide.places import Gate
from parlour.net.daide.reception import Reception
from parlour.net.framing.connection import LineRate, Wire
from parlour.net.framing.frames import HEADER, MAX_BODY, FrameReader, OverlongFrame
from parlour.net.framing.limiter import CROWDED, ConnectionLimiter, Rank

GREETING_TIME = 30.0
"""Seconds that a connection has for its initial message."""
REPRESENTATION_DELAY = 0.03
"""Seconds before RM is sent: Java clients on a busy machine lose an RM that is sent at once."""
PROBE_TIME = 5.0
"""Seconds that a connection is probed at most when another client gives its passcode."""
PROBE_INTERVAL = 0.1
"""Seconds between two looks for an answer to the probe."""
DELAYED = 0.2
"""Seconds in which an acknowledgement may still be that of earlier data."""
MAX_WAITING = 64
"""Maximum number of messages of one client that wait to be answered; with more it is not read."""

Run = Callable[[Coroutine[Any, Any, None]], None]
"""Starts a coroutine in the background."""

_log = logging.getLogger(__name__)


class DaideCaller:
    """The connection of one client. Its messages are answered in order; orders are answered at once if possible."""

    def __init__(
        self,
        reception: Reception,
        gate: Gate,
        run: Run,
        limiter: ConnectionLimiter,
        gone: Callable[[DaideCaller], object] = lambda caller: None,
    ) -> None:
        self._frames = FrameReader(max_body=FIRST_BODY)
        self.connection = Wire(self, self._frames)
        self.connection.read_out, self.connection.offended = self._flush, self._offended
        self.connection.opened = self._opened
        self._gate, self._run, self._limiter, self._gone = gate, run, limiter, gone
        self._guest = DaideGuest(reception, gate, self.say, self.finish, self._address, self._is_reachable)
        self._ended = asyncio.Event()
        self._orders = gate.codec.codes["SUB"]
        self._greeted = self._represented = self._held_up = self._lost = False
        self._ear: asyncio.Future[None] | None = None
        """A future that is done when a message has arrived; None before the first."""
        self._unsaid: list[bytes] = []
        self._awaited: asyncio.Future[None] | None = None
        """The write that the queued answers wait for."""
        self._heard: deque[bytes] = deque()
        self._rate = LineRate()
        self._loop = asyncio.get_running_loop()
        self._representing: asyncio.TimerHandle | None = None

    # Methods that the limiter of connections calls

    @property
    def rank(self) -> Rank:
        """Return the rank of the connection: a player stays, an observer only while there is room."""
        return Rank(self._guest.presence)

    def show_out(self, reason: str) -> None:
        """Cut the connection to make room for others."""
        self.connection.end(ConnectionResetError(reason))

    def late(self) -> None:
        """Close the connection with the protocol's code: its initial message has not arrived in time."""
        self._fail(Fault(1, "sent no initial message in time"))

    def _opened(self) -> None:
        if self._limiter.enter(self, self._address()):
            self._limiter.waits(self, GREETING_TIME)
        else:
            self.show_out(CROWDED)

    def _address(self) -> str:
        return self.connection.address

    async def _is_reachable(self) -> bool:
        """Probe the connection by TCP keep-alive; return False if it is lost meanwhile.

        DAIDE has no message that a client must answer.
        """
        begun = self._loop.time()
        with self.connection.asked_often():
            while not self._lost and (waited := self._loop.time() - begun) < PROBE_TIME:
                if self.connection.silence() < waited - DELAYED:
                    break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), PROBE_INTERVAL)
        return not self._lost

    # Input

    def received(self, value: bytes) -> None:
        """Process a whole frame."""
        kind, body = value[0], value[HEADER:]
        try:
            if not self._greeted and kind not in (FINAL, ERROR):  # those two are never answered
                check_greeting(kind, body)
                self._greet()
                return
            check_message(kind, body)
        except Fault as fault:
            self._fail(fault)
            return
        if kind == DIPLOMACY:
            self._take(body)
        else:
            self.connection.end(ConnectionResetError("the client closed"))

    def _offended(self, error: RemoteWireError) -> None:
        """Close after a frame that is too long: with an error code if its kind is wrong too, else with FM."""
        if isinstance(error, OverlongFrame):
            try:
                check_overlong(error.kind, error.length, greeted=self._greeted)
            except Fault as fault:
                self._fail(fault)
            else:
                self.finish()

    def _greet(self) -> None:
        self._greeted = True
        self._frames.max_body = MAX_BODY
        self._limiter.spoke(self)
        self._representing = self._loop.call_later(REPRESENTATION_DELAY, self._represent)

    def _take(self, body: bytes) -> None:
        too_fast = self._rate.line(len(body)) > 0.0
        if body.startswith(self._orders) and not self._heard and len(self._unsaid) < MAX_WAITING and not too_fast:
            if self._guest.take_orders(body):
                return
        self._heard.append(body)
        if len(self._heard) >= MAX_WAITING:
            self._held_up = True
            self.connection.pause()
        if self._ear is None:
            self._ear = self._loop.create_future()
            self._run(self._listen())
        elif not self._ear.done():
            self._ear.set_result(None)

    def _represent(self) -> None:
        """Send RM, which comes before any other frame, unless it was sent."""
        if self._represented or not self._greeted:
            return
        self._represented = True
        self.connection.send(framed(REPRESENTATION, self._gate.codec.representation()))
        self._flush()

    async def _listen(self) -> None:
        """Answer messages one after the other until the connection is lost."""
        try:
            while not self._lost:
                if self._heard:
                    await self._answer()
                    await asyncio.sleep(self._rate.wait())  # rate limit
                else:
                    self._ear = self._loop.create_future()
                    await self._ear
        except ParlourError as error:
            _log.warning("a DAIDE client could not be answered: %s", error)
            self.connection.end(ConnectionResetError("could not be answered"))
        await self._guest.leave()

    async def _answer(self) -> None:
        """Answer the first waiting message."""
        heard = self._heard
        said = heard.popleft()
        if self._held_up and len(heard) <= MAX_WAITING // 2:
            self._held_up = False
            self.connection.resume()
        await self._guest.hear(said)
        self._flush()

    # Output

    def say(self, frames: bytes) -> None:
        """Queue frames, to be sent together with others of the same turn of the loop, and after RM."""
        self._unsaid.append(frames)
        if len(self._unsaid) == 1 and not self.connection.reading:
            self._loop.call_soon(self._flush)

    def _flush(self, stored: asyncio.Future[None] | None = None) -> bool:
        """Send the queued frames once the orders that they acknowledge are stored; return True if they wait."""
        if not self._unsaid or not self._represented or self._lost:
            return False
        storing = self._guest.storing()
        if storing is None:
            self._send_unsaid()
        elif storing is not self._awaited:
            self._awaited = storing
            storing.add_done_callback(self._flush)
        return storing is not None

    def _send_unsaid(self) -> None:
        frames = b"".join(self._unsaid)
        self._rate.sent(len(frames))
        self.connection.send(frames)
        self._unsaid.clear()

    def finish(self) -> None:
        """Send FM and close the connection."""
        self._represent()
        if self._guest.failed or self._guest.storing() is not None:
            self._unsaid.clear()  # the queued answers would acknowledge orders that are not stored
        self._unsaid.append(framed(FINAL))
        self._send_unsaid()
        self.connection.close()
        self._over()

    def _fail(self, fault: Fault) -> None:
        self._represent()
        self._flush()
        self.connection.send(framed(ERROR, fault.code.to_bytes(2, "big")))
        self.connection.close()
        self._over()

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        """Clean up after the connection was lost."""
        self._over()

    def _over(self) -> None:
        if self._lost:
            return
        self._lost = True
        self._ended.set()
        self._limiter.left(self)
        if self._representing is not None:
            self._representing.cancel()
        self._heard.clear()
        self._gone(self)
        self._guest.hang_up()
        if self._ear is not None and not self._ear.done():
            self._ear.set_result(None)
