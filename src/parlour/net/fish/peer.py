"""A remote player: one question at a time, one answer to each, and reconnection in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from parlour.errors import RemoteWireError
from parlour.net.framing.connection import Wire

MAX_UNASKED = 16
"""Maximum number of unrequested values; a player that sends more is cut off."""

_T = TypeVar("_T")


class Peer:
    """The server's end of a signed-up player. The connection may break and be replaced; the peer stays."""

    def __init__(self, name: str, connection: Wire | None = None, *, grace: float = 0.0) -> None:
        self.name = name
        self.grace = grace
        """Seconds that a player has to reconnect."""
        self.returned: Callable[[], None] | None = None
        """Called when a new connection has replaced the old one, to bring the player up to date."""
        self.on_lost: Callable[[], None] | None = None
        self._connection: Wire | None = None
        self._held = b""
        """Messages that are held back for the question that is about to follow."""
        self._question = b""
        self._read: Callable[[bytes], Any] = bytes
        """Converts the answer to the value that was asked for."""
        self._answer: asyncio.Future[Any] | None = None
        """The awaited answer; cancelled if its asker gave up."""
        self._return: asyncio.TimerHandle | None = None
        """Timer after which a returning player is too late for its question."""
        self._error: ConnectionError | RemoteWireError | None = None
        self._unasked = 0
        self._late = 0
        """Number of cancelled questions whose answers may still arrive."""
        self._closed = False
        if connection is not None:
            self.attach(connection)

    @property
    def connection(self) -> Wire | None:
        """The connection; None while there is none."""
        return self._connection if self.present else None

    @property
    def is_closed(self) -> bool:
        """True if the server has ended the connection permanently."""
        return self._closed

    @property
    def present(self) -> bool:
        """True if there is a connection."""
        return self._connection is not None and self._connection.is_open

    def attach(self, connection: Wire) -> None:
        """Use this connection from now on; an older one is closed."""
        old, self._connection = self._connection, connection
        first = old is None and self._error is None
        if old is not None and old is not connection:
            old.close()
        connection.receiver, connection.read_out = self, self._awaits_us
        self._error, self._late, self._held = None, 0, b""
        if not first and self.returned is not None:
            self.returned()
        self._stop_waiting()
        if not self._waits:
            self._answer = None  # the question was cancelled, and its answer will not arrive over this connection
        elif self._forgiven:
            self._send_question()
        else:
            self._fail(ConnectionResetError("the connection was replaced"))

    def send(self, text: bytes) -> None:
        """Send a message that needs no answer; it is dropped while the player is away."""
        if self._held:
            text, self._held = self._held + text, b""
        if self._connection is not None:
            self._connection.send(text)

    def hold(self, text: bytes) -> None:
        """Send a text together with the next question, or alone if none follows."""
        if not self._held:
            asyncio.get_running_loop().call_soon(self._release)
        self._held += text

    def _release(self) -> None:
        if self._held:
            self.send(b"")

    def ask(self, question: bytes, read: Callable[[bytes], _T]) -> asyncio.Future[_T]:
        """Send a question; return a future of the parsed answer, without a time limit. Cancel it to give up.

        It fails with ConnectionError if the player does not return in time, RemoteWireError if it broke the protocol.
        """
        if self._answer is not None:
            self._give_up()
        answer = asyncio.get_running_loop().create_future()
        self._question, self._read, self._answer = question, read, answer
        if self.present:
            self._send_question()
        else:
            self._await_return(self._error or ConnectionResetError("is not connected"))
        return answer

    def dismiss(self) -> None:
        """Ask nothing more and read nothing more, but keep the connection open."""
        self._closed = True
        if self._connection is not None:
            self._connection.pause()
        self._fail(ConnectionResetError("was dismissed"))

    def close(self) -> None:
        """Send held messages, and disconnect permanently."""
        self._closed = True
        self._release()
        if self._connection is not None:
            self._connection.close()
        self._fail(ConnectionResetError("the connection was closed"))

    def received(self, value: bytes) -> None:
        """Take the answer to the question, or an unrequested value."""
        answer = self._answer
        if answer is None or answer.done() or self._late:
            self._received_unasked()
            return
        self._answer = None
        try:
            answer.set_result(self._read(value))
        except RemoteWireError as error:
            answer.set_exception(error)

    def _received_unasked(self) -> None:
        self._give_up()
        if self._late:
            self._late -= 1
            return
        self._unasked += 1
        if self._unasked > MAX_UNASKED:
            raise RemoteWireError("floods the connection with messages that nobody had asked for")

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        """Note that the connection is lost; the player may reconnect unless it broke the protocol."""
        self._error = error
        if self.on_lost is not None:
            self.on_lost()
        if self._waits:
            self._await_return(error)

    @property
    def _waits(self) -> bool:
        """True while an answer is awaited."""
        return self._answer is not None and not self._answer.done()

    @property
    def _forgiven(self) -> bool:
        """True if the player may reconnect."""
        return bool(self.grace) and not self._closed

    def _awaits_us(self) -> bool:
        """Return True if no answer is awaited: the next question then acknowledges the player's answer."""
        return self._answer is None and not self._late

    def _give_up(self) -> None:
        """Drop the last question if it was cancelled; its answer may still arrive."""
        if self._answer is not None and self._answer.cancelled():
            self._answer = None
            if self._return is None:
                self._late += 1
            self._stop_waiting()

    def _send_question(self) -> None:
        if self._unasked:
            self._fail(RemoteWireError("sent a message that nobody had asked for"))
        else:
            self.send(self._question)

    def _await_return(self, error: ConnectionError | RemoteWireError) -> None:
        """Wait for the player to reconnect, which repeats the question; fail when the grace time is over."""
        if isinstance(error, RemoteWireError) or not self._forgiven:
            self._fail(error)
        else:
            self._stop_waiting()
            self._return = asyncio.get_running_loop().call_later(self.grace, self._fail, error)

    def _stop_waiting(self) -> None:
        if self._return is not None:
            self._return.cancel()
            self._return = None

    def _fail(self, error: ConnectionError | RemoteWireError) -> None:
        """Fail the awaited answer with an error."""
        self._stop_waiting()
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_exception(error)
