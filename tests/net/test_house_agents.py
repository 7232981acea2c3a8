"""House agents: in matches whose terms they know nothing of, and in real time, beside others that think for ever."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from parlour.agents import make_agent
from parlour.agents.house_specs import HouseSpec
from parlour.core import intents as it
from parlour.core.events import Acted, Ended, TurnEnded
from parlour.core.game import Seat, View
from parlour.core.player import ObservedEvent, Player
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.thinking import checkpoint
from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.errors import Denied
from parlour.games.diplomacy.game import GAME
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.house_agents import HouseAgent, make_house_agent
from parlour.net.setup import MatchSetup
from parlour.net.thinking_places import ThinkingPlaces
from parlour.net.thought_lane import ThoughtLane
from parlour.net.thoughts import Thinker
from parlour.referee.conduct import DIPLOMACY, HOSTED
from support.hall.halls import in_a_hall
from support.waiting import PATIENCE, inside, settled

HONEST, HOSTILE = of_account("ann"), of_account("mallory")

ANN = Thinker("ann", "m")


@pytest.mark.parametrize("flags_up", [True, False])
@inside(in_a_hall)
async def test_wait_flags_that_are_up_at_first_do_not_stop_a_match_of_the_house(hall: Hall, *, flags_up: bool) -> None:
    agents = dict.fromkeys(GAME.seats({}), "hold")
    terms = Terms(conduct=HOSTED, wait_flags_up=flags_up)
    setup = MatchSetup(game="diplomacy", terms=terms, config={"last_year": 1901}, agents=agents)
    match = await hall.open(setup)
    over = asyncio.Event()
    await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None, 0)
    await asyncio.wait_for(over.wait(), PATIENCE)
    assert (await hall.view(match, SPECTATOR)).turn == 2
    assert hall.counts["intents refused"] == 0


@inside(in_a_hall)
async def test_a_match_that_is_paced_takes_its_time_though_all_have_acted(hall: Hall) -> None:
    agents = dict.fromkeys(GAME.seats({}), "hold")
    terms = Terms(conduct=HOSTED, clock=Clock(per_turn=600), wait_flags_up=True)
    match = await hall.open(MatchSetup(game="diplomacy", terms=terms, agents=agents, paced=True))
    acted: set[str] = set()
    done = asyncio.Event()

    def told(one: ObservedEvent) -> None:
        if isinstance(one.event, Acted):
            acted.add(one.event.seat)
        if len(acted) == len(agents) or isinstance(one.event, TurnEnded):
            done.set()

    await hall.watch(match, OMNISCIENT, told, 0)
    await asyncio.wait_for(done.wait(), PATIENCE)
    assert not any(isinstance(event, TurnEnded) for event in await hall.record(match))
    assert (await hall.view(match, SPECTATOR)).turn == 1


@inside(in_a_hall)
async def test_nobody_waits_for_an_agent_on_a_seat_for_which_orders_were_given_before(hall: Hall) -> None:
    """It is not asked, since what was ordered stands, and so it cannot lower the flag that is up."""
    first, *others = GAME.seats({})
    terms = Terms(conduct=HOSTED, wait_flags_up=True, seats_to_start=6, vacancy=Vacancy.AWAITED)
    agents = dict.fromkeys(others, "hold")
    match = await hall.open(MatchSetup(game="diplomacy", terms=terms, config={"last_year": 1901}, agents=agents))
    over = asyncio.Event()
    await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None, 0)
    assert (await hall.submit(match, it.Act(first, [], by="host")))[0].refusal is None
    assert (await hall.seat_agent(match, first, "hold")).refusal is None
    await asyncio.wait_for(over.wait(), PATIENCE)


class Slow:
    """An agent whose methods take as long as the place where they are called."""

    colour = "red"
    player_type = "press_bot"

    def act(self, view: object) -> list[str]:
        return []

    def heard(self, *said: str) -> str:
        return " and ".join(said)

    async def waited(self, event: asyncio.Event) -> str:
        await event.wait()
        return "waited"


class Aside:
    """Where agents think, for as long as the test wants."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.thinking = 0
        self.most = 0

    async def __call__(self, method: Any, *arguments: Any) -> Any:
        self.thinking += 1
        self.most = max(self.most, self.thinking)
        await self.gate.wait()
        self.thinking -= 1
        return method(*arguments)


async def test_an_agent_is_called_one_call_after_the_other_and_few_think_at_the_same_time() -> None:
    aside, places = Aside(), ThinkingPlaces(2, brief=0)
    agents = [HouseAgent(cast(Player, Slow()), ThoughtLane(ANN, places, aside)) for _ in range(3)]
    calls = [asyncio.ensure_future(agent.heard("a", "b")) for agent in agents for _ in range(2)]
    await settled()
    assert aside.thinking == 2
    aside.gate.set()
    assert await asyncio.gather(*calls) == ["a and b"] * 6
    assert aside.most == 2
    alone = Aside()
    one = HouseAgent(cast(Player, Slow()), ThoughtLane(ANN, ThinkingPlaces(5), alone))
    calls = [asyncio.ensure_future(one.act(cast(View, None))) for _ in range(3)]
    await settled()
    assert alone.thinking == 1, "though there is room for more"
    alone.gate.set()
    assert await asyncio.gather(*calls) == [[]] * 3


