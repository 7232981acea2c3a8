"""An agent orders and says the same on the local driver, in the house, and through every door that it may join by."""

# Why real time passes here: sockets and agents on threads know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat, View
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.player import ObservedEvent, Player
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.errors import ParlourError
from parlour.games.diplomacy.declaration import DECLARATION
from parlour.games.diplomacy.game import GAME
from parlour.net import house_agents
from parlour.net.client import connect
from parlour.net.client.agent_loop import AgentLoop, player_type_of
from parlour.net.client.daide import DaideClient
from parlour.net.client.lane import AgentLane
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from parlour.net.house_agents import HouseAgent
from parlour.net.mcp.seat_tools import SeatTools
from parlour.net.setup import MatchSetup
from parlour.press.judging.findings import PromiseStatus
from parlour.press.ledger import ledger_of
from parlour.referee.conduct import HOSTED
from parlour.referee.local import play
from parlour.referee.match import Match
from support.doors.same_word import Logged, differences, played_alone, recorded
from support.hall.halls import POWERS, in_a_hall
from support.mila.house import HOST, mila_server
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.timeout(300)
CHEAP = {"search": "search:budget=60", "sbr": "sbr:draws=4,samples=2", "net": "net"}
"""Agents that would think for long, with less to think about."""
QUICK = 40
"""Rollouts of a press agent's decision."""
TALK = 60.0
"""Seconds of a press window; it closes as soon as all are done."""
PHASES = 2
Table: TypeAlias = tuple[list[Event], dict[str, Logged]]

SHIPPED = [name for name in DECLARATION.agents if name != "deepmind"]  # whose parameters do not ship
WINDOW = Terms(HOSTED, press=PressTerms(PressMode.WINDOW, level=60, window=TALK))


def spec_of(name: str) -> str:
    return f"{name}:budget={QUICK}" if name in DECLARATION.talkers else CHEAP.get(name, name)


def agent_of(name: str, seat: str) -> Player:
    """Return the agent of a seat; the same again for the same name and seat."""
    return make_agent("diplomacy", spec_of(name), POWERS.index(seat))


OTHERS = ("peace", "proposer", "yesman")
"""Agents that give others something to talk about."""


