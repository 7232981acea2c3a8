"""The door for players of Fish: a tournament server among the doors of a hall's server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from parlour.net.fish.server import TournamentServer
from parlour.tournament.values import TournamentResult


class FishDoor:
    """Tournament after tournament of whoever signs up."""

    name = "fish"

    def __init__(self, server: TournamentServer, report: Callable[[TournamentResult | None], None]) -> None:
        self._server = server
        self._report = report
        self._running: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"{self._server.settings.host}:{self._server.port}"

    async def open(self) -> None:
        """Listen; ConfigError if that cannot be."""
        await self._server.start()

    async def run(self) -> None:
        """Hold tournaments until closed."""
        self._running = asyncio.ensure_future(self._server.run(self._report))
        await asyncio.wait((self._running,))
        if not self._running.cancelled():
            self._running.result()

    async def close(self) -> None:
        """Send everyone home; a tournament that runs is taken up again at the next start."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait((self._running,))
        await self._server.close()  # again, if it had come so far; before that nobody else does
