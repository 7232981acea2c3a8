"""Agents of the house at one match: which are made, what they are told, and that nobody else is asked by them."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from parlour.agents.diplomacy.simple import HoldBot
from parlour.agents.house_specs import HouseSpec
from parlour.core import intents as it
from parlour.core.game import Action, Seat, View
from parlour.core.player import ObservedEvent
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import Viewer
from parlour.net.hall import Hall
from parlour.net.house_agents import HouseAgent, MatchAgents
from parlour.referee import live
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.history import Past
from support.hall.halls import ENGLAND, FRANCE, diplomacy, in_a_hall
from support.hall.people import opening, session_of
from support.waiting import PATIENCE, inside, until


class Thinker:
    """An agent that thinks until it may go on."""

    gate = threading.Event()
    asked: ClassVar[list[str]] = []

    def act(self, view: View) -> Action:
        self.asked.append(str(view.seat))
        assert self.gate.wait(PATIENCE)
        return []


@pytest.fixture
def thinkers(monkeypatch: pytest.MonkeyPatch) -> None:
    """All agents of the house think until the gate is open."""
    monkeypatch.setattr(HouseSpec, "make", lambda spec, seed: Thinker())
    monkeypatch.setattr(Thinker, "gate", threading.Event())
    Thinker.asked.clear()


@pytest.mark.usefixtures("thinkers")
@inside(in_a_hall)
async def test_while_an_agent_thinks_its_match_stays_awake_and_whoever_takes_its_seat_is_not_asked_by_it(
    hall: Hall,
) -> None:
    terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
    owner = session_of(hall, "owner")
    match = await owner.open(opening(diplomacy(terms=terms, agents={FRANCE: "hold", ENGLAND: "hold"}), it.Start("")))
    hosted = await hall.wake(match)
    await until(lambda: len(Thinker.asked) == 2)
    assert hosted.busy
    assert not hall.sleep(match)  # which takes no time
    assert (await owner.submit(match, it.Substitute("owner", FRANCE, "owner")))[0].refusal is None
    assert hosted.agents.seats == (ENGLAND,)
    Thinker.gate.set()
    await until(lambda: hosted.match.state.places[ENGLAND].acted)
    assert not hosted.match.state.places[FRANCE].acted, "what it thought of is not wanted any more"


@pytest.mark.usefixtures("thinkers")
@inside(in_a_hall)
async def test_nobody_waits_for_the_agents_of_a_match_that_is_given_up(hall: Hall) -> None:
    terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
    match = await session_of(hall, "owner").open(opening(diplomacy(terms=terms, agents={FRANCE: "hold"}), it.Start("")))
    hosted = await hall.wake(match)
    await until(lambda: Thinker.asked == [FRANCE])
    driver = hosted.agents._driver
    assert driver is not None
    asking = driver._lanes[FRANCE].thinking
    assert asking is not None
    hosted.close()
    await asyncio.wait((asking,), timeout=PATIENCE)
    assert asking.cancelled()
    Thinker.gate.set()


def test_an_agent_that_was_removed_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Seat] = []
    make = MatchAgents.make

    async def counted(agents: MatchAgents, seat: Seat, spec: str) -> tuple[HouseSpec, HouseAgent]:
        made.append(seat)
        return await make(agents, seat, spec)

    monkeypatch.setattr(MatchAgents, "make", counted)

    async def first(hall: Hall) -> str:
        terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
        owner = session_of(hall, "owner")
        match = await owner.open(
            opening(diplomacy(terms=terms, agents={FRANCE: "hold", ENGLAND: "hold"}), it.Start(""))
        )
        assert sorted(made) == [ENGLAND, FRANCE]
        await owner.submit(match, it.Remove("owner", FRANCE, "gone"))
        return match

    async def second(hall: Hall, match: str) -> None:
        made.clear()
        hosted = await hall.wake(match)
        assert made == [ENGLAND]
        assert hosted.has_agents
        await session_of(hall, "owner").submit(match, it.Cancel("owner", "rain"))
        assert not hosted.has_agents, "there is nothing more to play"

    match = in_a_hall(tmp_path, first)
    in_a_hall(tmp_path, lambda hall: second(hall, match))


class Listener:
    """An agent that remembers what it was told, and in which order."""

    heard: ClassVar[list[str]] = []

    def act(self, view: View) -> Action:
        return []

    def on_event(self, observed: ObservedEvent) -> None:
        self.heard.append(type(observed.event).__name__)

    def on_seated(self, handle: object) -> None:
        self.heard.append("seated")

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        self.heard.append(f"resumed {len(past)}")


def test_an_agent_that_sits_down_before_the_start_is_told_the_terms_and_who_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HouseSpec, "make", lambda spec, seed: Listener())

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        await session_of(hall, "ann").join(match, FRANCE)
        Listener.heard.clear()
        assert (await hall.seat_agent(match, ENGLAND, "hold")).refusal is None
        hosted = await hall.wake(match)
        await until(lambda: not hosted.busy)
        assert Listener.heard[:2] == ["Opened", "Joined"]
        assert Listener.heard.count("Joined") == 2, "the other and itself"
        assert hall.sleep(match)  # which takes no time
        Listener.heard.clear()
        again = await hall.wake(match)
        await until(lambda: not again.busy)
        assert Listener.heard == ["Opened", "Joined", "Joined", "seated", "resumed 3"]

    in_a_hall(tmp_path, scenario)


async def played_by_agents(hall: Hall) -> tuple[str, list[weakref.ref[object]]]:
    """Return a match in which two agents have done what they had to do, and what is to be gone when it sleeps."""
    terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
    setup = diplomacy(terms=terms, agents={FRANCE: "hold", ENGLAND: "peace:budget=1"})
    match = await session_of(hall, "owner").open(opening(setup, it.Start("")))
    hosted = await hall.wake(match)
    await until(lambda: not hosted.busy and not hosted.match.state.pending & {FRANCE, ENGLAND})
    driver = hosted.agents._driver
    assert driver is not None
    return match, [weakref.ref(one) for one in (hosted, hosted.match, driver, *driver.players.values())]


@inside(in_a_hall)
async def test_agents_of_a_match_that_sleeps_take_no_memory_though_the_collector_does_not_look(hall: Hall) -> None:
    match, held = await played_by_agents(hall)
    gc.disable()
    try:
        assert hall.sleep(match)
        # Tasks that were cancelled have their turn first, and the thread of an agent's last call has to end.
        await until(lambda: [one() for one in held] == [None] * 5)
    finally:
        gc.enable()


def test_an_agent_that_the_server_no_longer_seats_gets_up_when_its_match_wakes(tmp_path: Path) -> None:
    """A store may be older than the list of agents: nothing of what it names reaches the local loader."""

    def anything(game: str, text: str) -> HouseSpec:
        return HouseSpec(game, text, lambda seed: HoldBot())

    async def before(hall: Hall) -> None:
        terms = Terms(DIPLOMACY, Clock(per_turn=600), seats_to_start=0, vacancy=Vacancy.AWAITED)
        agents = {FRANCE: "deepmind:/dev/ptmx", ENGLAND: "hold"}
        await hall.open(opening(diplomacy(match="old", terms=terms, agents=agents), it.Start("")))

    async def after(hall: Hall) -> None:
        places = (await hall.wake("old")).match.state.places
        assert not places[FRANCE].present
        assert places[ENGLAND].present

    in_a_hall(tmp_path, before, read_spec=anything)
    in_a_hall(tmp_path, after)


@pytest.mark.parametrize(("agent", "most"), [("proposer", 9), ("dumbbot", 0)])
def test_of_a_long_past_no_more_is_gone_through_than_an_agent_can_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, most: int
) -> None:
    monkeypatch.setattr(live, "MAX_LANE", 8)
    shown, told = list[int](), Past.told

    def counted(past: Past, viewer: Viewer, since: int = 0) -> Iterator[ObservedEvent]:
        for each in told(past, viewer, since):
            shown.append(each.k)
            yield each

    async def scenario(hall: Hall) -> None:
        press = PressTerms(PressMode.ANYTIME, level=8000, before_start=True)
        owner = session_of(hall, "owner")
        match = await owner.open(diplomacy(terms=Terms(DIPLOMACY, press=press)))
        await owner.join(match, FRANCE)
        for number in range(40):
            assert (await owner.submit(match, it.Say(FRANCE, f"hello {number}")))[0].refusal is None
        monkeypatch.setattr(Past, "told", counted)
        await hall.seat_agent(match, ENGLAND, agent)
        assert len(shown) <= most + 1

    in_a_hall(tmp_path, scenario)
