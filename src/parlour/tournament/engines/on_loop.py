"""The engine of the running event loop: plays matches of connected players, none of whom plays two at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from parlour.tournament.engines.base import Happening
from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting


class LoopEngine:
    """Plays each match in a task of the event loop."""

    task_time = 0.0

    def __init__(self, play: Callable[[Sitting], Awaitable[Delivery]], places: int) -> None:
        self._play = play
        self.places = self.depth = places
        self._waiting: list[Sitting] = []
        self._playing: dict[asyncio.Future[Delivery], Sitting] = {}

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Queue these matches; each is played as soon as its players are free."""
        self._waiting += sittings
        self._begin()

    async def happened(self) -> Happening:
        """Wait until a match is over, and return its result; raise the error of a match that failed."""
        done, _ = await asyncio.wait(self._playing, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            del self._playing[task]
        self._begin()
        return Happening(tuple(task.result() for task in done), idle=len(done))

    async def close(self) -> None:
        """Stop the running matches; they continue when the tournament is resumed."""
        for task in self._playing:
            task.cancel()
        if self._playing:
            await asyncio.wait(self._playing)

    def _begin(self) -> None:
        busy = {name for sitting in self._playing.values() for name in sitting.players}
        for sitting in tuple(self._waiting):
            if busy.isdisjoint(sitting.players):
                self._waiting.remove(sitting)
                self._playing[asyncio.ensure_future(self._play(sitting))] = sitting
            busy.update(sitting.players)  # a player's matches are played in the order of the schedule
