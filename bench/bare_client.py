"""A client that costs next to nothing, so that the benchmark measures the server.

It has a websocket of its own. It reads only the part of each frame that the benchmark needs, and masks its own frames
with zeros, which leaves them unchanged.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import msgspec

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
FIRST = "S1901M"
_MASK = b"\0\0\0\0"
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_numbers = itertools.count()
_encode = msgspec.json.encode


class PhaseName(msgspec.Struct):
    """The part of a phase that is read."""

    name: str


class Heard(msgspec.Struct):
    """The part of a frame that is read."""

    name: str
    request_id: str | None = None
    game_id: str = ""
    data: Any = None
    message: Any = None
    current_phase_data: PhaseName | None = None


_read = msgspec.json.Decoder(Heard).decode


class Client(asyncio.Protocol):
    """One socket, one account."""

    def __init__(self) -> None:
        self.token = ""
        self.phases: dict[str, str] = {}
        self.on_phase: Callable[[str], None] = lambda game: None
        self.heard = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._opened = self._loop.create_future()
        self._waiting: dict[str, asyncio.Future[Heard]] = {}
        self._changed = asyncio.Event()
        self._transport: asyncio.Transport
        self._unread = b""

    @classmethod
    async def connect(cls, port: int) -> Client:
        """Return a client after the handshake."""
        _, client = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        await client._opened
        return client

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    # The websocket

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13"
        host = "Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade"
        transport.write(f"GET / HTTP/1.1\r\n{host}\r\n{key}\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        data = self._unread + data if self._unread else data
        if not self._opened.done():
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._unread = head
                return
            assert b" 101 " in head, head
            self._opened.set_result(None)
        at, size = 0, len(data)
        while size - at >= 2:
            length, begin = data[at + 1], at + 2
            if length >= 126:
                more = 2 if length == 126 else 8
                length, begin = int.from_bytes(data[begin : begin + more], "big"), begin + more
            if size < begin + length:
                break
            self._frame(data[at] & 15, data[begin : begin + length])
            at = begin + length
        self._unread = data[at:]

    def _frame(self, kind: int, payload: bytes) -> None:
        if kind == _TEXT:
            self._take(_read(payload))
        elif kind == _PING:
            self._send(_PONG, payload)
        elif kind == _CLOSE:
            self._transport.close()

    def _send(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        length = bytes((size | 128,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        self._transport.write(bytes((kind | 128,)) + length + _MASK + payload)

    def connection_lost(self, exc: Exception | None) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionResetError("the server hung up"))

    # The protocol

    def _take(self, heard: Heard) -> None:
        if heard.request_id in self._waiting:
            self._waiting.pop(heard.request_id).set_result(heard)
        elif heard.current_phase_data is not None:
            self.phases[heard.game_id] = heard.current_phase_data.name
            self._changed.set()
            self.on_phase(heard.game_id)
        elif heard.name == "game_message_received":
            self.heard.set()

    async def ask(self, name: str, **fields: Any) -> Any:
        """Send a request, and return the data of its answer."""
        request = f"r{next(_numbers)}"
        answer = self._waiting[request] = self._loop.create_future()
        self._send(_TEXT, _encode({"request_id": request, "name": name, "re_sent": False, **fields}))
        heard = await answer
        assert heard.name != "error", heard
        return heard.data

    @property
    def phase(self) -> str:
        """The phase of the game that is measured."""
        return self.phases.get("bench", FIRST)

    async def play(self, name: str, role: str, *, game: str = "bench", **fields: Any) -> Any:
        """Send a request about a game, and return the data of its answer."""
        where = {"token": self.token, "game_id": game, "game_role": role, "phase": self.phases.get(game, FIRST)}
        return await self.ask(name, **where, **fields)

    async def next_phase(self, phase: str) -> None:
        """Wait until the phase is over."""
        while self.phase == phase:
            self._changed.clear()
            await self._changed.wait()
