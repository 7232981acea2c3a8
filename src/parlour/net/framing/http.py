"""HTTP connections with bounds that uvicorn does not set: how many, how slow, how much of a head."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from parlour.errors import RemoteWireError
from parlour.net.framing.limiter import ConnectionLimiter, Rank

MAX_HEAD = 1 << 16
"""Bytes of the first line and the headers of one request."""
HEAD_TIME = 10.0
"""Seconds within which the head of a request must arrive."""
BODY_TIME = 60.0
"""Seconds within which the body must arrive after the head."""
MOST_AHEAD = 16
"""Requests that one connection may send ahead of their answers; browsers send none."""
PIECES, PIECE = 1024, 64
"""Maximum number of body pieces per read, and the mean size in bytes above which more are allowed."""
MAX_AROUND = 1 << 16
"""Bytes of a request that are neither head nor body: sizes and extensions of chunks, what follows the last one."""
MOST_TRAILERS = 32
"""Headers that follow a body; nobody reads them."""
MAX_UNWANTED = 1 << 20
"""Bytes of a body that may come after the request was answered."""


class BoundedHttp(HttpToolsProtocol):
    """One HTTP connection. A subclass with the limiter of its door is made for each door."""

    limiter: ConnectionLimiter
    head_time, body_time = HEAD_TIME, BODY_TIME
    rank = Rank.STAYS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.address = ""
        self._head = 0
        self._waiting = False
        """True while the head of a request is to come."""
        self._body_timer: asyncio.TimerHandle | None = None
        self._whole = True
        """True if the body of the last request has come."""
        self._around = self._trailers = self._unwanted = 0
        """Bytes around the body of this request, headers behind it, bytes of it that come too late."""
        self._pieces = self._in_pieces = 0
        """Pieces of bodies in this read, and their bytes."""
        self._entered = False
        self._unanswered: list[RequestResponseCycle] = []
        """The request that is being answered and those that came behind it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._entered = True
        if self.limiter.enter(self, self.address):
            self._wait()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._waiting:
            self._head += len(data)
            if self._head - len(data) > MAX_HEAD:  # data that comes with the end of a head may be the body
                self.send_400_response("The head of the request is too long.")
                return
        self._pieces = self._in_pieces = 0
        inside = not self._whole
        super().data_received(data)
        if inside and not self._whole:
            self._around += len(data) - self._in_pieces
            if self._around > MAX_AROUND and not self.transport.is_closing():
                self.send_400_response("There is too much around the body of the request.")
                return
        if not self._whole and self._body_timer is None and not self.transport.is_closing():
            self._body_timer = self.loop.call_later(self.body_time, self.transport.abort)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._waiting:
            self._wait()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self._unanswered = [cycle for cycle in self._unanswered if not cycle.response_complete]
            self._unanswered.append(self.cycle)
        if len(self.pipeline) > MOST_AHEAD:
            # An exception here ends the reading of all buffered requests, each of which would take its kilobytes.
            raise RemoteWireError("sends requests without waiting for their answers")
        self._whole = False
        self._around = self._trailers = self._unwanted = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._whole:
            self._trailers += 1
            if self._trailers > MOST_TRAILERS:
                raise RemoteWireError("sends headers without end behind a body")
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._pieces += 1
        self._in_pieces += len(body)
        if self._pieces > PIECES and self._in_pieces < PIECE * self._pieces:
            raise RemoteWireError("sends a body in tiny pieces")  # each costs more than many bytes at once
        if self.cycle.response_complete:
            self._unwanted += len(body)
            if self._unwanted > MAX_UNWANTED:
                raise RemoteWireError("sends a body that nobody waits for")
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_come()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """End the connection after bytes that are not a request; nobody waits for earlier answers any longer."""
        self._nobody_listens()
        super().send_400_response(msg)

    def shutdown(self) -> None:
        """Stop: wait for answers that were begun, not for requests that have not arrived."""
        if self._whole:
            super().shutdown()
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._has_come()
        if self._entered:
            self.limiter.left(self)
        self._nobody_listens()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self._has_come()
        super().handle_websocket_upgrade()
        # The connection now belongs to another protocol, which does not report its end.
        self._watch_upgraded(self.transport.get_protocol())

    def _watch_upgraded(self, protocol: Any) -> None:
        lost = protocol.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            self.limiter.left(self)
            lost(exc)

        protocol.connection_lost = connection_lost

    def _wait(self) -> None:
        self._head = 0
        self._waiting = True
        self.limiter.waits(self, self.head_time)

    def show_out(self, reason: str) -> None:
        """Hang up: others need the place."""
        self.transport.abort()

    def late(self) -> None:
        """Hang up: the head has not come in time."""
        self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._waiting:
            self._waiting = False
            self.limiter.spoke(self)

    def _nobody_listens(self) -> None:
        """Inform all tasks that answer requests of this connection; uvicorn informs only the newest."""
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()

    def _has_come(self) -> None:
        """Take note that the whole request is here, or never will be."""
        self._whole = True
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None


def bounded_http(limiter: ConnectionLimiter, **times: float) -> type[BoundedHttp]:
    """Return the protocol of one door; times are those of BoundedHttp."""
    return type("DoorHttp", (BoundedHttp,), {"limiter": limiter, **times})
