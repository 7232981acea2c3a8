"""Assistants at a table in a simulated world, from a seed, over several lives of its server.

They look, talk, play and wait; the disk is slow and fails; the server crashes at any moment. What they were told has
to be the view of the replayed record.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any, cast

from parlour.core.game import Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import seated_on
from parlour.errors import Denied, StoreError
from parlour.games.diplomacy.game import GAME
from parlour.net.hall import Hall
from parlour.net.mcp.event_text import news_of
from parlour.net.mcp.seat_tools import SeatTools
from parlour.net.setup import HallLimits, MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.referee.history import Past
from parlour.store import Store, read_events
from support.hall.last_told import LastTold
from support.hall.lives import FILLING, grain_of, in_turn, lived
from support.hall.people import session_of
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore

EPOCH = 1_700_000_000.0
ASSISTANTS = (Seat("FRANCE"), Seat("GERMANY"))
HOUSE = {Seat(power): "hold" for power in ("AUSTRIA", "ENGLAND", "ITALY", "RUSSIA", "TURKEY")}
PRESS = PressTerms(PressMode.ANYTIME, level=8000, max_per_turn=100_000)
SETUP = MatchSetup(game="diplomacy", terms=Terms(HOSTED, Clock(per_turn=30.0), PRESS), match="m", seed=7, agents=HOUSE)


class AssistantWorld:
    """One seed: what the assistants were told."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._grain = grain_of(seed)
        self.disk = SimulatedDisk()
        self.now = 0.0
        self.last = LastTold()
        self.tokens: dict[Seat, str] = {}
        self.news: list[tuple[Seat, int, int, list[str]]] = []
        """Seat, the number that it asked from, the number that it got, and the lines in between."""

    def live(self, failing: float) -> None:
        """A server runs for a while, and crashes."""
        loop = SimulatedLoop(self.now, grain=self._grain)
        asyncio.set_event_loop(loop)
        crash_at = self.chance.choice([0, self.chance.randrange(40, 300)])
        filling = self.chance.choice(FILLING)
        store = SimulatedStore(self.disk, self.chance, slow=0.01, failing=failing, crash_at=crash_at, filling=filling)
        hall = Hall(
            cast(Store, store),
            clock=lambda: EPOCH + loop.time(),
            limits=HallLimits(snapshot_every=15),
            aside=_aside,
        )
        hall.pool.run = in_turn  # type: ignore[method-assign]  # a thread of the system knows no simulated time
        self.last.overhear(hall)
        try:
            loop.crash_after(self._traffic(hall), self.chance.uniform(30.0, 120.0))
        finally:
            store.crash()
            self.now = loop.time() + self.chance.choice([0.5, 20.0, 3600.0])
            loop.close()
            asyncio.set_event_loop(None)

    async def _traffic(self, hall: Hall) -> None:
        try:
            await hall.start()
            await session_of(hall, "owner").open(SETUP)
        except StoreError:
            return  # a server that cannot begin does not
        except Denied:
            pass  # the match is there already
        async with asyncio.TaskGroup() as group:
            for seat in ASSISTANTS:
                group.create_task(self._assistant(SeatTools(hall), seat))

    async def _assistant(self, tools: SeatTools, seat: Seat) -> None:
        since = 0
        while True:
            await asyncio.sleep(self.chance.uniform(0.1, 3.0))
            try:
                if seat not in self.tokens:
                    self.tokens[seat] = (await tools.sit(match="m", seat=seat))["token"]
                token = self.tokens[seat]
                view = await tools.view(token)
                if view["status"] == "over":
                    continue  # it may see more then
                self.last.answered(
                    seated_on(seat), view["k"], {name: view[name] for name in ("status", "turn", "stage")}
                )
                if view["your_turn"] and self.chance.random() < 0.7:
                    await tools.submit(token, [])
                elif self.chance.random() < 0.5:
                    other = next(one for one in ASSISTANTS if one != seat)
                    await tools.say(
                        token, f"{seat} {self.chance.random()}", [other] if self.chance.random() < 0.7 else []
                    )
                found = await tools.wait(token, since, self.chance.uniform(0.0, 5.0))
                if not found["over"]:
                    self.news.append((seat, since, found["k"], found["news"]))
                    since = found["k"] if self.chance.random() < 0.9 else 0
            except (Denied, StoreError):
                continue

    def check(self) -> None:
        """AssertionError says what is not as it must be."""
        events = read_events(cast(Store, SimulatedStore(self.disk, self.chance)), "m")
        told = {seat: list(Past(GAME, events).told(seated_on(seat))) for seat in ASSISTANTS}
        for seat, since, k, lines in self.news:
            assert lines == [line for one in told[seat][since:k] if (line := news_of(one.event, seat))], (
                seat,
                since,
                k,
            )
        assert self.last.check(GAME, events)


async def _aside(method: Callable[..., Any], *arguments: Any) -> Any:
    return method(*arguments)


def simulate(seed: int) -> AssistantWorld:
    """Return a world of that seed, after three lives in which everything held."""
    return lived(AssistantWorld(seed))
