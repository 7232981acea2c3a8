"""Simulated long-lived connections: slow, cut at any moment, or half-open, all from a seed.

Bytes arrive later and in order, as over TCP. Bytes in transit are lost when the connection is cut.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any


class Pipe:
    """One direction of a connection."""

    def __init__(
        self, chance: random.Random, slow: float, arrive: Callable[[bytes], None], *, torn: float = 0.0
    ) -> None:
        """Create a pipe; `torn` is the probability that a piece arrives in two parts."""
        self._chance, self._slow, self._arrive, self._torn = chance, slow, arrive, torn
        self._on_its_way: deque[Callable[[], None]] = deque()
        self._last = 0.0
        self.whole = True

    def put(self, piece: bytes) -> None:
        """Send a piece of bytes."""
        if self._torn and self._chance.random() < self._torn:
            at = self._chance.randrange(len(piece) + 1)
            self._put(piece[:at])
            piece = piece[at:]
        self._put(piece)

    def _put(self, piece: bytes) -> None:
        self._last = max(self._last, asyncio.get_running_loop().time() + self._chance.expovariate(1 / self._slow))
        self.after(partial(self._in, piece))

    def after(self, call: Callable[[], None]) -> None:
        """Call a function after all sent bytes have arrived."""
        loop = asyncio.get_running_loop()
        self._on_its_way.append(call)
        loop.call_at(max(self._last, loop.time()), self._out)

    def cut(self) -> None:
        """Stop all further delivery."""
        self.whole = False

    def _out(self) -> None:
        self._on_its_way.popleft()()  # the oldest call, because the loop may reorder calls that are due at one time

    def _in(self, piece: bytes) -> None:
        if self.whole:
            self._arrive(piece)


class SimulatedLine:
    """A connection between two asyncio protocols, for example of a client and a server in one process."""

    def __init__(
        self,
        client: asyncio.BaseProtocol,
        server: asyncio.BaseProtocol,
        chance: random.Random,
        *,
        slow: float = 0.01,
        torn: float = 0.0,
        overheard: Callable[[bytes], None] = lambda piece: None,
        received: Callable[[bytes], None] = lambda piece: None,
    ) -> None:
        """Create both ends; `overheard` gets all bytes that arrive at the client, `received` those at the server."""
        self._overheard, self._received = overheard, received
        self.ends = (_End(self, client), _End(self, server))
        self.client, self.server = self.ends
        self.client.pipe = Pipe(chance, slow, self._to_server, torn=torn)
        self.server.pipe = Pipe(chance, slow, self._to_client, torn=torn)

    def connect(self) -> None:
        """Report to both ends that the connection is made."""
        for end in (self.server, self.client):
            end.protocol.connection_made(end)

    def cut(self) -> None:
        """Report to both ends that the connection is lost."""
        self.server.lose()
        self.client.lose()

    def half_open(self) -> None:
        """Report to the client alone that the connection is lost."""
        self.server.pipe.cut()
        self.client.lose()

    def forsaken(self) -> None:
        """Report to the server alone that the connection is lost."""
        self.client.pipe.cut()
        self.server.lose()

    def _to_client(self, piece: bytes) -> None:
        self._overheard(piece)
        self.client.deliver(piece)

    def _to_server(self, piece: bytes) -> None:
        self._received(piece)
        self.server.deliver(piece)


class _End(asyncio.Transport):
    """The transport of one end."""

    pipe: Pipe

    def __init__(self, line: SimulatedLine, protocol: asyncio.BaseProtocol) -> None:
        super().__init__()
        self.protocol = protocol
        self._line = line
        self._closing = False
        self._lost = False

    @property
    def _other(self) -> _End:
        return self._line.ends[self is self._line.ends[0]]

    def deliver(self, piece: bytes) -> None:
        """Pass bytes that arrive at this end to its protocol."""
        while piece and not self._lost:
            if isinstance(self.protocol, asyncio.Protocol):
                self.protocol.data_received(piece)
                return
            assert isinstance(self.protocol, asyncio.BufferedProtocol)
            room = memoryview(self.protocol.get_buffer(len(piece)))
            size = min(len(room), len(piece))
            room[:size] = piece[:size]
            piece = piece[size:]
            self.protocol.buffer_updated(size)

    def lose(self) -> None:
        """Lose this end; bytes in transit from it never arrive."""
        if not self._lost:
            self._lost = self._closing = True
            self.pipe.cut()
            asyncio.get_running_loop().call_soon(self._tell_lost)

    def _tell_lost(self) -> None:
        self.protocol.connection_lost(None)

    def write(self, data: Any) -> None:
        if not self._closing:
            self.pipe.put(bytes(data))

    def close(self) -> None:
        """Close this end; bytes that were sent still arrive."""
        if not self._closing:
            self._closing = True
            self.pipe.after(self._over)

    def _over(self) -> None:
        if self.pipe.whole:
            self._other.lose()
        self.lose()

    def abort(self) -> None:
        if not self._lost:
            reached = self.pipe.whole
            self.lose()
            if reached:
                self._other.lose()

    def is_closing(self) -> bool:
        return self._closing

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self.protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def can_write_eof(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing, because written bytes are sent at once."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("192.0.2.1", 1) if name == "peername" else default

    def pause_reading(self) -> None:
        """Do nothing: slow readers are not simulated."""

    def resume_reading(self) -> None:
        """Do nothing: slow readers are not simulated."""
