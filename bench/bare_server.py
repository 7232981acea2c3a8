"""A server that decides nothing: the same requests, frames and commits as those of a phase, on the same library.

It is the floor for bench/server.py. It decodes a request, commits a row durably on a thread, and sends frames of the
protocol's size and number that were written beforehand. All further cost is that of Parlour's server itself.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec
import uvicorn
import uvloop

import usage
from parlour.net.framing.listener import listen
from parlour.net.framing.websocket import EXTENSION, TextSocket
from parlour.net.mila.kernel.telling import framed

POWERS = 7
FLAG = b'{"token":"%s","game_id":"bench","game_role":"POWER","notification_id":"n%%d","name":"power_wait_flag",%s' % (
    b"t" * 64,
    b'"power_name":"AUSTRIA","wait":false}',
)
PROCESSED = (
    b'{"game_id":"bench","name":"game_processed","previous_phase_data":%s,"current_phase_data":{"name":"%%d"}}'
    % (msgspec.json.encode("x" * 5000))
)
HEARD = b'{"game_id":"bench","name":"game_message_received","message":"%s"}' % (b"x" * 300)


class Said(msgspec.Struct):
    """The part of a message that is read."""

    recipient: str


class Asked(msgspec.Struct):
    """The part of a request that is read."""

    request_id: str
    name: str
    token: str = ""
    game_role: str = ""
    message: Said | None = None


_read = msgspec.json.Decoder(Asked).decode


class Commits:
    """Commits rows on a thread; rows that arrive during a commit go into the next."""

    def __init__(self, path: Path) -> None:
        self._rows = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA synchronous = FULL")
        self._rows.execute("CREATE TABLE entry (number INTEGER PRIMARY KEY, body BLOB)")
        self._queue: SimpleQueue[tuple[bytes, Callable[[], None]]] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, daemon=True).start()

    def keep(self, body: bytes, then: Callable[[], None]) -> None:
        """Commit a row, then call the function."""
        self._queue.put((body, then))

    def _run(self) -> None:
        while True:
            group = [self._queue.get()]
            while not self._queue.empty():
                group.append(self._queue.get())
            self._rows.execute("BEGIN IMMEDIATE")
            self._rows.executemany("INSERT INTO entry (body) VALUES (?)", [(body,) for body, _ in group])
            self._rows.execute("COMMIT")
            self._loop.call_soon_threadsafe(_call, [then for _, then in group])


def _call(kept: list[Callable[[], None]]) -> None:
    for then in kept:
        then()


class Bare:
    """All sockets, and the number of orders so far."""

    def __init__(self, commits: Commits) -> None:
        self._commits = commits
        self._outboxes: dict[TextSocket, list[bytes]] = {}
        self._roles: dict[str, TextSocket] = {}
        self._numbers = itertools.count()
        self._ordered = 0

    def receive(self, socket: TextSocket, frame: bytes) -> None:
        """Answer a request after its commit."""
        asked = _read(frame)
        answer = b'{"request_id":"%s","name":"ok","data":"%s"}' % (asked.request_id.encode(), b"t" * 64)
        self._roles[asked.game_role] = socket
        if asked.name == "set_orders":
            self._commits.keep(frame, lambda: self._order(socket, answer))
        elif asked.message is not None:
            recipient = self._roles.get(asked.message.recipient, socket)
            self._commits.keep(frame, lambda: self._say(socket, answer, recipient))
        else:
            self._put(socket, answer)

    def _order(self, socket: TextSocket, answer: bytes) -> None:
        self._put(socket, answer)
        for other in self._outboxes:
            if other is not socket:
                self._put(other, FLAG % next(self._numbers), FLAG % next(self._numbers))
        self._ordered += 1
        if self._ordered % POWERS == 0:
            for other in self._outboxes:
                flags = [FLAG % next(self._numbers) for _ in range(POWERS)]
                self._put(other, PROCESSED % self._ordered, *flags)

    def _say(self, socket: TextSocket, answer: bytes, recipient: TextSocket) -> None:
        self._put(socket, answer)
        self._put(recipient, HEARD)

    def _put(self, socket: TextSocket, *frames: bytes) -> None:
        outbox = self._outboxes[socket]
        if not outbox:
            asyncio.get_running_loop().call_soon(self._send, socket)
        outbox += frames

    def _send(self, socket: TextSocket) -> None:
        frames, self._outboxes[socket] = self._outboxes[socket], []
        socket.send_frames([*map(framed, frames)])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        socket: TextSocket = scope["extensions"][EXTENSION]
        self._outboxes[socket] = []
        socket.listen(lambda frame: self.receive(socket, frame))
        while (await receive())["type"] != "websocket.disconnect":
            pass
        del self._outboxes[socket]


async def main(folder: str) -> None:
    """Serve until the process is ended."""
    app: Any = Bare(Commits(Path(folder, "bare.db")))
    config = uvicorn.Config(app, ws=TextSocket, ws_per_message_deflate=False, lifespan="off", log_config=None)
    sockets = await listen("127.0.0.1", 0)
    print(sockets[0].getsockname()[1], flush=True)
    await uvicorn.Server(config).serve(sockets)


if __name__ == "__main__":
    reading = usage.parser(__doc__)
    reading.add_argument("folder", nargs="?", help="where it commits; without one nothing is served")
    if (folder := reading.parse_args().folder) is not None:
        uvloop.run(main(folder))
