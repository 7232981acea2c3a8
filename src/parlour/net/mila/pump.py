"""One websocket at the door, whatever library carries it: frames in, each answered on its own; frames out, in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from parlour.errors import RemoteWireError
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.sockets import MAX_UNSENT, Socket

MAX_FRAME = 1 << 20
"""The longest frame that a client may send: a saved state has some kilobytes."""
MAX_AT_WORK = 64
"""Requests of one socket that are at work at once; more wait unread."""

SendFrames = Callable[[Sequence[bytes]], Awaitable[None]]


class Pump:
    """Runs one websocket until it is closed by either side."""

    def __init__(self, door: MilaDoor, send: SendFrames, *, address: str = "", regrades: bool = False) -> None:
        self._door, self._send = door, send
        self._outbox: list[bytes] = []
        self._unsent = 0
        self._wake = asyncio.Event()
        self.socket = Socket(self._put, address=address, regrades=regrades)

    async def run(self, frames: AsyncIterator[bytes | str]) -> None:
        """Take in frames until there are no more; RemoteWireError if the client does not read."""
        room = asyncio.Semaphore(MAX_AT_WORK)
        try:
            async with asyncio.TaskGroup() as group:
                writer = group.create_task(self._write())
                async for frame in frames:
                    await room.acquire()
                    text = frame.encode(errors="surrogatepass") if isinstance(frame, str) else frame
                    group.create_task(self._door.receive(self.socket, text)).add_done_callback(lambda _: room.release())
                writer.cancel()
        finally:
            self._door.hang_up(self.socket)

    def _put(self, frame: bytes) -> None:
        self._outbox.append(frame)
        self._unsent += len(frame)
        self._wake.set()

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._unsent > MAX_UNSENT:
                raise RemoteWireError("the client does not read")
            frames, self._outbox, self._unsent = self._outbox, [], 0
            await self._send(frames)
