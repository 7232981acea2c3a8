"""Accepts TCP connections: a limited number per turn of the loop, and a limited number in all."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
from collections.abc import Callable

from parlour.core.text import printable
from parlour.errors import ConfigError, PortTaken
from parlour.net.framing.connection import LINGER, Wire, notice_silence, prepare, reason_of, send_at_once
from parlour.net.framing.limiter import ConnectionLimiter

BACKLOG = 1024
"""Number of connections that the operating system queues until they are accepted."""
ACCEPTS_AT_ONCE = 32
"""Maximum number of connections that are accepted before existing ones have their turn."""
EXHAUSTED_PAUSE = 0.25
"""Seconds before accepting again when the system has no more files."""

_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}

_log = logging.getLogger(__name__)


class Listener:
    """Listens on a port and makes connections.

    asyncio's own server accepts a whole backlog in one turn, and logs an error for each connection when files run out.
    This one counts: at its limit, new connections wait in the operating system's queue until another ends.
    """

    def __init__(
        self,
        make: Callable[[], Wire],
        limiter: ConnectionLimiter | None = None,
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Make an unopened listener; several may share one limiter."""
        self._make = make
        self._limiter = ConnectionLimiter() if limiter is None else limiter
        self._tls = tls
        self._sockets: list[socket.socket] = []
        self._arriving: set[asyncio.Task[None]] = set()
        self._count = 0
        self._accepting = False
        self._exhausted = False
        self._empty = asyncio.Event()

    def __len__(self) -> int:
        """Return the number of connections."""
        return self._count

    @property
    def port(self) -> int:
        """The port of the listener."""
        port: int = self._sockets[0].getsockname()[1]
        return port

    async def open(self, host: str, port: int) -> None:
        """Listen on the port; raise ConfigError if that is not possible."""
        self._sockets = await listen(host, port)
        for listening in self._sockets:
            prepare(listening)
        self._accept_again()

    def close(self) -> None:
        """Stop listening; open connections belong to their owners."""
        self._stop_accepting()
        for listening in self._sockets:
            listening.close()
        self._sockets.clear()
        for task in self._arriving:
            task.cancel()

    async def emptied(self) -> None:
        """Wait until all connections are closed, but not longer than they may linger."""
        if self._count:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2 * LINGER):
                    await self._empty.wait()

    def _accept_again(self) -> None:
        if not self._accepting:
            self._accepting = True
            loop = asyncio.get_running_loop()
            for listening in self._sockets:
                loop.add_reader(listening, self._knock, listening)

    def _stop_accepting(self) -> None:
        if self._accepting:
            self._accepting = False
            loop = asyncio.get_running_loop()
            for listening in self._sockets:
                loop.remove_reader(listening)

    def _knock(self, listening: socket.socket) -> None:
        """Accept the connections that wait."""
        most = self._limiter.most
        if self._count >= most:
            self._stop_accepting()
            self._limiter.make_room()
            if self._arriving:  # an arriving connection cannot be closed yet, so its end would not wake the listener
                asyncio.get_running_loop().call_later(EXHAUSTED_PAUSE, self._accept_again)
        for _ in range(min(ACCEPTS_AT_ONCE, most - self._count)):
            try:
                accepted, _ = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                self._pause(error)
                return
            self._exhausted = False
            self._arrived(accepted)

    def _pause(self, error: OSError) -> None:
        """Make room and try again in a moment, because the system has no more files or memory; log it once."""
        if not self._exhausted:
            _log.warning("cannot accept connections for now: %s", reason_of(error))
        self._exhausted = True
        self._stop_accepting()
        self._limiter.make_room()
        asyncio.get_running_loop().call_later(EXHAUSTED_PAUSE, self._accept_again)

    def _arrived(self, accepted: socket.socket) -> None:
        self._count += 1
        self._empty.clear()
        connection = self._make()
        connection.closed, connection.backlog = self._left, self._limiter.backlog
        accepted.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._welcome(connection, accepted))
        self._arriving.add(task)
        task.add_done_callback(lambda done: self._settled(done, connection, accepted))

    async def _welcome(self, connection: Wire, accepted: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the peer has left already, or does not use TLS
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, accepted, ssl=self._tls)

    def _settled(self, task: asyncio.Task[None], connection: Wire, accepted: socket.socket) -> None:
        """Close, and stop counting, a socket that never became a connection."""
        self._arriving.discard(task)
        if not connection.was_made:
            accepted.close()
            connection.end(ConnectionResetError("the connection could not be made"))
            self._left()

    def _left(self) -> None:
        self._count -= 1
        if not self._count:
            self._empty.set()
        if not self._accepting and not self._exhausted and self._sockets:
            # Not at once: the socket is closed only in the next turn of the loop.
            asyncio.get_running_loop().call_soon(self._accept_again)


async def listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on one port of every address of the host; raise ConfigError if that fails."""
    sockets: list[socket.socket] = []
    try:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            sockets.append(_listening(family, str(address[0]), sockets[0].getsockname()[1] if sockets else port))
    except ValueError as error:
        told = f"host: expected a host name or address, got {host[:80]!r}: {printable(error)}"
        raise ConfigError(told, field="host") from None
    except OSError as error:
        for listening in sockets:
            listening.close()
        told = f"port: cannot listen on {printable(host)}:{port}: {reason_of(error)}"
        kind = PortTaken if error.errno in (errno.EADDRINUSE, errno.EACCES) else ConfigError
        raise kind(told, field="port") from None
    return sockets


def _listening(family: int, host: str, port: int) -> socket.socket:
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listening.setblocking(False)
    notice_silence(listening)
    send_at_once(listening)
    return listening
