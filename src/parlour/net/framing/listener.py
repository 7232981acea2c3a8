"""Accepts TCP connections: so many in one turn of the loop and so many in all, whatever knocks at the door."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable

try:
    import resource
except ImportError:  # not on this system, which then sets no limit that we could ask for
    resource = None  # type: ignore[assignment]

from parlour.core.text import printable
from parlour.errors import ConfigError, PortTaken
from parlour.net.framing.connection import LINGER, Wire, notice_silence, prepare

BACKLOG = 1024
"""Connections that the system keeps for us until we accept them."""
ACCEPTS_AT_ONCE = 32
"""Connections that are accepted before those that are there already have their turn."""
EXHAUSTED_PAUSE = 0.25
"""Seconds before we accept again when the system has no more files for us."""
MOST = 4096
"""Connections in all, if the system allows so many files."""
_SPARE_FILES = 64
"""Files that connections leave to the rest of the program: the store, the log, what it imports."""

_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}

_log = logging.getLogger(__name__)


class Listener:
    """Listens on a port and makes connections of whoever comes.

    asyncio's own server accepts a whole backlog in one turn before any of it is a connection, and when files run out
    it says so for each. This one counts: at its limit newcomers wait in the system's queue until somebody has left.
    """

    def __init__(
        self,
        make: Callable[[], Wire],
        *,
        most: int = MOST,
        make_room: Callable[[], None] = lambda: None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._make = make
        self._most = min(most, connections_allowed())
        self._make_room = make_room
        """Called when all places are taken, so that somebody can be shown out."""
        self._tls = tls
        self._sockets: list[socket.socket] = []
        self._arriving: set[asyncio.Task[None]] = set()
        self._count = 0
        self._accepting = False
        self._exhausted = False
        self._empty = asyncio.Event()

    def __len__(self) -> int:
        """How many connections there are."""
        return self._count

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._sockets[0].getsockname()[1]
        return port

    async def open(self, host: str, port: int) -> None:
        """Listen there; ConfigError if that cannot be."""
        self._sockets = await listen(host, port)
        for listening in self._sockets:
            prepare(listening)
        self._accept_again()

    def close(self) -> None:
        """Listen no more; connections that stand are their owners' affair."""
        self._stop_accepting()
        for listening in self._sockets:
            listening.close()
        self._sockets.clear()
        for task in self._arriving:
            task.cancel()

    async def emptied(self) -> None:
        """Wait until all connections are gone, for as long as they may linger."""
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
        """Somebody is there."""
        if self._count >= self._most:
            self._stop_accepting()
            self._make_room()
            if self._arriving:  # who is not in yet cannot be shown out, and then nobody's leaving wakes us
                asyncio.get_running_loop().call_later(EXHAUSTED_PAUSE, self._accept_again)
        for _ in range(min(ACCEPTS_AT_ONCE, self._most - self._count)):
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
        """The system has nothing left for us: somebody must go, and we come back in a moment. Said once."""
        if not self._exhausted:
            _log.warning("cannot accept connections for now: %s", _reason(error))
        self._exhausted = True
        self._stop_accepting()
        self._make_room()
        asyncio.get_running_loop().call_later(EXHAUSTED_PAUSE, self._accept_again)

    def _arrived(self, accepted: socket.socket) -> None:
        self._count += 1
        self._empty.clear()
        connection = self._make()
        connection.closed = self._left
        accepted.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._welcome(connection, accepted))
        self._arriving.add(task)
        task.add_done_callback(lambda done: self._settled(done, connection, accepted))

    async def _welcome(self, connection: Wire, accepted: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the other side was gone before, or speaks no TLS
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, accepted, ssl=self._tls)

    def _settled(self, task: asyncio.Task[None], connection: Wire, accepted: socket.socket) -> None:
        """A socket is a connection now, or never will be one: then it is closed and counted out here."""
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
            # In the next turn, when the system has the socket back.
            asyncio.get_running_loop().call_soon(self._accept_again)


async def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen on the same port of every address that the host has; ConfigError if that cannot be now."""
    sockets: list[socket.socket] = []
    try:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            sockets.append(_listening(family, str(address[0]), sockets[0].getsockname()[1] if sockets else port))
    except ValueError as error:
        raise ConfigError(f"host: {host[:80]!r} is no host: {printable(error)}", field="host") from None
    except OSError as error:
        for listening in sockets:
            listening.close()
        told = f"port: cannot listen on {printable(host)}:{port}: {_reason(error)}"
        kind = PortTaken if error.errno in (errno.EADDRINUSE, errno.EACCES) else ConfigError
        raise kind(told, field="port") from None
    return sockets


def _listening(family: int, host: str, port: int) -> socket.socket:
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listening.setblocking(False)
    notice_silence(listening)
    return listening


def _reason(error: OSError) -> str:
    """What the system says, without what Python adds to it."""
    if error.errno is not None and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno)
    return error.strerror or str(error)


def connections_allowed(doors: int = 1) -> int:
    """How many connections the system's limit on open files leaves each of so many doors of one program."""
    if resource is None:
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(1, max(soft // 2, soft - _SPARE_FILES) // doors)
