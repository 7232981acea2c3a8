"""Agents of the house in matches whose terms they know nothing of."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from halls import in_a_hall
from parlour.core import intents as it
from parlour.core.events import Acted, Ended, TurnEnded
from parlour.core.game import Seat, View
from parlour.core.intents import PlayerType
from parlour.core.player import Player, Told
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.games.diplomacy.game import GAME
from parlour.net.hall import Hall
from parlour.net.house import HouseAgent, make_house_agent, type_of
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED


@pytest.mark.parametrize("flags_up", [True, False])
def test_wait_flags_that_are_up_at_first_do_not_stop_a_match_of_the_house(tmp_path: Path, flags_up: bool) -> None:
    async def scenario(hall: Hall) -> None:
        agents = dict.fromkeys(GAME.seats({}), "hold")
        terms = Terms(conduct=HOSTED, wait_flags_up=flags_up)
        setup = MatchSetup(game="diplomacy", terms=terms, config={"last_year": 1901}, agents=agents)
        match = await hall.open(setup)
        over = asyncio.Event()
        await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None, 0)
        await asyncio.wait_for(over.wait(), 30)
        assert (await hall.view(match, SPECTATOR)).turn == 2
        assert hall.counts["intents refused"] == 0

    in_a_hall(tmp_path, scenario)


def test_a_match_that_is_paced_takes_its_time_though_all_have_acted(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        agents = dict.fromkeys(GAME.seats({}), "hold")
        terms = Terms(conduct=HOSTED, clock=Clock(per_turn=600), wait_flags_up=True)
        match = await hall.open(MatchSetup(game="diplomacy", terms=terms, agents=agents, paced=True))
        acted: set[str] = set()
        done = asyncio.Event()

        def told(one: Told) -> None:
            if isinstance(one.event, Acted):
                acted.add(one.event.seat)
            if len(acted) == len(agents) or isinstance(one.event, TurnEnded):
                done.set()

        await hall.watch(match, OMNISCIENT, told, 0)
        await asyncio.wait_for(done.wait(), 30)
        assert not any(isinstance(event, TurnEnded) for event in await hall.record(match))
        assert (await hall.view(match, SPECTATOR)).turn == 1

    in_a_hall(tmp_path, scenario)


def test_nobody_waits_for_an_agent_on_a_seat_for_which_orders_were_given_before(tmp_path: Path) -> None:
    """It is not asked, since what was ordered stands, and so it cannot lower the flag that is up."""

    async def scenario(hall: Hall) -> None:
        first, *others = GAME.seats({})
        terms = Terms(conduct=HOSTED, wait_flags_up=True, seats_to_start=6, vacancy=Vacancy.AWAITED)
        agents = dict.fromkeys(others, "hold")
        match = await hall.open(MatchSetup(game="diplomacy", terms=terms, config={"last_year": 1901}, agents=agents))
        over = asyncio.Event()
        await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None, 0)
        assert (await hall.handle(match, it.Act(first, [], by="host"))).refusal is None
        assert (await hall.seat_agent(match, first, "hold")).refusal is None
        await asyncio.wait_for(over.wait(), 30)

    in_a_hall(tmp_path, scenario)


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


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_an_agent_is_called_one_call_after_the_other_and_few_think_at_the_same_time() -> None:
    async def scenario() -> None:
        aside, places = Aside(), asyncio.Semaphore(2)
        agents = [HouseAgent(cast(Player, Slow()), places, aside) for _ in range(3)]
        calls = [asyncio.ensure_future(agent.heard("a", "b")) for agent in agents for _ in range(2)]
        await settled()
        assert aside.thinking == 2
        aside.gate.set()
        assert await asyncio.gather(*calls) == ["a and b"] * 6
        assert aside.most == 2
        alone = Aside()
        one = HouseAgent(cast(Player, Slow()), asyncio.Semaphore(5), alone)
        calls = [asyncio.ensure_future(one.act(cast(View, None))) for _ in range(3)]
        await settled()
        assert alone.thinking == 1, "though there is room for more"
        alone.gate.set()
        assert await asyncio.gather(*calls) == [[]] * 3

    asyncio.run(scenario())


def test_an_agent_that_waits_for_something_else_takes_nobodys_place() -> None:
    async def scenario() -> None:
        aside, places, event = Aside(), asyncio.Semaphore(1), asyncio.Event()
        agent = HouseAgent(cast(Player, Slow()), places, aside)
        waiting = asyncio.ensure_future(agent.waited(event))
        await settled()
        assert not places.locked()
        event.set()
        assert await waiting == "waited"
        assert aside.most == 0
        assert agent.colour == "red", "what is no method is what it is"
        with pytest.raises(AttributeError):
            agent.smell  # noqa: B018

    asyncio.run(scenario())


@pytest.mark.parametrize("flags_up", [True, False])
def test_an_agent_lowers_its_flag_before_it_thinks_if_all_are_raised(flags_up: bool) -> None:
    class Chair:
        said: ClassVar[list[bool]] = []

        def set_wait(self, up: bool) -> None:
            self.said.append(up)

    async def scenario() -> None:
        aside = Aside()
        aside.gate.set()
        agent = HouseAgent(cast(Player, Slow()), asyncio.Semaphore(1), aside, flags_up=flags_up)
        await agent.act(cast(View, None))
        assert Chair.said == [], "it has no chair yet"
        await agent.seated(cast(Any, Chair()))
        await agent.act(cast(View, None))
        assert Chair.said == ([False] if flags_up else [])

    Chair.said.clear()
    asyncio.run(scenario())


def test_an_agent_that_is_made_again_has_the_same_chance_and_each_seat_another(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def made(game: str, spec: str, seed: int) -> Slow:
        seeds.append(seed)
        return Slow()

    monkeypatch.setattr("parlour.net.house.make_agent", made)
    for seed, seat in ((7, "FRANCE"), (7, "FRANCE"), (7, "ITALY"), (8, "FRANCE")):
        make_house_agent("diplomacy", "hold", seed, Seat(seat), asyncio.Semaphore(1))
    first, again, other_seat, other_match = seeds
    assert first == again
    assert len({first, other_seat, other_match}) == 3
    assert all(0 <= seed < 1 << 56 for seed in seeds)
    assert max(seeds) > 1 << 32


def test_an_agent_that_says_nothing_of_itself_does_not_talk() -> None:
    assert type_of(cast(Player, Slow())) is PlayerType.PRESS_BOT
    assert type_of(cast(Player, object())) is PlayerType.NO_PRESS_BOT
