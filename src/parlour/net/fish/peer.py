"""A player at the other end of a connection: one question at a time, one answer to each, reconnection in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from parlour.errors import RemoteWireError
from parlour.net.framing.connection import Wire

MAX_UNASKED = 16
"""Values beyond what was asked for; one who sends more is cut off."""


class Peer:
    """The server's end of a signed-up player. The connection may break and be replaced; the peer stays."""

    def __init__(self, name: str, connection: Wire | None = None, *, grace: float = 0.0) -> None:
        self.name = name
        self.grace = grace
        """Seconds that a broken connection may take to come back."""
        self.returned: Callable[[], None] | None = None
        """Called when a new connection has replaced a broken one: brings the player up to date."""
        self.on_lost: Callable[[], None] | None = None
        self._connection: Wire | None = None
        self._answer: asyncio.Future[bytes] | None = None
        self._error: ConnectionError | RemoteWireError | None = None
        self._unasked = 0
        self._late = 0
        """Questions given up on whose answers may still come."""
        self._back = asyncio.Event()
        self._closed = False
        if connection is not None:
            self.attach(connection)

    @property
    def connection(self) -> Wire | None:
        """The connection, as long as there is one."""
        return self._connection if self.present else None

    @property
    def is_closed(self) -> bool:
        """Whether we hung up for good."""
        return self._closed

    @property
    def present(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None and self._connection.is_open

    def attach(self, connection: Wire) -> None:
        """Speak over this connection from now on; an older one is closed."""
        old, self._connection = self._connection, connection
        first = old is None and self._error is None
        if old is not None and old is not connection:
            old.close()
        connection.receiver, connection.read_out = self, self._awaits_us
        self._error, self._late = None, 0
        self._back.set()
        if not first:
            if self.returned is not None:
                self.returned()
            self._fail(ConnectionResetError("the connection was replaced"))

    def send(self, text: bytes) -> None:
        """Send something that needs no answer; nothing happens while the player is away."""
        if self._connection is not None:
            self._connection.send(text)

    async def ask(self, question: bytes) -> bytes:
        """Send a question and wait for the answer, for as long as it takes: cancel to give up.

        ConnectionError if the player is gone and did not come back in time; RemoteWireError if it broke the protocol.
        """
        while True:
            if not self.present:
                await self._reachable()
            if self._unasked:
                raise RemoteWireError("sent a message that nobody had asked for")
            self._answer = asyncio.get_running_loop().create_future()
            self.send(question)
            try:
                return await self._answer
            except asyncio.CancelledError:
                self._late += 1
                raise
            except ConnectionError:
                if not self.grace or self._closed:
                    raise
            finally:
                self._answer = None

    def dismiss(self) -> None:
        """Ask and hear nothing more, but do not hang up yet."""
        self._closed = True
        if self._connection is not None:
            self._connection.pause()
        self._fail(ConnectionResetError("was dismissed"))

    def close(self) -> None:
        """Say nothing more and hang up."""
        self._closed = True
        if self._connection is not None:
            self._connection.close()
        self._back.set()
        self._fail(ConnectionResetError("the connection was closed"))

    def received(self, value: bytes) -> None:
        """The answer to the question, or too much."""
        if self._late:
            self._late -= 1
        elif self._answer is not None and not self._answer.done():
            self._answer.set_result(value)
        else:
            self._unasked += 1
            if self._unasked > MAX_UNASKED:
                raise RemoteWireError("floods the connection with messages that nobody had asked for")

    def _awaits_us(self) -> bool:
        """Whether it is for us to speak next: the next question tells the player that its answer arrived."""
        return not self._late and (self._answer is None or self._answer.done())

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        """The connection is gone; it may come back unless the player broke the protocol."""
        self._error = error
        self._back.clear()
        if self.on_lost is not None:
            self.on_lost()
        self._fail(error)

    def _fail(self, error: ConnectionError | RemoteWireError) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)

    async def _reachable(self) -> None:
        """Wait until there is a connection again, for as long as grace allows."""
        error = self._error or ConnectionResetError("is not connected")
        if isinstance(error, RemoteWireError) or not self.grace or self._closed:
            raise error
        try:
            async with asyncio.timeout(self.grace):
                await self._back.wait()
        except TimeoutError:
            raise error from None
        if self._closed:
            raise error
