"""The table of a hosted match, at which nothing happens before the time is made good in which nobody could act."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.intents import Intent, Refusal
from parlour.errors import StoreError
from parlour.referee.table import Answer, Table

if TYPE_CHECKING:
    from parlour.net.hosted import HostedMatch, Means


class PunctualTable(Table):
    """A table at which nothing happens before the time is made good in which nobody could act.

    Whoever plays here comes this way, people through the hall and agents of the house through their driver.
    """

    def __init__(self, hosted: HostedMatch, means: Means) -> None:
        # Only doors watch, which turn what they see into bytes.
        super().__init__(hosted.match, means.now, keep=hosted.keep, strangers=False)
        self._name = hosted.name
        self._hosted: HostedMatch | None = hosted
        """The match, until it is closed."""
        self._look = means.look

    async def handle(self, intent: Intent) -> Answer:
        """Hand in an intent, once all that is owed is made good."""
        hosted = self._awake()
        if not isinstance(intent, it.Downtime):
            self._look()
            if hosted.owing:
                await hosted.make_good()
        return await super().handle(intent)

    def put(self, intent: Intent) -> Refusal | None:
        """The same without waiting."""
        hosted = self._awake()
        self._look()
        if hosted.owing and (downtime := hosted.downtime()) is not None:
            super().put(downtime)
        return super().put(intent)

    def close(self) -> None:
        """Store nothing more, and let go of the match."""
        self._hosted, self._keep = None, _keep_nothing

    def _awake(self) -> HostedMatch:
        if self._hosted is None:
            raise StoreError(f"match {self._name} has just been put to sleep")
        return self._hosted


def _keep_nothing(events: Sequence[Event]) -> asyncio.Future[None]:
    raise StoreError("what happens in a match that was put to sleep is too late")
