"""The client's end of a connection: connects with retries, sends, and waits for one value after the other."""

from __future__ import annotations

import asyncio

from parlour.errors import ConfigError, RemoteWireError, Unreachable
from parlour.net.framing.connection import Wire, prepare, reason_of

MAX_CONNECT = 10.0
"""Seconds after which an attempt to connect counts as failed: the system would let it hang for minutes."""
MAX_UNREAD = 100
"""Maximum number of unread values before reading from the server stops."""


class Link:
    """A connection to a server."""

    def __init__(self) -> None:
        self._connection = Wire(self)
        self._inbox: asyncio.Queue[bytes | ConnectionError | RemoteWireError] = asyncio.Queue()
        self._paused = False
        self.gone = asyncio.Event()
        """Set when the connection is lost; values received before may still be unread."""

    @classmethod
    async def connect(cls, host: str, port: int, *, tries: int = 10, pause: float = 1.0) -> Link:
        """Return a link to the server; retry for a while if nothing listens at the address yet."""
        loop = asyncio.get_running_loop()
        for left in reversed(range(tries)):
            link = cls()
            try:
                async with asyncio.timeout(MAX_CONNECT):
                    transport, _ = await loop.create_connection(lambda: link._connection, host, port)  # noqa: B023
                if (line := transport.get_extra_info("socket")) is not None:  # a simulated connection has no socket
                    prepare(line)
                return link
            except ValueError as error:  # a name that no host can have; trying again would not help
                raise ConfigError(f"server: {host[:80]!r} is not a valid host: {error}", field="server") from None
            except OSError as error:
                if not left:
                    reason = reason_of(error) or f"no answer within {MAX_CONNECT:g} seconds"
                    raise Unreachable(f"cannot connect to {host}:{port}: {reason}") from None
                await asyncio.sleep(pause)
        raise ConfigError("tries: expected at least one", field="tries")

    def send(self, text: bytes) -> None:
        """Send a value."""
        self._connection.send(text)

    async def receive(self, seconds: float | None = None) -> bytes:
        """Return the next value; ConnectionError when there are no more, TimeoutError if none came in that time."""
        async with asyncio.timeout(seconds):
            value = await self._inbox.get()
        if self._paused and self._inbox.qsize() < MAX_UNREAD // 2:
            self._paused = False
            self._connection.resume()
        if isinstance(value, Exception):
            self._inbox.put_nowait(value)  # a further call gets the same answer
            raise value
        return value

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def received(self, value: bytes) -> None:
        """Queue a value that arrived; stop reading while too many wait."""
        self._inbox.put_nowait(value)
        if self._inbox.qsize() >= MAX_UNREAD and not self._paused:
            self._paused = True
            self._connection.pause()

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        """Queue the error that ended the connection, behind all values."""
        self.gone.set()
        self._inbox.put_nowait(error)
