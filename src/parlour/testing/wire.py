"""MemoryWire: two ends of a byte stream in memory, with the interface of asyncio's streams.

Each end reads, in order, the bytes that the other writes, with back-pressure if the reader is slow. A protocol can be
tested without a socket. With `trickle` the bytes arrive one at a time.
"""

from __future__ import annotations

import asyncio
from typing import Any


class _PipeTransport(asyncio.Transport):
    """The writing half of an end, which feeds the reader of the other end."""

    def __init__(self, reader: asyncio.StreamReader, protocol: asyncio.StreamReaderProtocol, trickle: bool) -> None:
        super().__init__()
        self._reader = reader
        self._protocol = protocol
        self._trickle = trickle
        self._closing = False
        self._paused = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._closing:
            return
        pieces = [bytes([byte]) for byte in bytes(data)] if self._trickle else [bytes(data)]
        for piece in pieces:
            self._reader.feed_data(piece)

    def pause_reading(self) -> None:
        self._paused = True
        self._protocol.pause_writing()

    def resume_reading(self) -> None:
        self._paused = False
        self._protocol.resume_writing()

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._reader.feed_eof()
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return "memory" if name in ("peername", "sockname") else default


class MemoryWire:
    """A pair of connected ends: `near` and `far`, each a (StreamReader, StreamWriter) pair.

    Args:
        limit: Buffer limit of a reader in bytes.
        trickle: True to deliver one byte at a time.
    """

    def __init__(self, *, limit: int = 1 << 16, trickle: bool = False) -> None:
        loop = asyncio.get_running_loop()
        near, far = asyncio.StreamReader(limit=limit), asyncio.StreamReader(limit=limit)
        self.near = self._end(near, far, trickle, loop)
        self.far = self._end(far, near, trickle, loop)

    @staticmethod
    def _end(
        own: asyncio.StreamReader, other: asyncio.StreamReader, trickle: bool, loop: asyncio.AbstractEventLoop
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        protocol = asyncio.StreamReaderProtocol(own, loop=loop)
        transport = _PipeTransport(other, protocol, trickle)
        # The reader of the other end pauses this transport when its buffer is full.
        other.set_transport(transport)
        return own, asyncio.StreamWriter(transport, protocol, own, loop)

    def close(self) -> None:
        """Close both ends."""
        for _, writer in (self.near, self.far):
            writer.close()
