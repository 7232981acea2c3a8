"""HTTP connections with limits that uvicorn does not have: their number, their time, the size of heads."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from parlour.errors import RemoteWireError
from parlour.net.framing.limiter import ConnectionLimiter, Rank

MAX_HEAD = 1 << 16
"""Maximum bytes of the first line and the headers of one request."""
HEAD_TIME = 10.0
"""Seconds within which the head of a request must arrive."""
BODY_TIME = 60.0
"""Seconds within which the body must arrive after the head."""
MOST_AHEAD = 16
"""Maximum number of requests that one connection may send ahead of their answers; browsers send none."""
PIECES, PIECE = 1024, 64
"""Maximum number of body pieces per read, and the mean size in bytes above which more are allowed."""
MAX_AROUND = 1 << 16
"""Maximum bytes of a request that are neither head nor body: chunk sizes and extensions, trailers."""
MOST_TRAILERS = 32
"""Maximum number of headers after a body; they are ignored."""
MAX_UNWANTED = 1 << 20
"""Maximum bytes of a body that may arrive after the request was answered."""


class BoundedHttp(HttpToolsProtocol):
    """One HTTP connection. Each door has a subclass with its own limiter; see bounded_http."""

    limiter: ConnectionLimiter
    head_time, body_time = HEAD_TIME, BODY_TIME
    rank = Rank.STAYS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.address = ""
        self._head = 0
        self._waiting = False
        """True while the head of a request is awaited."""
        self._body_timer: asyncio.TimerHandle | None = None
        self._whole = True
        """True if the last request has arrived completely."""
        self._around = self._trailers = self._unwanted = 0
        """Bytes around the body of this request, headers after it, and bytes of it that came after the answer."""
        self._pieces = self._in_pieces = 0
        """Pieces of bodies in this read, and their bytes."""
        self._entered = False
        self._unanswered: list[RequestResponseCycle] = []
        """The request that is being answered and those that arrived after it."""

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
            # An exception here stops the parsing of all buffered requests, each of which would take kilobytes.
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
            raise RemoteWireError("sends a body in tiny pieces")  # each piece costs as much as many bytes
        if self.cycle.response_complete:
            self._unwanted += len(body)
            if self._unwanted > MAX_UNWANTED:
                raise RemoteWireError("sends a body that nobody waits for")
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_come()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """End the connection after invalid bytes, and stop earlier answers."""
        self._nobody_listens()
        super().send_400_response(msg)

    def shutdown(self) -> None:
        """Stop: wait for answers that were begun, but not for requests that have not arrived."""
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
        """Close the connection to make room for others."""
        self.transport.abort()

    def late(self) -> None:
        """Close the connection, because the head has not arrived in time."""
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
        """Note that the whole request has arrived, or never will."""
        self._whole = True
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None


def bounded_http(limiter: ConnectionLimiter, **times: float) -> type[BoundedHttp]:
    """Return the protocol class of one door; `times` overrides head_time and body_time."""
    return type("DoorHttp", (BoundedHttp,), {"limiter": limiter, **times})
