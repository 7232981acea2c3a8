"""A TCP connection that carries values both ways, with every buffer bounded. Nothing here waits."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast

from parlour.errors import RemoteWireError
from parlour.net.framing.json_stream import ValueReader
from parlour.net.framing.limiter import Backlog

LINES_PER_SECOND, LINES_AT_ONCE = 1000.0, 2000.0
"""Maximum lines of one connection per second, and at once. A program with seven seats sends a few hundred."""
BYTES_PER_SECOND, BYTES_AT_ONCE = 4.0 * (1 << 20), 8.0 * (1 << 20)
"""Maximum bytes of answers to one connection per second, and at once: costly answers are long."""
READING = 4
"""Number of answer bytes that one byte read counts as."""
READ_AT_ONCE = 1 << 14
"""Maximum bytes read from one connection before others are read."""
MAX_UNSENT = 1 << 18
"""Maximum bytes that may wait for a peer to read them; with more the connection is cut."""
FAR_BEHIND = 1 << 16
"""Number of waiting bytes above which a peer counts as far behind; see Backlog."""
SEND_BUFFER = 1 << 17
"""Bytes that the operating system may buffer for one peer."""
LINGER = 2.0
"""Seconds for a peer to read pending output before the connection is closed."""

QUIET = 60
"""Seconds of silence after which the operating system probes a peer (TCP keep-alive)."""
ASKS, BETWEEN_ASKS = 6, 20
"""Number of unanswered probes that end a connection, and seconds between two probes."""

_LAST_ACK = 56
"""Place of the milliseconds since the last acknowledgement in Linux's description of a connection."""
_QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)


def reason_of(error: OSError) -> str:
    """Return the operating system's message for an error; empty if it has none."""
    if error.errno is not None and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno)
    return error.strerror or str(error)


def prepare(line: socket.socket) -> None:
    """Make the system send small messages at once, buffer little for a peer, and detect a vanished one.

    The connections that a listening socket accepts inherit these options.
    """
    notice_silence(line)
    send_at_once(line)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)


def send_at_once(line: socket.socket) -> None:
    """Make the system send small messages without waiting for the peer's acknowledgement (TCP_NODELAY)."""
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def notice_silence(line: socket.socket, quiet: int = QUIET, asks: int = ASKS, between_asks: int = BETWEEN_ASKS) -> None:
    """Make the system end a connection whose peer vanished within minutes; its default is hours."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    wanted = {
        "TCP_KEEPIDLE": quiet,
        "TCP_KEEPINTVL": between_asks,
        "TCP_KEEPCNT": asks,
        "TCP_USER_TIMEOUT": 1000 * (quiet + asks * between_asks),  # no probes are sent while data is unacknowledged
    }
    for name, value in wanted.items():
        if (option := getattr(socket, name, None)) is not None:  # systems differ
            line.setsockopt(socket.IPPROTO_TCP, option, value)


class _Buffer(threading.local):
    """A receive buffer that all connections of a thread share: it is filled and emptied in one step."""

    def __init__(self) -> None:
        self.view = memoryview(bytearray(READ_AT_ONCE))


_buffer = _Buffer()


class Receiver(Protocol):
    """The receiver of a connection's values."""

    def received(self, value: bytes) -> None:
        """Receive a value, still as bytes. Raise RemoteWireError if it breaks the protocol.

        The connection then ends.
        """

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        """Note that the peer left (ConnectionError) or broke the protocol (RemoteWireError)."""


class Framing(Protocol):
    """A reader that cuts a stream into values."""

    @property
    def pending(self) -> bool:
        """True if a value has begun and is not complete."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the values that are complete with this chunk; raise RemoteWireError if one passes a bound."""


