"""Connections on a simulated loop, and sockets whose options are looked at."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from parlour.net.framing.connection import SEND_BUFFER, Wire
from support.waiting import run_simulated


@asynccontextmanager
async def deaf_server() -> AsyncIterator[int]:
    """The port of a server that takes no further connection: attempts hang, as with a machine that has vanished."""
    with ExitStack() as opened:
        server = opened.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):  # as many as wait in line, and more
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield server.getsockname()[1]


class Line(asyncio.Transport):
    """The other end of a connection, which remembers what became of it."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self.wire = wire
        self.sent = b""
        self.ended = ""

    def say(self, text: bytes) -> None:
        """Send that to us."""
        self.wire.get_buffer(-1)[: len(text)] = text
        self.wire.buffer_updated(len(text))

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += bytes(data)

    def close(self) -> None:
        self.ended = self.ended or "closed"

    def abort(self) -> None:
        self.ended = self.ended or "cut off"


def simulated(scenario: Callable[[], Awaitable[Any]]) -> None:
    async def run() -> None:
        await scenario()

    run_simulated(run)


def noticed_after(line: socket.socket) -> int:
    """Seconds after which the system gives up a peer that vanished, whether anything waits to be sent to it or not."""
    assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    idle, between, asks, unread = (
        line.getsockopt(socket.IPPROTO_TCP, option)
        for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
    )
    assert unread == 1000 * (idle + asks * between)
    return unread // 1000


def check_prepared(connection: Wire) -> None:
    """A peer that is gone without a word is noticed, the system holds little for it, and small messages go at once."""
    assert connection._socket is not None
    assert 60 <= noticed_after(connection._socket) <= 300
    assert connection._socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 2 * SEND_BUFFER
    assert connection._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
