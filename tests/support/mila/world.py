"""Websocket clients at a table in a simulated world, from a seed, over several lives: `-m support.mila.world`.

Seven people and an observer play through the client library, some of them over two connections at a time, by frames on
lines that are cut, torn and half-open on either side; the disk is slow, hangs and fails; the clock is set; the server
crashes at any moment, right at some write. The people outlive it. What must be true then is in check.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from itertools import count
from typing import Any, cast

from starlette.applications import Starlette

from parlour.core import events as ev
from parlour.core.game import FoulKind, Seat
from parlour.core.viewers import OMNISCIENT
from parlour.errors import LocalWireError, StoreError
from parlour.games.diplomacy.game import GAME
from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.client.connection import Connection
from parlour.net.client.network_game import NetworkGame
from parlour.net.doors import HttpDoor
from parlour.net.fair_pool import HOUSE, Requester
from parlour.net.hall import Hall
from parlour.net.mila import notices
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.faults import GameIdException, ResponseException
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.server_door import mila_route
from parlour.net.setup import HallLimits
from parlour.referee.history import Past
from parlour.referee.match import Match
from parlour.store import Store, read_events
from support.hall.last_told import LastTold
from support.hall.lives import FILLING, MortalStore, grain_of, in_turn, lived
from support.simulation.pipes import SimulatedLine
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
OBSERVER = "OBSERVER"
EPOCH = 1_700_000_000.0
SECRET = "secret of "
DEADLINE = 600
"""Seconds of a turn; everybody orders much sooner, if the server lets them."""
AT_WILL = AccountLimits(sign_ins_per_minute=1_000_000, registrations_per_hour=1_000_000)
WHO: ContextVar[str] = ContextVar("who")
"""The account that makes a connection."""


class _Loop(SimulatedLoop):
    """Connections that are made on it lead to the server of the world."""

    world: SocketWorld

    async def create_connection(self, factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:  # type: ignore[override]
        await asyncio.sleep(0.01)
        return self.world.connected(factory())


class _PlainPasswords(Passwords):
    """Digests without threads, which no simulation could repeat."""

    async def digest(self, password: str, *, shortest: int = 8, asker: Requester = HOUSE) -> str:
        return password

    async def matches(self, digest: str, password: str, asker: Requester = HOUSE) -> bool:
        return digest == password


class _Server:
    """One life of a server: its hall, and the protocol that each connection to it begins with."""

    def __init__(self, world: SocketWorld, store: MortalStore) -> None:
        self.store = store
        self.hall = Hall(cast(Store, store), clock=world.clock, limits=HallLimits(snapshot_every=15))
        accounts = Accounts(
            cast(Store, store), limits=AT_WILL, passwords=_PlainPasswords(), clock=world.clock, lifetime=1e9
        )
        self.hall.pool.run = in_turn  # type: ignore[method-assign]  # a thread of the system knows no simulated time
        world.last.overhear(self.hall)
        self.door = MilaDoor(HallHost(self.hall, accounts))
        app = Starlette(routes=[mila_route(self.door)])
        self._entrance = HttpDoor(app, host="simulated", port=1)
        self._entrance._config.load()
        self.is_open = False
        self.opening = asyncio.get_running_loop().create_task(self._open())

    async def _open(self) -> None:
        with contextlib.suppress(StoreError):  # one that cannot begin does not
            await self.hall.start()
            self.is_open = True

    def accept(self) -> asyncio.Protocol:
        """Return the server's side of a connection."""
        config, state = self._entrance._config, self._entrance._server.server_state
        made: Any = config.http_protocol_class
        return cast(asyncio.Protocol, made(config=config, server_state=state, app_state={}))

    async def die(self) -> None:
        """Nothing that it does from now on has any effect; so it may as well end."""
        self.is_open = False
        self.store.crash()
        self.opening.cancel()
        with contextlib.suppress(StoreError):
            await self.hall.close()


