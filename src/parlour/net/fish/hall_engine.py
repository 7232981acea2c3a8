"""The engine whose players are connected strangers: plays the matches of a plan at tables of the hall."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Seat
from parlour.net.fish.tables import RemoteTables
from parlour.tournament.engines.base import Happening
from parlour.tournament.engines.playing import Delivery, MatchLog, delivery_of, spec_of
from parlour.tournament.knock_out.values import Departure
from parlour.tournament.plan import Plan
from parlour.tournament.schedules.blocks import Sitting


class HallEngine:
    """Plays the matches of a plan at tables of the hall. Nobody sits at two of them at once."""

    task_time = 0.0

    def __init__(self, plan: Plan, tables: RemoteTables, *, places: int) -> None:
        self.places = self.depth = places
        self.departed: dict[str, Departure] = {}
        """Players who were removed from a match, each with the first reason."""
        self._plan, self._tables = plan, tables
        self._waiting: list[Sitting] = []
        self._playing: dict[asyncio.Task[Delivery], Sitting] = {}

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Have these matches played, each as soon as its players are free."""
        self._waiting += sittings
        self._begin()

    async def happened(self) -> Happening:
        """Wait until a match is over; what goes wrong in one is raised."""
        done, _ = await asyncio.wait(self._playing, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            del self._playing[task]
        self._begin()
        return Happening(tuple(task.result() for task in done), idle=len(done))

    async def close(self) -> None:
        """End what is played; it continues when the tournament is resumed."""
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
            busy.update(sitting.players)  # who is first in the schedule plays first

    async def _play(self, sitting: Sitting) -> Delivery:
        began, spec = time.perf_counter(), spec_of(self._plan, sitting)
        names = spec.names
        seeds = {player.shown: player.seed for player in spec.players.values()}
        played = await self._tables.play(spec.match, spec.open(), names, seeds)
        for event in played.events:
            if type(event) is ev.Removed:
                gone = Departure(names[event.seat], event.standing or Standing.FAILURE, event.reason)
                self.departed.setdefault(gone.name, gone)
        thoughts = _thoughts(names, played.events)
        return delivery_of(self._plan, sitting, played.match, played.events, MatchLog(names), thoughts, began=began)


def _thoughts(seats: Iterable[Seat], events: Iterable[Event]) -> dict[Seat, tuple[float, int]]:
    """Return for each seat the seconds from the beginning of its turns to its actions, and their number."""
    found, since = dict.fromkeys(seats, (0.0, 0)), 0.0
    for event in events:
        if type(event) is ev.TurnBegan:
            since = event.at
        elif type(event) is ev.Acted:
            seconds, decisions = found[event.seat]
            found[event.seat] = seconds + event.at - since, decisions + 1
    return found