class Wire(asyncio.BufferedProtocol):
    """A TCP connection; it passes each value, by default JSON, to its receiver."""

    def __init__(self, receiver: Receiver, framing: Framing | None = None) -> None:
        self.receiver = receiver
        self.peer = "?"
        self.opened: Callable[[], None] | None = None
        """Called when the connection is open; not if it was ended before."""
        self.closed: Callable[[], None] | None = None
        """Called once before the system gets the socket back, whichever side ended the connection."""
        self.read_out: Callable[[], bool] | None = None
        """Called when the values of one read have been passed on, so that all answers to them can be sent together.

        Returns True if an answer will follow soon, which also acknowledges the peer's data.
        """
        self.offended: Callable[[RemoteWireError], None] | None = None
        """Called when the peer broke the protocol, before the receiver is informed; may answer the peer, and close."""
        self.backlog: Backlog | None = None
        """Bounds the waiting output for all peers of a door together."""
        self.reading = False
        """True while the values of one read are being passed on."""
        self._framing = ValueReader() if framing is None else framing
        self._transport: asyncio.Transport | None = None
        self._socket: socket.socket | None = None
        self._made = False
        self._view = _buffer.view
        self._over = False
        self._sent = False
        """True if data was sent since the last read, which also acknowledges the peer's data."""

    @property
    def is_open(self) -> bool:
        """True if values can still be sent."""
        return self._transport is not None and not self._over

    @property
    def address(self) -> str:
        """The peer's address, without its port."""
        return self.peer.rpartition(":")[0]

    @property
    def was_made(self) -> bool:
        """True if the connection was ever open, so that `closed` is called at its end."""
        return self._made

    @property
    def has_begun(self) -> bool:
        """True if part of a value has arrived."""
        return self._framing.pending

    def send(self, text: bytes) -> None:
        """Send or queue bytes; do nothing after the end. Too many unsent bytes end the connection."""
        transport = self._transport
        if transport is None or self._over:
            return
        self._sent = True
        transport.write(text)
        unsent = transport.get_write_buffer_size()
        if unsent > MAX_UNSENT:
            self.end(RemoteWireError(f"does not read: {MAX_UNSENT:,} bytes wait to be sent"))
        elif unsent > FAR_BEHIND and self.backlog is not None:
            self.backlog.note(self)

    @property
    def unsent(self) -> int:
        """Number of bytes that wait because the peer does not read."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def cut(self) -> None:
        """Disconnect at once: too much output waits for all peers together, and most of it for this one."""
        self.end(RemoteWireError("does not read, and others have little room"))

    def close(self) -> None:
        """Close once all data is sent, or after LINGER seconds; the receiver receives nothing more."""
        if not self._over:
            self._over = True
            if self._transport is not None:
                self._transport.close()
                asyncio.get_running_loop().call_later(LINGER, self._transport.abort)

    def end(self, error: ConnectionError | RemoteWireError) -> None:
        """Cut the connection at once and give the receiver the reason."""
        if not self._over:
            self._over = True
            if self._transport is not None:
                self._transport.abort()
            self.receiver.lost(error)

    @contextmanager
    def asked_often(self) -> Iterator[None]:
        """Make the system end the connection within seconds if the peer vanishes, for the time of the block."""
        if self._socket is not None:
            notice_silence(self._socket, quiet=1, asks=2, between_asks=1)
        try:
            yield
        finally:
            if self._socket is not None and self._socket.fileno() >= 0:
                notice_silence(self._socket)

    def silence(self) -> float:
        """Return the seconds since the peer's system last acknowledged data or a probe; infinite if unknown."""
        if self._socket is None or sys.platform != "linux":
            return math.inf
        info = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _LAST_ACK + 4)
        return int.from_bytes(info[_LAST_ACK:], sys.byteorder) / 1000.0

    def pause(self) -> None:
        """Stop reading for now, so that the peer has to wait."""
        if self.is_open and self._transport is not None:
            self._transport.pause_reading()

    def resume(self) -> None:
        """Resume reading."""
        if self.is_open and self._transport is not None:
            self._transport.resume_reading()

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._made = True
        if self._over:  # ended while the loop was still making it
            self._transport.abort()
            return
        self._socket = transport.get_extra_info("socket")
        name: Any = transport.get_extra_info("peername")
        self.peer = f"{name[0]}:{name[1]}" if isinstance(name, tuple) else str(name)
        if self.opened is not None:
            self.opened()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view

    def buffer_updated(self, nbytes: int) -> None:
        self._sent, self.reading = False, True
        try:
            for value in self._framing.feed(bytes(self._view[:nbytes])):
                if self._over:
                    return
                self.receiver.received(value)
        except RemoteWireError as error:
            if self.offended is not None and not self._over:
                self.offended(error)
            self.end(error)
        finally:
            self.reading = False
        answered = self.read_out is not None and self.read_out() and not self._framing.pending
        if not self._sent and not answered and _QUICKACK is not None and self._socket is not None:
            # Not permanent, so set after each read: without it each small piece of stock clients takes 40 ms.
            self._socket.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)

    def eof_received(self) -> bool:
        self.end(ConnectionResetError("the connection was closed"))
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._over:
            self.end(ConnectionResetError("the connection was lost" + (f": {exc}" if exc else "")))
        self._transport = None
        self._socket = None
        if self.backlog is not None:
            self.backlog.forget(self)
        if self.closed is not None:
            self.closed()


class LineRate:
    """A rate limit on the lines of one connection and the bytes of their answers."""

    __slots__ = ("_at_once", "_bytes", "_clock", "_lines", "_per_second", "_since")

    def __init__(
        self,
        lines_per_second: float = LINES_PER_SECOND,
        lines_at_once: float = LINES_AT_ONCE,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second, self._at_once = lines_per_second, lines_at_once
        self._clock = clock
        self._since = clock()
        self._lines, self._bytes = lines_at_once, BYTES_AT_ONCE

    def line(self, size: int = 0) -> float:
        """Count a received line of that size; return the seconds until it may be answered, 0 if now."""
        self._lines -= 1.0
        self._bytes -= READING * size
        return self.wait() if self._lines < 0.0 or self._bytes < 0.0 else 0.0

    def sent(self, size: int) -> None:
        """Count the bytes of an answer."""
        self._bytes -= size

    def wait(self) -> float:
        """Return the seconds until a line may be answered, 0 if now."""
        now = self._clock()
        passed = now - self._since
        self._since = now
        self._lines = min(self._at_once, self._lines + passed * self._per_second)
        self._bytes = min(BYTES_AT_ONCE, self._bytes + passed * BYTES_PER_SECOND)
        return max(0.0, -self._lines / self._per_second, -self._bytes / BYTES_PER_SECOND)
