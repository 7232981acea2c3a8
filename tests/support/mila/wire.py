"""A bare socket at the door of the `diplomacy` package's protocol: frames as they come."""

from __future__ import annotations

import json
from typing import Any


def texts_of(frames: bytes) -> list[bytes]:
    """Return the texts of frames as a server sends them."""
    found, at = [], 0
    while at < len(frames):
        assert frames[at] == 0x81, "a whole text"
        length, begin = frames[at + 1], at + 2
        if length >= 126:
            begin += 2 if length == 126 else 8
            length = int.from_bytes(frames[at + 2 : begin], "big")
        at = begin + length
        found.append(frames[begin:at])
        assert len(found[-1]) == length
    return found


class Wire:
    """A bare socket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.frames: list[dict[str, Any]] = []

    async def ask(self, frame: dict[str, Any]) -> dict[str, Any]:
        """Send a request, and wait for its answer."""
        await self.socket.send(json.dumps(frame))
        return await self.until(frame["request_id"])

    async def until(self, request_id: Any) -> dict[str, Any]:
        while True:
            self.frames.append(json.loads(await self.socket.recv()))
            if self.frames[-1].get("request_id") == request_id:
                return self.frames[-1]

    def answers(self, request_id: Any) -> int:
        return sum(frame.get("request_id") == request_id for frame in self.frames)


async def entered(socket: Any, name: str) -> tuple[Wire, str]:
    """Return a socket on which somebody has signed in, and the token."""
    wire = Wire(socket)
    answer = await wire.ask(
        {"request_id": f"in-{name}", "name": "sign_in", "re_sent": False, "username": name, "password": "password"}
    )
    return wire, answer["data"]
