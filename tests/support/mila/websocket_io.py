"""A wire that keeps what was written to it."""

# Why real time passes here: a socket that is slow is so in real time.

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from support.mila.wire import texts_of


class Wire:
    """A carrier that keeps what it is given."""

    def __init__(self) -> None:
        self.writes: list[list[bytes]] = []
        self.calls: list[str] = []
        self.unsent = 0
        self.written = asyncio.Event()

    def listen(self, listener: Callable[[bytes], None], /) -> None:
        self.heard = listener

    def send_frames(self, frames: Sequence[bytes], /) -> None:
        self.writes.append([text for several in frames for text in texts_of(several)])
        self.written.set()

    def pause(self) -> None:
        self.calls.append("pause")

    def go_on(self) -> None:
        self.calls.append("go on")

    def cut(self) -> None:
        self.calls.append("cut")
