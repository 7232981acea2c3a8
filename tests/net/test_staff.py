"""Agents of the house at one match: which are made, what they are told, and that nobody else is asked by them."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from halls import ENGLAND, FRANCE, diplomacy, in_a_hall
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Action, Seat, View
from parlour.core.terms import Terms, Vacancy
from parlour.net.hall import Hall
from parlour.net.house import HouseAgent
from parlour.net.sessions import Session
from parlour.net.staff import Staff
from parlour.referee.conduct import DIPLOMACY


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.001)  # agents think in threads, which tell the loop nothing


class Thinker:
    """An agent that thinks until it may go on."""

    gate = threading.Event()
    asked: ClassVar[list[str]] = []

    def act(self, view: View) -> Action:
        self.asked.append(str(view.seat))
        assert self.gate.wait(20)
        return []


@pytest.fixture
def thinkers(monkeypatch: pytest.MonkeyPatch) -> None:
    """All agents of the house think until the gate is open."""
    monkeypatch.setattr("parlour.net.house.make_agent", lambda *spec: Thinker())
    monkeypatch.setattr(Thinker, "gate", threading.Event())
    Thinker.asked.clear()


@pytest.mark.usefixtures("thinkers")
def test_while_an_agent_thinks_its_match_stays_awake_and_whoever_takes_its_seat_is_not_asked_by_it(
    tmp_path: Path,
) -> None:
    async def scenario(hall: Hall) -> None:
        terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
        owner = Session(hall, "owner")
        match = await owner.open(diplomacy(terms=terms, agents={FRANCE: "hold", ENGLAND: "hold"}), it.Start(""))
        hosted = await hall.wake(match)
        await until(lambda: len(Thinker.asked) == 2)
        assert hosted.busy
        assert not hall.sleep(match)  # which takes no time
        assert (await owner.handle(match, it.Substitute("owner", FRANCE, "owner"))).refusal is None
        assert hosted.staff.seats == (ENGLAND,)
        Thinker.gate.set()
        await until(lambda: hosted.match.state.places[ENGLAND].acted)
        assert not hosted.match.state.places[FRANCE].acted, "what it thought of is not wanted any more"

    in_a_hall(tmp_path, scenario)


@pytest.mark.usefixtures("thinkers")
def test_nobody_waits_for_the_agents_of_a_match_that_is_given_up(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
        match = await Session(hall, "owner").open(diplomacy(terms=terms, agents={FRANCE: "hold"}), it.Start(""))
        hosted = await hall.wake(match)
        await until(lambda: Thinker.asked == [FRANCE])
        driver = hosted.staff._driver
        assert driver is not None
        asking = driver._lanes[FRANCE].thinking
        assert asking is not None
        hosted.close()
        await asyncio.wait((asking,), timeout=20)
        assert asking.cancelled()
        Thinker.gate.set()

    in_a_hall(tmp_path, scenario)


def test_an_agent_that_was_removed_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Seat] = []
    make = Staff.make

    def counted(staff: Staff, seat: Seat, spec: str) -> HouseAgent:
        made.append(seat)
        return make(staff, seat, spec)

    monkeypatch.setattr(Staff, "make", counted)

    async def first(hall: Hall) -> str:
        terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
        owner = Session(hall, "owner")
        match = await owner.open(diplomacy(terms=terms, agents={FRANCE: "hold", ENGLAND: "hold"}), it.Start(""))
        assert sorted(made) == [ENGLAND, FRANCE]
        await owner.handle(match, it.Remove("owner", FRANCE, "gone"))
        return match

    async def second(hall: Hall, match: str) -> None:
        made.clear()
        hosted = await hall.wake(match)
        assert made == [ENGLAND]
        assert hosted.has_agents
        await Session(hall, "owner").handle(match, it.Cancel("owner", "rain"))
        assert not hosted.has_agents, "there is nothing more to play"

    match = in_a_hall(tmp_path, first)
    in_a_hall(tmp_path, lambda hall: second(hall, match))


class Listener:
    """An agent that remembers what it was told, and in which order."""

    heard: ClassVar[list[str]] = []

    def act(self, view: View) -> Action:
        return []

    def told(self, event: ev.Event) -> None:
        self.heard.append(type(event).__name__)

    def seated(self, chair: object) -> None:
        self.heard.append("seated")

    def resumed(self, events: tuple[ev.Event, ...]) -> None:
        self.heard.append(f"resumed {len(events)}")


def test_an_agent_that_sits_down_before_the_start_is_told_the_terms_and_who_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.net.house.make_agent", lambda *spec: Listener())

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        await Session(hall, "ann").join(match, FRANCE)
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
    """A match in which two agents have done what they had to do, and what is to be gone when it sleeps."""
    terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
    setup = diplomacy(terms=terms, agents={FRANCE: "hold", ENGLAND: "peace:budget=1"})
    match = await Session(hall, "owner").open(setup, it.Start(""))
    hosted = await hall.wake(match)
    await until(lambda: not hosted.busy and not hosted.match.state.pending & {FRANCE, ENGLAND})
    driver = hosted.staff._driver
    assert driver is not None
    return match, [weakref.ref(one) for one in (hosted, hosted.match, driver, *driver.players.values())]


def test_agents_of_a_match_that_sleeps_take_no_memory_though_the_collector_does_not_look(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        match, held = await played_by_agents(hall)
        gc.disable()
        try:
            assert hall.sleep(match)
            # Tasks that were cancelled have their turn first, and the thread of an agent's last call has to end.
            await until(lambda: [one() for one in held] == [None] * 5)
        finally:
            gc.enable()

    in_a_hall(tmp_path, scenario)