class SocketWorld:
    """One seed: what was acknowledged, what was refused, what was heard, over any number of lives."""

    def __init__(self, seed: int) -> None:
        notices._numbers = count()  # longer ones are torn elsewhere, and another world may have used those before
        self.chance = random.Random(seed)
        self.disk = SimulatedDisk()
        self.loop = _Loop(grain=grain_of(seed))
        self.loop.world = self
        self.jumped = 0.0
        self.kept: list[str] = []
        self.refused: list[str] = []
        self.ordered: list[tuple[str, str, tuple[str, ...]]] = []
        self.cuts = 0
        self.last = LastTold()
        self.complaints: list[str] = []
        self.games: dict[tuple[str, int], NetworkGame] = {}
        """The knowledge of each connected person."""
        self._number = 0
        self._server: _Server | None = None
        self._lines: dict[SimulatedLine, _Ear] = {}
        self._people: list[asyncio.Task[None]] = []
        self._faults = True
        self._talking = True

    def clock(self) -> float:
        """Return the time by the clock of the server."""
        return EPOCH + self.loop.time() + self.jumped

    # Connections

    def connected(self, client: Any) -> tuple[Any, Any]:
        """Return a connection of a client; ConnectionRefusedError if no server is there."""
        if self._server is None or not self._server.is_open:
            raise ConnectionRefusedError("nobody listens")
        ear = _Ear(self, WHO.get())
        line = SimulatedLine(
            client, self._server.accept(), self.chance, torn=0.1, overheard=ear.hear, received=ear.overhear
        )
        self._lines[line] = ear
        line.connect()
        if self._faults and self.chance.random() < 0.9:
            fault = self.chance.choice([line.cut, line.half_open, line.forsaken])
            self.loop.call_later(self.chance.expovariate(1 / 15.0), self._fault, line, fault)
        return line.client, client

    def _fault(self, line: SimulatedLine, fault: Callable[[], None]) -> None:
        if self._faults and line in self._lines:
            self.cuts += 1
            del self._lines[line]
            fault()

    # People

    async def _person(self, power: str, which: int) -> None:
        """Comes, talks and orders until it feels like going, or cannot go on, and comes back."""
        WHO.set(power)
        while True:
            connection = Connection("ws://simulated:1/", timeout=60.0, attempts=5, pause=2.0)
            try:
                await connection.open()
                game = await self._entered(connection, power)
                self.games[power, which] = game
                game.add_on_game_message_received(partial(self._received, Counter()))
                while not self._faults or self.chance.random() < 0.99:
                    await self._take_part(game)
                    await asyncio.sleep(self.chance.uniform(0.2, 4.0))
            except (ConnectionError, TimeoutError, ResponseException, LocalWireError):
                await asyncio.sleep(self.chance.uniform(0.1, 2.0))
            finally:
                self.games.pop((power, which), None)
                await connection.close()

    async def _entered(self, connection: Connection, power: str) -> NetworkGame:
        channel = await connection.authenticate(f"{power.lower()} player", "password")
        if power == OBSERVER:
            return await channel.join_game(game_id="m")
        if power == POWERS[0]:
            with contextlib.suppress(GameIdException):  # it is there
                rules = ["POWER_CHOICE", "CIVIL_DISORDER"]
                return await channel.create_game(game_id="m", power_name=power, deadline=DEADLINE, rules=rules)
        return await channel.join_game(game_id="m", power_name=power)

    def _received(self, heard: Counter[str], game: NetworkGame, told: Any) -> None:
        text = told.message.message
        heard[text] += 1
        if heard[text] > 1:
            self.complaints.append(f"{game.role} was called twice for {text!r}")

    async def _take_part(self, game: NetworkGame) -> None:
        power = game.power
        if power is None or not self._talking:
            return
        if game.is_game_active and not power.order_is_set and self.chance.random() < 0.2:
            await self._order(game)
        else:
            await self._talk(game)

    async def _order(self, game: NetworkGame) -> None:
        phase, units = game.current_short_phase, game.get_units(game.role)
        orders = [f"{unit} H" for unit in units if self.chance.random() < 0.7]
        await game.set_orders(orders=orders, wait=False)
        self.ordered.append((game.role, phase, tuple(orders)))

    async def _talk(self, game: NetworkGame) -> None:
        self._number += 1
        own = POWERS.index(game.role)
        text = f"{SECRET}{game.role} {self._number}"
        try:
            if self.chance.random() < 0.2:
                await game.send_log_data(log=game.new_log_data(text))
                return
            to = "NOBODY" if self.chance.random() < 0.1 else POWERS[(own + 1) % len(POWERS)]
            await game.send_game_message(message=game.new_power_message(to, text))
            self.kept.append(text)
        except ResponseException as error:
            if "NOBODY" in str(error):
                self.refused.append(text)

    async def _trouble(self) -> None:
        """The clock is set forward or back, the match is put to sleep."""
        while True:
            await asyncio.sleep(self.chance.uniform(5.0, 60.0))
            if self._faults and self.chance.random() < 0.3:
                self.jumped += self.chance.choice([5.0, 600.0, -5.0, -600.0])
            if self._server is not None:
                self._server.hall.sleep("m")

    # Lives

    def live(self, failing: float) -> None:
        """A server runs for a while and crashes; then nobody is there for a while."""
        store = MortalStore(
            self.disk,
            self.chance,
            slow=self.chance.choice([0.001, 0.05]),
            failing=failing,
            hanging=self.chance.choice([0.0, 0.01]),
            crash_at=self.chance.choice([0, self.chance.randrange(1, 200)]),
            filling=self.chance.choice(FILLING),
        )
        self._run(store, self.chance.uniform(20.0, 200.0))
        self._crash()
        self._pass(self.chance.choice([0.5, 20.0, 3600.0]))

    def _run(self, store: MortalStore, seconds: float) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._begin(store))
        end = self.loop.time() + seconds
        while self.loop.time() < end and not store.crashed:
            self._pass(min(5.0, end - self.loop.time()))

    async def _begin(self, store: MortalStore) -> None:
        self._server = _Server(self, store)
        if not self._people:
            create = self.loop.create_task
            for power in (*POWERS, OBSERVER):
                for which in range(self.chance.choice([1, 1, 2])):  # some are connected twice
                    self._people.append(create(self._person(power, which)))
            self._people.append(create(self._trouble()))

    def _pass(self, seconds: float) -> None:
        """Let time pass, unless something ends it."""
        timer = self.loop.call_later(seconds, self.loop.stop)
        self.loop.run_forever()
        timer.cancel()

    def _crash(self) -> None:
        """From now on nothing that the server does has any effect, and everybody is cut off."""
        assert self._server is not None
        for line in self._lines:
            line.server.pipe.cut()
            self.loop.call_soon(line.client.lose)
            self.loop.call_soon(line.server.lose)
        self._lines.clear()
        self.loop.run_until_complete(self._server.die())
        self._server = None

    # What must be true at the end

    def check(self) -> None:
        """AssertionError says what is not as it must be."""
        try:
            self._settle()
            self._check()
        finally:
            self._end()

    def _check(self) -> None:
        assert [person.exception() for person in self._people if person.done()] == []
        assert self.complaints == []
        events = read_events(cast(Store, SimulatedStore(self.disk, self.chance)), "m")
        self._check_talk(events)
        self._check_orders(events)
        self._check_knowledge(events)
        assert self._server is not None
        for room in self._server.door.rooms.values():
            self.last.note(OMNISCIENT, room._folded, room.state.view)
        assert self.last.check(GAME, events)
        for ear in self._lines.values():  # those that nothing has happened to
            assert [asked for asked, answers in ear.answers.items() if answers != 1] == []

    def _settle(self) -> None:
        """Without any more faults, everybody comes back, the turn goes on, and then all are silent for a while."""
        self._faults = False
        self._run(MortalStore(self.disk, self.chance, slow=0.001), 100.0)
        before = self._turns()
        self._pass(200.0)
        assert self._turns() > before, "nothing goes on"
        self._talking = False
        self._pass(60.0)

    def _turns(self) -> int:
        events = read_events(cast(Store, SimulatedStore(self.disk, self.chance)), "m")
        return sum(isinstance(event, ev.TurnEnded) for event in events)

    def _check_talk(self, events: list[ev.Event]) -> None:
        said = Counter(event.text for event in events if isinstance(event, ev.Said | ev.Noted))
        assert [text for text in self.kept if said[text] != 1] == []
        assert [text for text in self.refused if said[text]] == []
        assert [text for text, times in said.items() if times > 1] == []

    def _check_orders(self, events: list[ev.Event]) -> None:
        given = set()
        for told in Past(GAME, events).told(OMNISCIENT):
            if isinstance(event := told.event, ev.Acted):
                position: Any = told.view.position
                given.add((event.seat, position.phase, tuple(event.action)))
        assert [order for order in self.ordered if order not in given] == []
        late = [event for event in events if isinstance(event, ev.Fouled) and event.kind is FoulKind.LATE]
        assert late == []  # everyone answers in good time, so whoever was late was so by our fault
        Match.resume(events)

    def _check_knowledge(self, events: list[ev.Event]) -> None:
        """Check that every connected client has received all that it may, and nothing twice."""
        assert {power for power, _ in self.games} == {*POWERS, OBSERVER}
        for (power, which), game in self.games.items():
            known = Counter(message.message for message in _messages(game))
            meant = Counter(
                event.text for event in events if isinstance(event, ev.Said) and Seat(power) in (event.seat, *event.to)
            )
            assert known - meant == Counter(), (power, which)
            assert meant - known == Counter(), (power, which)

    def _end(self) -> None:
        for person in self._people:
            person.cancel()
        self.loop.run_until_complete(asyncio.wait(self._people))
        self._crash()
        self.loop.close()
        asyncio.set_event_loop(None)

    def digest(self) -> str:
        """Return a text that differs between any two worlds."""
        found = (self.kept, self.refused, self.ordered, self.cuts, self.loop.simulated)
        return hashlib.sha256(repr(found).encode()).hexdigest()


