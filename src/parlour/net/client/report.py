"""The report of a client on its tournament, and the interface that clients of all protocols share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(slots=True)
class ClientReport:
    """The result of a tournament for one player."""

    name: str
    won: bool | None = None
    """True if the player won; None if its client never received the result."""
    games: int = 0
    reason: str = ""
    """Reason why the player's part ended early: kicked, refused, cut off; empty otherwise."""


class Client(Protocol):
    """Plays one player in one tournament, over any protocol."""

    report: ClientReport

    async def run(self, host: str, port: int, *, tries: int = 10, pause: float = 1.0) -> ClientReport:
        """Take part until the tournament ends."""
