"""Websockets that carry many short texts: whole texts are delivered at once, and texts sent together are one write.

It is a subclass of uvicorn's websocket, which handles everything that is not a whole text: handshakes, pieces, pings,
closing, and violations of the protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from starlette.websockets import WebSocketDisconnect
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request

from parlour.core.text import too_large
from parlour.net.framing.connection import LineRate
from parlour.net.framing.heads import TEXT

try:
    from websockets.speedups import apply_mask
except ImportError:  # an installation without a compiler
    from websockets.utils import apply_mask

EXTENSION = "parlour.texts"
"""Name of the socket among the extensions of an application's scope."""
SLICE = 0.001
"""Seconds for which frames of one socket are processed before other sockets are read."""
ODD_PER_SECOND, ODD_AT_ONCE = 100.0, 500.0
"""Maximum pings and pieces of one socket per second, and at once: clients send few of them."""
MOST_PIECES = 1000
"""Maximum number of frames of one message; an empty frame adds nothing to its length."""
HOLD = 0.05
"""Minimum seconds for which a socket is not read that sends pings or pieces too fast."""
_FINAL, _OPCODE, _MASKED = 0x80, 0x0F, 0x80
_MASK = 4
"""Bytes of the mask before the payload of every frame that a client sends."""


class TextSocket(WebSocketsSansIOProtocol):
    """One websocket. Without a listener, and for frames that are not whole texts, it behaves like uvicorn's."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._application, self.app = self.app, self._run
        self._listener: Callable[[bytes], None] | None = None
        self._pieces = bytearray()
        """The received part of an incomplete frame, and frames that wait."""
        self._needed = 0
        """Number of bytes of the incomplete frame; until they have arrived it is not processed."""
        self._in_pieces = False
        """True inside a message of several frames."""
        self._odd = LineRate(ODD_PER_SECOND, ODD_AT_ONCE, clock=self.loop.time)
        """Rate limit on frames that are not whole texts; whole texts are counted elsewhere."""
        self._resting: asyncio.Handle | None = None
        """The scheduled call that processes the waiting frames; None if there are none."""
        self._stopped = False
        """True while the listener wants no more input."""

    async def _run(self, scope: Any, receive: Any, send: Any) -> None:
        """Run the application; a client that leaves before the handshake or before the end is not an error."""
        try:
            await self._application(scope, receive, send)
        except WebSocketDisconnect:
            if not self.disconnected:
                raise
            raise ClientDisconnected from None

    def listen(self, listener: Callable[[bytes], None]) -> None:
        """Pass whole texts to the listener from now on; the application still receives the end."""
        self._listener = listener

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message of the application; if it has a `frame`, those bytes are sent unchanged.

        So a message for many receivers is framed only once.
        """
        frame = message.get("frame") if self.handshake_complete else None
        if not isinstance(frame, bytes) or self.close_sent:
            await super().send(message)
            return
        await self.writable.wait()
        if self.disconnected:
            raise ClientDisconnected
        self.transport.write(frame)

    def send_frame(self, frame: bytes) -> bool:
        """Send a whole frame at once; return False, with nothing sent, if it would wait or the line is closed."""
        if not self.handshake_complete or self.close_sent or self.disconnected or not self.writable.is_set():
            return False
        self.transport.write(frame)
        return True

    def send_frames(self, frames: Sequence[bytes]) -> None:
        """Send whole frames in one write; do nothing if the socket is closing."""
        if not self.close_sent and not self.transport.is_closing():
            self.transport.writelines(frames)

    @property
    def unsent(self) -> int:
        """Number of bytes that wait because the client does not read."""
        return self.transport.get_write_buffer_size()

    def pause(self) -> None:
        """Stop reading until go_on is called."""
        self._stopped = True
        self.transport.pause_reading()

    def go_on(self) -> None:
        """Resume reading."""
        self._stopped = False
        if self._resting is None:
            self.transport.resume_reading()

    def cut(self) -> None:
        """Disconnect at once; unsent output is lost."""
        self.transport.abort()

    def keepalive_timeout(self) -> None:
        """Disconnect a peer that does not answer pings; unsent output is lost."""
        super().keepalive_timeout()
        self.transport.abort()

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            extensions: Any = self.scope["extensions"]
            extensions[EXTENSION] = self

    def data_received(self, data: bytes) -> None:
        if not self.handshake_initiated:
            super().data_received(data)
            return
        if not self.handshake_complete:
            self.transport.abort()  # a client that sends frames before the handshake breaks the protocol
            return
        if self._resting is not None:  # uvicorn has resumed reading
            self._pieces += data
            self.transport.pause_reading()
            return
        if self._pieces:
            self._pieces += data
            if len(self._pieces) < self._needed:
                return
            data = bytes(self._pieces)
            self._pieces.clear()
        self._look_at(data)

    def _look_at(self, data: bytes) -> None:
        """Process the received frames; if there are many, the rest after other sockets were read."""
        at, size, self._needed = 0, len(data), 0
        until, wait = perf_counter() + SLICE, 0.0
        while (bounds := _bounds(data, at, size)) is not None:
            begin, end = bounds
            if end - begin > self.config.ws_max_size and self.handshake_complete and not self.close_sent:
                self._refuse_large()
                return
            lawful = end - begin <= self.config.ws_max_size and data[at + 1] & _MASKED
            if lawful and end > size:
                self._needed = end - at
                break
            end = end if lawful else size  # an invalid frame is left to uvicorn, with all that follows
            short = lawful and data[at] == TEXT and self._listener is not None and not self._in_pieces
            if not (short and self._give(data, begin, end)):
                wait = self._odd.line()
                self._leave_to_protocol(data[at:end])
            at = end
            if wait or perf_counter() >= until:
                self._rest(wait)
                break
        self._pieces += data[at:]

    def _rest(self, wait: float) -> None:
        """Stop reading until other tasks have run, or for `wait` seconds if frames came too fast."""
        self.transport.pause_reading()
        self._resting = (
            self.loop.call_later(max(wait, HOLD), self._rested) if wait else self.loop.call_soon(self._rested)
        )

    def _rested(self) -> None:
        self._resting = None
        if self.disconnected or self.transport.is_closing():
            return
        if not (self._stopped or self.read_paused):
            self.transport.resume_reading()
        data = bytes(self._pieces)
        self._pieces.clear()
        self._look_at(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._resting is not None:
            self._resting.cancel()
        super().connection_lost(exc)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MOST_PIECES:
            self._refuse_large()
            return
        super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Close the connection if a text is not UTF-8: uvicorn would log a traceback for each."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.send_close(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def _give(self, data: bytes, begin: int, end: int) -> bool:
        """Pass the text between these indexes to the listener; return False if it is not UTF-8."""
        text = apply_mask(data[begin:end], data[begin - _MASK : begin])
        if not text.isascii():
            try:
                text.decode()
            except UnicodeDecodeError:
                return False
        if self._listener is not None and not self.close_sent:
            self._listener(text)
        return True

    def _refuse_large(self) -> None:
        """Close the connection because of a too large message, with the same reason as every door."""
        self.conn.fail(CloseCode.MESSAGE_TOO_BIG, too_large("message", self.config.ws_max_size))
        self.handle_parser_exception()

    def _leave_to_protocol(self, frame: bytes) -> None:
        opcode, final = frame[0] & _OPCODE, bool(frame[0] & _FINAL)
        if opcode <= 2:  # text, bytes or a continuation; control frames may come in between
            self._in_pieces = not final
        super().data_received(frame)


def _bounds(data: bytes, at: int, size: int) -> tuple[int, int] | None:
    """Return the indexes at which the payload of a masked frame begins and ends; None if its head is incomplete."""
    if size - at < 2:
        return None
    length, begin = data[at + 1] & 0x7F, at + 2
    if length >= 126:
        more = 2 if length == 126 else 8
        if size - begin < more:
            return None
        length, begin = int.from_bytes(data[begin : begin + more], "big"), begin + more
    begin += _MASK
    return begin, begin + length