def _messages(game: NetworkGame) -> Iterator[Any]:
    yield from game.messages.values()
    for said in game.message_history.values():
        yield from said.values()


class _Ear:
    """Listens to all that goes over one connection."""

    def __init__(self, world: SocketWorld, who: str) -> None:
        self._world, self._who = world, who
        self._to_client, self._to_server = _Frames(), _Frames()
        self.answers: Counter[str] = Counter()

    def overhear(self, piece: bytes) -> None:
        """Something arrived at the server."""
        for frame in self._to_server.take(piece):
            if frame["name"] != "unknown_token":
                self.answers[frame["request_id"]] += 0

    def hear(self, piece: bytes) -> None:
        """Something arrived at the client."""
        for frame in self._to_client.take(piece):
            if (request := frame.get("request_id")) is not None:
                self.answers[request] += 1
                if self.answers[request] > 1:
                    self._complain(f"hears a second answer: {frame}")
            self._check_secrecy(frame)

    def _check_secrecy(self, frame: dict[str, Any]) -> None:
        text = str(frame)
        known = () if self._who == OBSERVER else (self._who, POWERS[POWERS.index(self._who) - 1])
        if any(f"{SECRET}{power} " in text for power in POWERS if power not in known):
            self._complain(f"overhears {frame}")
        if frame["name"] == "power_orders_update" and frame["power_name"] != self._who:
            self._complain(f"is told orders: {frame}")
        sheet = frame["data"]["powers"] if frame["name"] == "data_game" else {}
        if any(power["orders"] for name, power in sheet.items() if name != self._who):
            self._complain(f"is given orders: {frame}")

    def _complain(self, what: str) -> None:
        self._world.complaints.append(f"{self._who} {what[:300]}")


