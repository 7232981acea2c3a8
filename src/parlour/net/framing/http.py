"""HTTP connections with bounds that uvicorn does not set: how many, how slow, how much of a head."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from parlour.errors import RemoteWireError

MAX_HEAD = 1 << 16
"""Bytes of the first line and the headers of one request."""
HEAD_TIME = 10.0
"""Seconds in which they must have come."""
BODY_TIME = 60.0
"""Seconds in which the rest of a request must have come after its head."""
MOST_AHEAD = 16
"""Requests that one connection may send ahead of their answers; browsers send none."""
MOST_QUIET = 512
"""Connections that have not said what they want; one more sends the oldest of them away."""


class Porch:
    """The HTTP connections of one door: how many there are, and who of them has not said what it wants."""

    def __init__(
        self,
        *,
        most: int,
        most_of_one: int,
        most_quiet: int = MOST_QUIET,
        head_time: float = HEAD_TIME,
        body_time: float = BODY_TIME,
    ) -> None:
        self.head_time, self.body_time = head_time, body_time
        self._most = most
        self._most_of_one = most_of_one
        self._most_quiet = most_quiet
        self._quiet: dict[BoundedHttp, None] = {}
        self._of_one: Counter[str] = Counter()
        self._count = 0

    def __len__(self) -> int:
        """How many connections there are."""
        return self._count

    @property
    def quiet(self) -> int:
        """How many have not said what they want."""
        return len(self._quiet)

    def entered(self, connection: BoundedHttp) -> bool:
        """Whether a new connection may stay; if so, somebody else may have had to go."""
        self._count += 1
        self._of_one[connection.address] += 1
        if self._count > self._most and not self._quiet:
            return False
        return self._of_one[connection.address] <= self._most_of_one

    def left(self, connection: BoundedHttp) -> None:
        """A connection is gone."""
        self._count -= 1
        self._of_one[connection.address] -= 1
        if not self._of_one[connection.address]:
            del self._of_one[connection.address]
        self._quiet.pop(connection, None)

    def waits(self, connection: BoundedHttp) -> None:
        """A connection is to say what it wants. If too many are, the one that has been for longest must go."""
        self._quiet.pop(connection, None)
        if self._quiet and (len(self._quiet) >= self._most_quiet or self._count > self._most):
            oldest = next(iter(self._quiet))
            del self._quiet[oldest]
            oldest.transport.abort()
        self._quiet[connection] = None

    def spoke(self, connection: BoundedHttp) -> None:
        """A connection has said what it wants."""
        self._quiet.pop(connection, None)


class BoundedHttp(HttpToolsProtocol):
    """One HTTP connection. A subclass with a porch of its own is made for each door."""

    porch: Porch

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.address = ""
        self._head = 0
        self._timer: asyncio.TimerHandle | None = None
        self._body_timer: asyncio.TimerHandle | None = None
        self._whole = True
        """Whether the body of the last request has come."""
        self._entered = False
        self._unanswered: list[RequestResponseCycle] = []
        """The request that is being answered and those that came behind it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._entered = True
        if self.porch.entered(self):
            self._wait()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._timer is not None:
            self._head += len(data)
            if self._head - len(data) > MAX_HEAD:  # what comes with the end of a head may be the body
                self.send_400_response("The head of the request is too long.")
                return
        super().data_received(data)
        if not self._whole and self._body_timer is None and not self.transport.is_closing():
            self._body_timer = self.loop.call_later(self.porch.body_time, self.transport.abort)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:
            self._wait()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self._unanswered = [cycle for cycle in self._unanswered if not cycle.response_complete]
            self._unanswered.append(self.cycle)
        if len(self.pipeline) > MOST_AHEAD:
            # What is raised here ends the reading of all that has come, each request of which would take its kilobytes.
            raise RemoteWireError("sends requests without waiting for their answers")
        self._whole = False

    def on_message_complete(self) -> None:
        self._has_come()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What is no request ends the connection, so that whoever answers an earlier one has nobody to tell."""
        self._nobody_listens()
        super().send_400_response(msg)

    def shutdown(self) -> None:
        """The server stops: it waits for what it began to answer, not for what has not come."""
        if self._whole:
            super().shutdown()
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._has_come()
        if self._entered:
            self.porch.left(self)
        self._nobody_listens()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self._has_come()
        super().handle_websocket_upgrade()
        # The connection is another protocol's from now on, which does not tell us when it ends.
        self._watch_upgraded(self.transport.get_protocol())

    def _watch_upgraded(self, protocol: Any) -> None:
        lost = protocol.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            self.porch.left(self)
            lost(exc)

        protocol.connection_lost = connection_lost

    def _wait(self) -> None:
        self._head = 0
        self._timer = self.loop.call_later(self.porch.head_time, self.transport.abort)
        self.porch.waits(self)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.porch.spoke(self)

    def _nobody_listens(self) -> None:
        """Let all who answer requests of this connection know; uvicorn tells only whoever has the newest of them."""
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()

    def _has_come(self) -> None:
        """The whole request is here, or never will be."""
        self._whole = True
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None


def bounded_http(porch: Porch) -> type[BoundedHttp]:
    """The protocol of one door."""
    return type("DoorHttp", (BoundedHttp,), {"porch": porch})
