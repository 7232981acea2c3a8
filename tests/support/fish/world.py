"""Fish tournaments in a simulated world, from a seed, over several lives of the server: `-m support.fish.world`.

Five players of our own client sign up, play, are cut off at any moment, half-open or not, and come back; the disk is
slow and fails; the server crashes at any moment, right at some write. The players outlive it. What must be true then is
in check.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Action, View
from parlour.core.player import Player
from parlour.core.terms import Clock, Terms
from parlour.errors import StoreError
from parlour.games.fish import GAME
from parlour.games.fish.position import Position
from parlour.net.client.fish_json import JsonClient
from parlour.net.fish.dialect import Patience
from parlour.net.fish.json.states import write_state
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.net.framing.connection import Wire
from parlour.net.framing.listener import Listener
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match
from parlour.referee.state import MatchState
from parlour.store import Filter, RecordKind, Store, read_events
from parlour.tournament.knock_out.tournament import read_result
from support.hall.lives import FILLING, MortalStore, grain_of, lived
from support.simulation.pipes import SimulatedLine
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore

NAMES = ("ada", "bob", "cyd", "dan", "eve")
SETTINGS = Settings(
    terms=Terms(STRICT, Clock(per_turn=30.0)),
    config={"rows": 4, "cols": 4, "fish": 2},
    fewest=len(NAMES),
    most=len(NAMES),
    wait=1e6,
    patience=Patience(30.0, 30.0, 30.0),
    name_time=30.0,
    grace=30.0,
    return_time=300.0,
    seed=7,
)
AGES = 1e9
"""Seconds for which a player tries to come back: for ever."""


class _Doorstep:
    """Stands for the listener of a server, which has no sockets here."""

    port = 1

    def __init__(self, accept: Callable[[], Wire]) -> None:
        self.accept = accept
        self.is_open = False

    async def open(self, host: str, port: int) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False

    async def emptied(self) -> None:
        """Nobody lingers."""


class _Loop(SimulatedLoop):
    """Connections that are made on it lead to the server of the world."""

    world: FishWorld

    async def create_connection(self, factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:  # type: ignore[override]
        await asyncio.sleep(0.01)
        return self.world.connected(factory())


class FishWorld:
    """One seed: who was told what, over any number of lives."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.disk = SimulatedDisk()
        self.loop = _Loop(grain=grain_of(seed))
        self.loop.world = self
        self.told: Counter[tuple[str, bool]] = Counter()
        self.reasons: list[str] = []
        self.cuts = 0
        self.crashes = 0
        self.results: list[Any] = []
        self.segments: list[list[Any]] = []
        """Actions that somebody heard one after the other."""
        self.states: set[str] = set()
        """All states of games that somebody was told."""
        self.tokens: dict[str, None] = {}
        """Those that arrived."""
        self.complaints: list[str] = []
        self._doorstep: _Doorstep | None = None
        self._lines: dict[SimulatedLine, None] = {}
        self._people: list[asyncio.Task[None]] = []
        self._faults = True

    # Connections

    def connected(self, client: Any) -> tuple[Any, Any]:
        """Return a connection of a client; ConnectionRefusedError if no server is there."""
        if self._doorstep is None or not self._doorstep.is_open:
            raise ConnectionRefusedError("nobody listens")
        ear = _Ear(self)
        line = SimulatedLine(client, self._doorstep.accept(), self.chance, overheard=ear.hear)
        self._lines[line] = None
        line.connect()
        if self._faults and self.chance.random() < 0.5:
            fault = self.chance.choice([line.cut, line.half_open])
            self.loop.call_later(self.chance.expovariate(1 / 20.0), self._fault, ear, fault)
        return line.client, client

    def _fault(self, ear: _Ear, fault: Callable[[], None]) -> None:
        """Cut somebody off, unless it has no token yet, or owes the answer to the end: both are its own affair."""
        if ear.token and not ear.ended:
            self.cuts += 1
            fault()

    # People

    async def _person(self, name: str) -> None:
        while True:
            client = JsonClient(name, self._agent, returns=AGES, returns_early=AGES, patience=AGES, inline=True)
            report = await client.run("simulated", 1, tries=1_000_000_000, pause=2.0)
            if report.won is not None:
                self.told[name, report.won] += 1
            else:
                self.reasons.append(report.reason)
            await asyncio.sleep(self.chance.uniform(0.1, 2.0))

    def _agent(self, game: int) -> Player:
        return _Slow(make_agent("fish", "greedy", game), self.chance)

    # Lives

    def live(self, failing: float) -> None:
        """A server runs for a while and crashes; then nobody is there for a while."""
        crash_at = self.chance.choice([0, self.chance.randrange(1, 150)])
        slow = self.chance.choice([0.001, 0.05])
        filling = self.chance.choice(FILLING)
        store = MortalStore(self.disk, self.chance, slow=slow, failing=failing, crash_at=crash_at, filling=filling)
        self._run(store, self.chance.uniform(20.0, 200.0))
        self._pass(self.chance.choice([0.5, 20.0, 600.0]))

    def _run(self, store: MortalStore, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        asyncio.set_event_loop(self.loop)
        if not self._people:
            self._people = [self.loop.create_task(self._person(name)) for name in NAMES]
        server = TournamentServer(GAME, make_dialect("json"), SETTINGS, store=cast(Store, store))
        self._doorstep = _Doorstep(server._desk.door.accept)
        server._listener = cast(Listener, self._doorstep)
        serving = self.loop.create_task(server.run(self.results.append))
        serving.add_done_callback(self._stop)  # one that cannot write ends
        end = self.loop.time() + seconds
        while self.loop.time() < end and not until() and not serving.done() and not store.crashed:
            self._pass(min(5.0, end - self.loop.time()))
        self._crash(serving, store)

    def _stop(self, _: object) -> None:
        self.loop.stop()

    def _pass(self, seconds: float) -> None:
        """Let time pass, unless something ends it."""
        timer = self.loop.call_later(seconds, self.loop.stop)
        self.loop.run_forever()
        timer.cancel()

    def _crash(self, serving: asyncio.Task[None], store: MortalStore) -> None:
        """From now on nothing that the server does has any effect, and everybody is cut off."""
        self.crashes += 1
        store.crash()
        self._doorstep = None
        for line in self._lines:
            line.server.pipe.cut()
            self.loop.call_soon(line.client.lose)
        self._lines.clear()
        serving.remove_done_callback(self._stop)
        serving.cancel()
        self.loop.run_until_complete(asyncio.wait([serving]))
        if not serving.cancelled() and (error := serving.exception()) is not None:
            _require_store_error(error)

    # What must be true at the end

    def check(self) -> None:
        """AssertionError says what is not as it must be."""
        self._settle()
        store = cast(Store, SimulatedStore(self.disk, self.chance))
        assert self.complaints == []
        held: Counter[tuple[str, bool]] = Counter()
        for head in store.heads(Filter(kind=RecordKind.TOURNAMENT)):
            if head.result is None:
                held.update((name, won) for name in NAMES for won in (True, False))
                continue
            result = read_result(store, head.id)
            assert result.cheaters == ()
            # Nobody is judged for what the server did, but for whoever never got the token that brings one back.
            assert {departure.name for departure in result.failures} <= self._without_token(store, head.id)
            held.update((name, name in result.winners) for name in NAMES)
        assert [told for told in self.told if self.told[told] > held[told]] == []
        self._check_matches(store)

    def _without_token(self, store: Store, tournament: str) -> set[str]:
        given = {hashlib.sha256(token.encode()).digest() for token in self.tokens}
        return {sign_up.name for sign_up in store.sign_ups(tournament) if sign_up.digest not in given}

    def _settle(self) -> None:
        """Without any more faults, what was cut short goes on to its end."""
        self._faults = False
        store = MortalStore(self.disk, self.chance)
        before = [head.id for head in store.heads(Filter(kind=RecordKind.TOURNAMENT, unfinished=True))]
        self._run(store, 3600.0, lambda: all(store.result(tournament) is not None for tournament in before))
        for person in self._people:
            person.cancel()
        self._pass(1.0)
        self.loop.close()
        asyncio.set_event_loop(None)
        assert [tournament for tournament in before if store.result(tournament) is None] == []

    def _check_matches(self, store: Store) -> None:
        played: list[list[Any]] = []
        shown: set[str] = set()
        for head in store.heads(Filter(kind=RecordKind.MATCH)):
            events = read_events(store, head.id)
            Match.resume(events)
            shown |= states_of(events)
            ended = [event.happened for event in events if isinstance(event, ev.TurnEnded)]
            moves = [happened for happened in ended if happened["stage"] != "placement"]
            played.append([step for move in moves for step in (move["action"], *("Skip" for _ in move["skips"]))])
        played = json.loads(json.dumps(played).replace('"skip"', '"Skip"'))
        assert self.states <= shown, "what anybody was told is what the replayed record shows"
        for segment in self.segments:  # what anybody was told has happened, in that order, and nothing in between
            size = len(segment)
            assert any(segment == match[at : at + size] for match in played for at in range(len(match))), segment

    def digest(self) -> str:
        """Return a text that differs between any two worlds; tournament names and times are the real world's."""
        found = (sorted(self.told.items()), self.segments, self.cuts, self.loop.simulated, len(self.results))
        return hashlib.sha256(repr(found).encode()).hexdigest()


def _require_store_error(error: BaseException) -> None:
    """A server may end because nothing can be kept, and for no other reason."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            _require_store_error(one)
    elif not isinstance(error, StoreError):
        raise error


class _Slow:
    """An agent that takes its time, but not too long."""

    def __init__(self, agent: Player, chance: random.Random) -> None:
        self._agent, self._chance = agent, chance

    async def act(self, view: View) -> Action:
        await asyncio.sleep(self._chance.uniform(0.0, 2.0))
        return self._agent.act(view)


class _Ear:
    """Listens to all that comes in on one connection."""

    def __init__(self, world: FishWorld) -> None:
        self._world = world
        self._rest = b""
        self._segment: list[Any] | None = None
        self.token = ""
        self.ended = False

    def hear(self, piece: bytes) -> None:
        """Take in what arrived."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._line(json.loads(line))

    def _line(self, message: dict[str, Any]) -> None:
        if token := message.get("token"):
            self.token = token
            self._world.tokens[token] = None
        if any(token in str(message) for token in self._world.tokens if token != self.token):
            self._world.complaints.append(f"a token of another is told: {message}")
        self.ended = self.ended or message["type"] == "tournament_end"
        if message["type"] == "broadcast_action":
            if self._segment is None:
                self._segment = []
                self._world.segments.append(self._segment)
            self._segment.append(message["value"])
        elif message["type"] in ("player_assign_color", "broadcast_state", "broadcast_game_over"):
            self._segment = None
        match message:
            case {"type": "broadcast_game_over", "value": {"state": state}}:
                self._world.states.add(written(state))
            case {"type": "broadcast_state" | "player_request_placement", "value": state}:
                self._world.states.add(written(state))


def written(state: Any) -> str:
    """Return a state so that equal states are equal texts."""
    return json.dumps(state, sort_keys=True)


def states_of(events: Sequence[Event]) -> set[str]:
    """Return all states of a game, worked out from its record."""
    names = {event.seat: event.name for event in events if isinstance(event, ev.Joined)}
    replayed, found = MatchState(GAME), set[str]()
    for event in events:
        replayed.fold(event)
        if isinstance(replayed.position, Position):
            found.add(written(msgspec.to_builtins(write_state(replayed.position, names))))
    return found


def simulate(seed: int) -> FishWorld:
    """A world of that seed, after three lives in which everything held, and a fourth in which all came to its end."""
    return lived(FishWorld(seed))


if __name__ == "__main__":
    sys.stdout.write(simulate(int(sys.argv[1])).digest())
