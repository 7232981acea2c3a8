"""One match that is awake: its table, what of it goes to the store, and the agents of the house that sit at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.net.house import HouseAgent, make_house_agent
from parlour.net.views import phase_of
from parlour.referee.live import LiveDriver, Spawn
from parlour.referee.match import Match
from parlour.referee.table import Answer, Table
from parlour.store import Finished, Journal, Progress, RecordHead, Seating, Store, Write


class Sitter(NamedTuple):
    """Who is about to sit down, beyond what the match itself needs to know."""

    name: str
    account: str = ""
    agent: str = ""


class HostedMatch:
    """A match in memory. Its hall wakes it, rings when something is due, and puts it to sleep."""

    def __init__(
        self,
        store: Store,
        head: RecordHead,
        match: Match,
        length: int,
        seating: dict[Seat, Seating],
        roles: dict[str, str],
        *,
        now: Callable[[], float],
        spawn: Spawn,
        places: asyncio.Semaphore,
    ) -> None:
        self.head = head
        self.match = match
        self.seating = seating
        """Who sits where; what the store says, or will say in a moment."""
        self.roles = roles
        """What accounts are appointed to."""
        self.table = Table(match, now, keep=self._keep)
        self.watchers = 0
        self.used = 0.0
        """When somebody last had to do with it, on the loop's clock."""
        self._journal: Journal[Event] = Journal(store, head, length=length)
        self._now = now
        self._spawn = spawn
        self._places = places
        self._driver: LiveDriver | None = None
        self._sitters: list[Sitter] = []

    @property
    def busy(self) -> bool:
        """Whether something is being stored, or an agent of the house thinks."""
        return self.table.busy or (self._driver is not None and self._driver.thinking > 0)

    # What goes in

    async def handle(self, intent: Intent, sitter: Sitter | None = None) -> Answer:
        """Hand in an intent; who sits down with it is stored together with what follows from it."""
        if sitter is None:
            return await self.table.handle(intent)
        self._sitters.append(sitter)
        try:
            return await self.table.handle(intent)
        finally:
            self._sitters.remove(sitter)

    async def wake_agents(self) -> None:
        """Make the agents of the house again that the store says sit here, and let them go on."""
        specs = {seat: sitting.agent for seat, sitting in self.seating.items() if sitting.agent}
        if not specs or self.match.over:
            return
        driver = self._drive()
        for seat, spec in specs.items():
            if not self.match.is_removed(seat):
                driver.place(seat, self.make_agent(seat, spec))
        if driver.forming:
            for seat in driver.players:
                driver.call(seat, "seated", driver.chair(seat))
        else:
            await driver.run(driver.sit_down())

    def make_agent(self, seat: Seat, spec: str) -> HouseAgent:
        """An agent of the house for a seat; ConfigError if there is none of that name."""
        opened = self.match
        return make_house_agent(opened.game.name, spec, opened.state.opened.seed, seat, self._places)

    def seat_agent(self, seat: Seat, agent: HouseAgent) -> Callable[[], None]:
        """Put an agent on a seat before the intent by which it joins; call what is returned if that was refused."""
        driver = self._drive()
        driver.sit(seat, agent)
        return lambda: driver.rise(seat)

    def dismiss_agent(self, seat: Seat) -> None:
        """Somebody else sits there now."""
        if self._driver is not None and seat in self._driver.players:
            self._driver.rise(seat)

    def close(self) -> None:
        """Let go of the agents."""
        if self._driver is not None:
            self._driver.close()

    def _drive(self) -> LiveDriver:
        if self._driver is None:
            self._driver = LiveDriver(self.table, {}, self._spawn)
        return self._driver

    # What goes to the store

    async def _keep(self, events: Sequence[Event]) -> None:
        await self._journal.keep(events, *self._besides(events))

    def _besides(self, events: Sequence[Event]) -> list[Write]:
        """What follows from events for the head and the seats; the match stands right after these events."""
        writes: list[Write] = []
        for event in events:
            if isinstance(event, ev.Joined):
                writes.append(self._seated(event))
            elif isinstance(event, ev.Left):
                writes.append(self._seating(Seating(self.head.id, event.seat)))
        state = self.match.state
        head = msgspec.structs.replace(
            self.head,
            status=state.status.value,
            turn=state.turn,
            phase=phase_of(state.position),
            due=self.match.due(),
            players={seat: sitting.player for seat, sitting in self.seating.items() if sitting.player},
        )
        if head != self.head:
            self.head = msgspec.structs.replace(head, updated=self._now())
            self._journal.head = self.head
            progress = Progress(head.id, head.status, head.turn, head.phase, head.due, self.head.updated)
            if self._journal.length:
                writes.append(progress)
        if self.match.over and any(isinstance(event, ev.Ended) for event in events):
            writes.append(Finished(self.head.id, msgspec.json.encode(self.match.outcome)))
        return writes

    def _seated(self, event: ev.Joined) -> Seating:
        sitter = next((sitter for sitter in self._sitters if sitter.name == event.name), Sitter(event.name))
        return self._seating(Seating(self.head.id, event.seat, event.name, sitter.account, sitter.agent))

    def _seating(self, sitting: Seating) -> Seating:
        self.seating[Seat(sitting.seat)] = sitting
        return sitting
