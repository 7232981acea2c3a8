"""Reports of clients, and the clients of all protocols under one name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(slots=True)
class ClientReport:
    """The result of a tournament for one player."""

    name: str
    won: bool | None = None
    """True if the player won; None if it never received the tournament's end."""
    games: int = 0
    reason: str = ""
    """Reason of another end: kicked, refused, cut off."""


class Client(Protocol):
    """Plays one player in one tournament, over any protocol."""

    report: ClientReport

    async def run(self, host: str, port: int, *, tries: int = 10, pause: float = 1.0) -> ClientReport:
        """Take part until the tournament ends."""
        ...