def at_table(names: str) -> dict[Seat, str]:
    """Return who sits where: those that are tried on every other seat, in turn, and three others between them."""
    tried = cycle(names.split())
    return {Seat(seat): OTHERS[number // 2] if number % 2 else next(tried) for number, seat in enumerate(POWERS)}


def logged_table(name: str) -> dict[str, Logged]:
    return {seat: Logged(agent_of(who, seat)) for seat, who in at_table(name).items()}


def played_locally(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    players = logged_table(name)
    match = Match(GAME, {"last_year": 1901}, WINDOW, 1)
    play(match, {Seat(seat): player for seat, player in players.items()})
    return list(match.record), players


def played_in_the_house(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    players = logged_table(name)

    async def made(spec: object, seed: object, seat: Seat, *rest: Any, **more: Any) -> HouseAgent:
        return HouseAgent(players[seat], *rest, **more)

    monkeypatch.setattr(house_agents, "make_house_agent", made)

    async def story(hall: Hall) -> list[Event]:
        setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=WINDOW, agents=at_table(name))
        match = await hall.open(setup)
        ended = asyncio.Event()
        await hall.watch(match, SPECTATOR, lambda told: ended.set() if isinstance(told.event, ev.Ended) else None, 0)
        await asyncio.wait_for(ended.wait(), PATIENCE)
        return await hall.record(match)

    return in_a_hall(path, story), players


def played_by_websocket(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    players = logged_table(name)

    async def story() -> list[Event]:
        async with mila_server(path) as served, connect(HOST, served.port) as connection, asyncio.timeout(PATIENCE):
            channel = await connection.authenticate("host", "password")
            setup = {"n_controls": 7, "deadline": 0, "rules": ["POWER_CHOICE"]}
            game = await channel.create_game(game_id="same", **setup)  # type: ignore[arg-type]
            async with asyncio.TaskGroup() as group:
                for seat, player in players.items():
                    own = await connection.authenticate(f"bot {seat}", "password")
                    kind = player_type_of(player)
                    joined = await own.join_game(game_id="same", power_name=seat, player_type=kind)
                    group.create_task(AgentLoop(joined, player, diplomacy_time=TALK).run())
                await until(lambda: len(game.state_history) >= PHASES)
                await game.draw()
            return await served.hall.record("same")

    return asyncio.run(story()), players


def played_by_daide(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    players = logged_table(name)

    async def story(hall: Hall) -> list[Event]:
        door = DaideDoor(hall, DaideOptions(level=60), config={"last_year": 1901})
        await door.open()
        clients = [DaideClient(f"bot{seat}", player, talk=1.5) for seat, player in players.items()]
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(client.run(HOST, door.port) for client in clients))
        (head,) = (await hall.page()).heads
        record = await hall.record(head.id)
        await door.close()
        return record

    record = in_a_hall(path, story)
    return record, {player.seat: player for player in players.values()}


class Assistant:
    """A seat at the tools of assistants, played by an agent."""

    def __init__(self, tools: SeatTools, token: str, seat: Seat, player: Logged) -> None:
        self._desk, self._token, self.seat, self.player = tools, token, seat, player
        self._holds, self._action = False, None
        self.lane = AgentLane(player, seat, self._want)
        self.lane.give("on_seated", self.lane.handle)

    @property
    def done(self) -> bool:
        """True if it has chosen and waits for nothing."""
        return self._action is not None and not self._holds

    def told(self, told: ObservedEvent) -> None:
        event = told.event
        self.lane.tell(event)
        if isinstance(event, ev.TurnBegan):
            self._holds, self._action = False, None
            if self.seat in event.to_act:
                assert told.view.position is not None
                self.lane.ask(View(self.seat, told.view.position, event.turn))

    async def submit(self) -> None:
        await self._desk.submit(self._token, self._action)

    async def _want(self, intent: Intent) -> Refusal | None:
        match intent:
            case it.Say(text=text, to=to):
                try:
                    await self._desk.say(self._token, text, to)
                except ParlourError as error:
                    return Refusal(RefusalCode.BAD_VALUE, str(error))
            case it.Act(action=action):
                self._action = action
            case it.SetWait(wait=wait):
                self._holds = wait
        return None


async def take_turns(assistants: list[Assistant], news: asyncio.Queue[ObservedEvent]) -> None:
    """Submit what all have chosen, in each turn, when nobody has anything left to say: this door has no wait flags."""
    while not isinstance(event := (await news.get()).event, ev.Ended):
        if not isinstance(event, ev.TurnBegan):
            continue
        acting = [one for one in assistants if one.seat in event.to_act]
        heard = -1
        while heard != sum(len(one.player.calls) for one in assistants) or not all(one.done for one in acting):
            heard = sum(len(one.player.calls) for one in assistants)
            for one in assistants:
                await one.lane.settle()
        for one in acting:
            await one.submit()


def played_by_assistants(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    players = logged_table(name)

    async def story(hall: Hall) -> list[Event]:
        tools = SeatTools(hall)
        terms = Terms(HOSTED, press=PressTerms(PressMode.ANYTIME, level=60))
        match = await hall.open(MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms))
        news: asyncio.Queue[ObservedEvent] = asyncio.Queue()
        await hall.watch(match, SPECTATOR, news.put_nowait, 0)
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            assistants, tasks = [], []
            for seat, player in players.items():
                token = (await tools.sit(match=match, seat=seat))["token"]
                assistants.append(assistant := Assistant(tools, token, Seat(seat), player))
                tasks.append(group.create_task(assistant.lane.run()))
            for assistant in assistants:
                await hall.watch(match, seated_on(assistant.seat), assistant.told, 0)
            await take_turns(assistants, news)
            for task in tasks:
                task.cancel()
        return await hall.record(match)

    return in_a_hall(path, story), players


DOORS = {
    "local": played_locally,
    "house": played_in_the_house,
    "ws": played_by_websocket,
    "daide": played_by_daide,
    "mcp": played_by_assistants,
}
HONEST = [name for name in DECLARATION.talkers if name not in ("proposer", "stabber")]


MIXED = [" ".join(SHIPPED[first : first + 4]) for first in range(0, len(SHIPPED), 4)]
"""All agents, four at a table."""


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("names", [*MIXED, *(pytest.param(name, marks=pytest.mark.long) for name in SHIPPED)])
def test_an_agent_orders_and_says_the_same_whichever_door_it_came_by(
    names: str, door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, players = DOORS[door](names, tmp_path, monkeypatch)
    assert sum(isinstance(event, ev.TurnEnded) for event in record) >= PHASES
    assert len(players) == len(POWERS)
    tables = at_table(names)
    for number, (seat, player) in enumerate(players.items()):
        made_for = Seat(POWERS[number]) if door == "daide" else Seat(seat)  # there the server says who sits where
        alone = played_alone(agent_of(tables[made_for], made_for), player)
        found = differences(alone, recorded(record, Seat(seat)))
        assert not found, f"{seat}: {found}"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ("peace", "broker") else pytest.mark.long) for name in HONEST]
)
def test_agents_that_keep_their_word_keep_it_through_the_websocket(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("props.test_same_everywhere.at_table", lambda name: dict.fromkeys(map(Seat, POWERS), name))
    record, _ = played_by_websocket(name, tmp_path, monkeypatch)
    verdicts = ledger_of(record).verdicts
    assert [verdict for verdict in verdicts if verdict.status is PromiseStatus.BROKEN] == []
