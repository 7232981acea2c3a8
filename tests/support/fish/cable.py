"""A connection to a Fish peer whose both ends are in the test."""

from __future__ import annotations

from typing import Any


class Cable:
    """A connection without a network."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.is_open = True
        self.receiver: Any = None
        self.read_out: Any = None
        self.paused = False

    def send(self, text: bytes) -> None:
        self.sent.append(text)

    def close(self) -> None:
        self.is_open = False

    def pause(self) -> None:
        self.paused = True

    def cut(self) -> None:
        self.is_open = False
        self.receiver.lost(ConnectionResetError("cut"))