async def test_an_agent_that_waits_for_something_else_takes_nobodys_place() -> None:
    aside, places, event = Aside(), ThinkingPlaces(1, brief=0), asyncio.Event()
    agent = HouseAgent(cast(Player, Slow()), ThoughtLane(ANN, places, aside))
    waiting = asyncio.ensure_future(agent.waited(event))
    await settled()
    assert not places.running
    event.set()
    assert await waiting == "waited"
    assert aside.most == 0
    assert agent.colour == "red", "what is no method is what it is"
    with pytest.raises(AttributeError):
        agent.smell  # noqa: B018


@pytest.mark.parametrize("flags_up", [True, False])
async def test_an_agent_lowers_its_flag_before_it_thinks_if_all_are_raised(flags_up: bool) -> None:
    class SeatHandle:
        said: ClassVar[list[bool]] = []

        def set_wait(self, up: bool) -> None:
            self.said.append(up)

    SeatHandle.said.clear()

    aside = Aside()
    aside.gate.set()
    agent = HouseAgent(cast(Player, Slow()), ThoughtLane(aside=aside), flags_up=flags_up)
    await agent.act(cast(View, None))
    assert SeatHandle.said == [], "it has no handle yet"
    await agent.on_seated(cast(Any, SeatHandle()))
    await agent.act(cast(View, None))
    assert SeatHandle.said == ([False] if flags_up else [])


def test_an_agent_that_is_made_again_has_the_same_chance_and_each_seat_another() -> None:
    seeds: list[int] = []

    def made(seed: int) -> Player:
        seeds.append(seed)
        return cast(Player, Slow())

    async def scenario() -> None:
        for seed, seat in ((7, "FRANCE"), (7, "FRANCE"), (7, "ITALY"), (8, "FRANCE")):
            await make_house_agent(HouseSpec("diplomacy", "hold", made), seed, Seat(seat), ThoughtLane())

    asyncio.run(scenario())
    first, again, other_seat, other_match = seeds
    assert first == again
    assert len({first, other_seat, other_match}) == 3
    assert all(0 <= seed < 1 << 56 for seed in seeds)
    assert max(seeds) > 1 << 32


def test_an_agent_that_is_never_done_with_being_made_is_an_error_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.house_agents.MAKE_TIME", 0.01)
    done = threading.Event()

    def made(seed: int) -> Player:
        done.wait(PATIENCE)
        return cast(Player, Slow())

    async def scenario() -> None:
        spec = HouseSpec("diplomacy", "hold", made)
        with pytest.raises(Denied, match="agent: hold took more than"):
            await make_house_agent(spec, 7, Seat("FRANCE"), ThoughtLane())

    try:
        asyncio.run(scenario())
    finally:
        done.set()


class Endless:
    """An agent that thinks for ever, as one does that strangers gave a day for a move; it passes checkpoints."""

    def act(self, view: View) -> list[str]:
        while True:
            checkpoint()


class Deaf:
    """An agent that thinks until the test is over and passes no checkpoint."""

    over = threading.Event()

    def act(self, view: View) -> list[str]:
        self.over.wait(PATIENCE)
        return []


@pytest.mark.parametrize("hostile", [Endless, Deaf])
def test_endless_thoughts_in_the_matches_of_one_account_stop_no_other_house_agents(
    tmp_path: Path, hostile: type[Player]
) -> None:
    def read(game: str, text: str) -> HouseSpec:
        return HouseSpec(game, text, lambda seed: hostile() if text == "hostile" else make_agent(game, text, seed))

    async def scenario(hall: Hall) -> None:
        terms = Terms(conduct=HOSTED)
        seats = GAME.seats({})
        for _ in range(10):
            await hall.open(
                MatchSetup(game="diplomacy", terms=terms, agents=dict.fromkeys(seats, "hostile")),
                owner=HOSTILE,
            )
        config = {"last_year": 1901}
        agents = dict.fromkeys(seats, "hold")
        match = await hall.open(MatchSetup(game="diplomacy", terms=terms, config=config, agents=agents), owner=HONEST)
        over = asyncio.Event()
        await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None, 0)
        await asyncio.wait_for(over.wait(), PATIENCE)

    Deaf.over.clear()
    try:
        in_a_hall(tmp_path, scenario, read_spec=read)
    finally:
        Deaf.over.set()


def test_turns_that_end_while_an_agent_thinks_never_call_it_on_two_threads(tmp_path: Path) -> None:
    """Four matches whose clocks are shorter than the thoughts, as they once corrupted memory within seconds."""
    agents: list[Counting] = []

    class Counting:
        def __init__(self) -> None:
            self.inside = self.most = self.calls = 0
            agents.append(self)

        def act(self, view: View) -> list[str]:
            self.inside += 1
            self.calls += 1
            self.most = max(self.most, self.inside)
            try:
                for _ in range(20):
                    threading.Event().wait(0.01)
                    checkpoint()
            finally:
                self.inside -= 1
            return []

    async def scenario(hall: Hall) -> None:
        terms = Terms(conduct=DIPLOMACY, clock=Clock(per_turn=0.05))
        ended = asyncio.Event()
        turns = 0

        def told(one: ObservedEvent) -> None:
            nonlocal turns
            turns += isinstance(one.event, TurnEnded)
            if turns >= 40:
                ended.set()

        for _ in range(4):
            house = dict.fromkeys(GAME.seats({}), "slow")
            match = await hall.open(MatchSetup(game="diplomacy", terms=terms, agents=house), owner=HOSTILE)
            await hall.watch(match, SPECTATOR, told, 0)
        await asyncio.wait_for(ended.wait(), PATIENCE)

    in_a_hall(tmp_path, scenario, read_spec=lambda game, text: HouseSpec(game, text, lambda seed: Counting()))
    assert max(agent.calls for agent in agents) > 1
    assert {agent.most for agent in agents} <= {0, 1}
