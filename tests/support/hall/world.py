"""A hall in a simulated world, from a seed, over several lives of its server: `-m support.hall.world`.

People play through the API over wires that lose, cut and leave half-open what they carry, each of them sometimes over
two connections at a time; agents of the house sit beside them; the disk is slow, hangs, fails and fills; the clock is
set; the server crashes at any moment, right at some write, or is stopped. What must be true then is in check.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import msgspec

from parlour.core import events as ev
from parlour.core.game import FoulKind, Seat
from parlour.core.player import ObservedEvent
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR, Viewer, seated_on
from parlour.errors import Denied, StoreError
from parlour.games.diplomacy.game import GAME
from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.tokens import digest_of
from parlour.net.hall import Hall
from parlour.net.http.app import PREFIX, Service, make_app
from parlour.net.settings import ServerSettings
from parlour.net.setup import HallLimits, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from parlour.store import Account, Store, Token, read_events
from parlour.web.packets import unpacked
from parlour.web.view_streams import ViewStream
from support.hall.last_told import LastTold
from support.hall.lives import FILLING, grain_of, lived
from support.hall.people import session_of
from support.simulation.wires import Lost, SimulatedWires
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore

PEOPLE = [Seat(power) for power in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY")]
HOUSE = {Seat("RUSSIA"): "random", Seat("TURKEY"): "greedy"}
PRESS = PressTerms(PressMode.ANYTIME, level=8000, max_per_turn=100_000)
SETUP = MatchSetup(
    game="diplomacy", terms=Terms(DIPLOMACY, Clock(per_turn=30.0), PRESS), match="m", seed=7, agents=HOUSE
)
SECRET = "secret of "
EPOCH = 1_700_000_000.0
AT_WILL = ServerSettings(requests_per_second=1e6, requests_at_once=1_000_000)
MATCH = f"{PREFIX}/matches/m"


class World:
    """One seed: what was acknowledged, what was refused, what was told, over any number of lives."""

    def __init__(self, seed: int) -> None:
        self.chance, self._patience = random.Random(seed), random.Random(~seed)
        self._grain = grain_of(seed)
        self.disk = SimulatedDisk()
        for seat in PEOPLE:
            account = seat.lower()
            self.disk.apply((Account(account, ""), Token(digest_of(account), account, "sign in", 0.0, math.inf)))
        self.now = 0.0
        self.jumped = 0.0
        self.kept: list[str] = []
        self.refused: list[str] = []
        self.acted: set[tuple[Seat, int]] = set()
        self.lost = 0
        self.seen: dict[Viewer, dict[int, Any]] = {}
        self.heard: dict[Seat, dict[int, Any]] = {seat: {} for seat in PEOPLE}
        self.complaints: list[str] = []
        self.last = LastTold()
        self.shown = 0
        """Number of events that pages showed."""
        self.number = 0

    def live(self, failing: float) -> None:
        """A server runs for a while, and ends in some way."""
        loop = SimulatedLoop(self.now, grain=self._grain)
        asyncio.set_event_loop(loop)
        stopped = self.chance.random() < 0.3  # as an operator would, not by a crash
        store = SimulatedStore(
            self.disk,
            self.chance,
            slow=self.chance.choice([0.001, 0.05]),
            failing=failing,
            hanging=self.chance.choice([0.0, 0.01]),
            crash_at=0 if stopped else self.chance.choice([0, self.chance.randrange(1, 200)]),
            filling=self.chance.choice(FILLING),
        )
        try:
            hall = Hall(
                cast(Store, store),
                clock=lambda: EPOCH + loop.time() + self.jumped,
                limits=HallLimits(snapshot_every=15),
                aside=self._aside,
            )
            self.last.overhear(hall)
            loop.crash_after(self._traffic(hall, store), self.chance.uniform(5.0, 120.0))
            if stopped:
                loop.crash_after(self._stopped(hall), 60.0)
        finally:
            store.crash()
            self.now = loop.time() + self.chance.choice([0.5, 20.0, 3600.0])
            loop.close()
            asyncio.set_event_loop(None)

    async def _stopped(self, hall: Hall) -> None:
        try:
            await hall.close()
        except StoreError:
            return  # then it has crashed after all

    async def _traffic(self, hall: Hall, store: SimulatedStore) -> None:
        try:
            await hall.start()
        except StoreError:
            return  # a server that cannot begin does not
        service = Service(hall, Accounts(cast(Store, store), clock=hall.now), AT_WILL, clock=hall.now)
        wires = SimulatedWires(make_app(service), self.chance, failing=0.1)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._owner(hall))
            for seat in PEOPLE:
                for _ in range(self.chance.choice([1, 1, 2])):  # some are connected twice
                    group.create_task(self._player(wires, seat))
                group.create_task(self._listener(wires, seat))
            for viewer in (SPECTATOR, seated_on(PEOPLE[0])):
                for _ in range(2):
                    group.create_task(self._watcher(hall, store, viewer))
                group.create_task(self._page(hall, viewer))
            group.create_task(self._trouble(hall))

    async def _owner(self, hall: Hall) -> None:
        """Opens the match, and sees to it that the house plays."""
        session = session_of(hall, "owner")
        while True:
            with contextlib.suppress(Denied, StoreError):  # it is there, or one tries again
                await session.open(SETUP)
            for seat, spec in HOUSE.items():
                try:
                    if (await session.view("m")).seats[seat].name is None:
                        await session.seat_agent("m", seat, spec)
                except (Denied, StoreError):
                    continue
            await asyncio.sleep(self.chance.uniform(5.0, 10.0))

    async def _aside(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Return an agent of the house thinks: in simulated time, and the same every time."""
        await asyncio.sleep(self.chance.uniform(0.0, 2.0))
        return method(*arguments)

    async def _player(self, wires: SimulatedWires, seat: Seat) -> None:
        """Somebody who talks, and always orders in good time, and again if no answer came."""
        token = seat.lower()
        while True:
            try:
                status, view = await wires.ask("GET", MATCH, token=token)
                if status == 200:
                    self._note(view)
                    place = view["seats"][seat]
                    if not place["present"]:
                        await wires.ask("POST", f"{MATCH}/seats", {"seat": seat}, token=token)
                    elif place["to_act"] and not place["acted"]:
                        await self._act(wires, seat, view["turn"])
                    else:
                        await self._talk(wires, seat)
            except Lost:
                self.lost += 1
                continue
            await asyncio.sleep(self.chance.uniform(0.2, 2.0))

    def _note(self, view: dict[str, Any]) -> None:
        """Take note of what the API says of the table."""
        secret = ("ballot", "own")
        seats = {name: {key: row[key] for key in row if key not in secret} for name, row in view["seats"].items()}
        said = {name: view[name] for name in ("status", "turn", "stage", "in_favour")}
        viewer = seated_on(*view["you"]["seats"]) if view["you"]["seats"] else SPECTATOR
        self.last.answered(viewer, view["next"], {**said, "seats": seats})

    async def _act(self, wires: SimulatedWires, seat: Seat, turn: int) -> None:
        body = {"intent": "act", "seat": seat, "action": []}
        status, answer = await wires.ask("POST", f"{MATCH}/intents", body, token=seat.lower())
        if status == 200:
            turns = {event["turn"] for event in answer["events"] if event["event"] == "acted" and event["seat"] == seat}
            self.acted |= {(seat, turn) for turn in turns}

    async def _talk(self, wires: SimulatedWires, seat: Seat) -> None:
        self.number += 1
        text = f"{SECRET}{seat} {self.number}"
        to = "NOBODY" if self.chance.random() < 0.1 else PEOPLE[(PEOPLE.index(seat) + 1) % len(PEOPLE)]
        body = {"intent": "say", "seat": seat, "text": text, "to": [to]}
        status, _ = await wires.ask("POST", f"{MATCH}/intents", body, token=seat.lower())
        if status == 200:
            self.kept.append(text)
        elif status == 409:
            self.refused.append(text)

    async def _listener(self, wires: SimulatedWires, seat: Seat) -> None:
        """Asks again and again what happened since, over wires that fail."""
        heard = self.heard[seat]
        while True:
            back = max(0, len(heard) - self.chance.randrange(3))
            wait = self.chance.choice(["", "&wait=2"])
            try:
                path = f"{MATCH}/events?since={back}&as={seat}{wait}"
                status, answer = await wires.ask("GET", path, token=seat.lower())
            except Lost:
                continue
            if status == 200:
                for numbered in answer["events"]:
                    k, event = numbered["k"], _without_orders(numbered["event"])
                    if heard.setdefault(k, event) != event or k >= len(heard):
                        self.complaints.append(f"{seat} heard number {k} as {event}, after {len(heard)} others")
            await asyncio.sleep(self.chance.uniform(0.1, 5.0))

    async def _watcher(self, hall: Hall, store: SimulatedStore, viewer: Viewer) -> None:
        """Somebody who is cut off now and then and comes back from where it was, or is gone and nobody notices."""
        seen = self.seen.setdefault(viewer, {})

        def told(told: ObservedEvent) -> None:
            if store.length("m") <= told.number:
                self.complaints.append(f"event {told.number} was told before it was kept")
            if told.k in seen and seen[told.k] != told.event:
                self.complaints.append(f"{viewer}: number {told.k} was something else before")
            if told.k not in seen and told.k != len(seen):
                self.complaints.append(f"{viewer}: number {told.k} came after {len(seen)} others")
            seen[told.k] = told.event

        while True:
            try:
                back = max(0, len(seen) - self.chance.randrange(4))  # what was told may come again when one asks for it
                end = await hall.watch("m", viewer, told, back)
                await asyncio.sleep(self.chance.uniform(1.0, 30.0))
                if self.chance.random() < 0.8:
                    end()
            except (StoreError, Denied):
                await asyncio.sleep(1.0)

    async def _page(self, hall: Hall, viewer: Viewer) -> None:
        """A page in a browser: it puts its table together from changes, and is loaded again now and then."""
        while True:
            stand, numbers = ViewStream(GAME, viewer, opening=_at_once, aside=_at_once), dict[int, int]()
            stand.teller.pictures = None  # the law is about the table: nothing is drawn

            def told(told: ObservedEvent, stand: ViewStream = stand, numbers: dict[int, int] = numbers) -> None:
                numbers[told.k] = told.number
                stand.take(told)

            try:
                end = await hall.watch("m", viewer, told, 0)
            except (StoreError, Denied):
                await asyncio.sleep(1.0)
                continue
            stand.start()
            await stand.ready()
            page, table = stand.join(), self.last.page(viewer)
            table.take(msgspec.json.decode(msgspec.json.encode(stand.table())), numbers.get(stand.next - 1, -1))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience.uniform(10.0, 60.0)):
                    while (message := await page.get()) is not None:
                        line = unpacked(message)
                        table.take(line.get("t", {}), numbers[line["k"]])
                        self.shown += 1
            stand.close()
            end()

    async def _trouble(self, hall: Hall) -> None:
        """The clock is set forward or back, the match is put to sleep."""
        while True:
            await asyncio.sleep(self.chance.uniform(5.0, 60.0))
            if self.chance.random() < 0.3:
                self.jumped += self.chance.choice([5.0, 600.0, -5.0, -600.0])
            hall.sleep("m")

    # What must be true at the end

    def check(self) -> None:
        """AssertionError says what is not as it must be."""
        events = read_events(cast(Store, SimulatedStore(self.disk, self.chance)), "m")
        assert self.complaints == []
        self._check_talk(events)
        given = {(event.seat, event.turn) for event in events if isinstance(event, ev.Acted) and event.given}
        assert self.acted <= given
        late = [event for event in events if isinstance(event, ev.Fouled) and event.kind is FoulKind.LATE]
        assert late == []  # everyone answers in good time, so whoever was late was so by our fault
        assert not any(isinstance(event, ev.Acted) and not event.given for event in events)
        assert all(before.at < after.at for before, after in pairwise(events))
        self._check_secrets()
        self.last.check(GAME, events)
        if events:
            Match.resume(events)

    def _check_talk(self, events: list[ev.Event]) -> None:
        said = Counter(event.text for event in events if isinstance(event, ev.Said))
        assert [text for text in self.kept if said[text] != 1] == []
        assert [text for text in self.refused if said[text]] == []
        assert [text for text, times in said.items() if times > 1] == []

    def _check_secrets(self) -> None:
        assert not any(SECRET in str(event) for event in self.seen.get(SPECTATOR, {}).values())
        for seat in PEOPLE:
            known = (seat, PEOPLE[PEOPLE.index(seat) - 1])
            mine = str(list(self.heard[seat].values()))
            mine += str(list(self.seen.get(seated_on(seat), {}).values()))
            assert not any(f"{SECRET}{other} " in mine for other in PEOPLE if other not in known)

    def digest(self) -> str:
        """Return a text that differs between any two worlds."""
        found = (self.disk.bodies, self.kept, self.refused, self.heard, self.lost)
        return hashlib.sha256(repr(found).encode()).hexdigest()


async def _at_once(work: Callable[[], Any]) -> Any:
    return work()


def _without_orders(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event as it was heard while the match was on: what others ordered is no secret when it is over."""
    return event | {"action": None} if event["event"] == "acted" else event


def simulate(seed: int) -> World:
    """Return a world of that seed, after three lives in which everything held."""
    return lived(World(seed))


if __name__ == "__main__":
    sys.stdout.write(simulate(int(sys.argv[1])).digest())