class _Frames:
    """The texts of a websocket, out of its bytes."""

    def __init__(self) -> None:
        self._rest = b""
        self._shaken = False
        """Return True after the handshake."""

    def take(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """Return the messages that are complete with this piece."""
        self._rest += piece
        if not self._shaken and b"\r\n\r\n" in self._rest:
            self._shaken = True
            self._rest = self._rest.partition(b"\r\n\r\n")[2]
        while self._shaken and (frame := self._next()) is not None:
            opcode, text = frame
            if opcode == 1:
                yield json.loads(text)

    def _next(self) -> tuple[int, bytes] | None:
        rest = self._rest
        if len(rest) < 2:
            return None
        masked, length, at = rest[1] & 0x80, rest[1] & 0x7F, 2
        if length >= 126:
            more = 2 if length == 126 else 8
            length, at = int.from_bytes(rest[at : at + more], "big"), at + more
        begin = at + (4 if masked else 0)
        if len(rest) < begin + length:
            return None
        mask = rest[at:begin] if masked else bytes(4)
        self._rest = rest[begin + length :]
        return rest[0] & 0x0F, bytes(byte ^ mask[k % 4] for k, byte in enumerate(rest[begin : begin + length]))


def simulate(seed: int) -> SocketWorld:
    """A world of that seed, after three lives in which everything held, and a fourth in which all came to rest."""
    return lived(SocketWorld(seed))


if __name__ == "__main__":
    sys.stdout.write(simulate(int(sys.argv[1])).digest())
