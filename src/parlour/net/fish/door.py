"""The door for Fish players: a tournament server as one of a server's doors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from parlour.errors import StoreError
from parlour.net.declaration import Premises
from parlour.net.fish.server import TournamentServer
from parlour.tournament.knock_out.events import TournamentResult

PAUSE = 0.5
"""Seconds until a failed store is tried again; doubled at each failure until a tournament ends."""
LONGEST_PAUSE = 30.0

_log = logging.getLogger(__name__)


def make(premises: Premises) -> FishDoor:
    """Return the door with the tournaments of a server."""
    return FishDoor(*premises.tournaments(premises.settings, premises.hall))


class FishDoor:
    """A door that holds one tournament after another for players who sign up."""

    name = "fish"

    def __init__(self, server: TournamentServer, report: Callable[[TournamentResult | None], None]) -> None:
        self._server = server
        self._report = report
        self._pause = PAUSE
        self._running: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """The host and port of the door."""
        return f"{self._server.settings.host}:{self._server.port}"

    @property
    def connections(self) -> int:
        """Number of connections."""
        return self._server.connections

    async def open(self) -> None:
        """Listen on the port; raise ConfigError if that is not possible."""
        await self._server.start()

    async def run(self) -> None:
        """Hold tournaments until closed; pause while the store fails, then resume the interrupted one."""
        while (error := await self._ended(self._server.run(self._held))) is not None:
            _log.warning("no tournaments until the store answers: %s", error)
            self._server = self._server.renewed()
            await self._ended(self._opened_again())
            if self._running is None or self._running.cancelled():
                return

    async def _ended(self, work: Coroutine[Any, Any, None]) -> StoreError | None:
        """Return the failure of the store that ended some work; None if it was done or cancelled."""
        self._running = asyncio.ensure_future(work)
        await asyncio.wait((self._running,))
        if self._running.cancelled() or (error := self._running.exception()) is None:
            return None
        return _of_the_store(error)

    def _held(self, result: TournamentResult | None) -> None:
        self._pause = PAUSE
        self._report(result)

    async def _opened_again(self) -> None:
        while True:
            # Wait first: a store that is nearly full may accept the small test write and then fail with a large one.
            await asyncio.sleep(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            with contextlib.suppress(StoreError):
                await self._server.try_store()
                return await self._server.start()

    async def close(self) -> None:
        """Close all connections; a running tournament is resumed at the next start."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait((self._running,))
        await self._server.close()  # run() closes the server only if it has begun


def _of_the_store(error: BaseException) -> StoreError:
    """Return the first store error; raise any other error that is among them."""
    if isinstance(error, BaseExceptionGroup):
        first, *_ = [_of_the_store(one) for one in error.exceptions]
        return first
    if not isinstance(error, StoreError):
        raise error
    return error
