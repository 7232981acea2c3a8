"""Stand-ins in hosted matches: an agent plays for who left, who gets the seat back when the next turn begins."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.net.stand_ins import LATER
from parlour.referee.conduct import preset
from parlour.store import open_store

FRANCE, GERMANY = Seat("FRANCE"), Seat("GERMANY")
REST = ("AUSTRIA", "ENGLAND", "ITALY", "RUSSIA", "TURKEY")


def setup(stand_in: str) -> MatchSetup:
    agents = {Seat(power): "hold" for power in REST}
    return MatchSetup(game="diplomacy", terms=Terms(preset("hosted")), agents=agents, stand_in=stand_in)


async def until(condition: object) -> None:
    for _ in range(1000):
        if condition():  # type: ignore[operator]
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")


def test_an_agent_plays_for_who_left_and_gives_the_seat_back(tmp_path: Path) -> None:
    async def story() -> None:
        with open_store(str(tmp_path / "hall.db")) as store:
            hall = Hall(store)
            await hall.start()
            ann, bob, eve = (Session(hall, name) for name in ("ann", "bob", "eve"))
            match = await bob.open(setup("hold"))
            await ann.join(match, FRANCE)
            await bob.join(match, GERMANY)
            hosted = await hall.wake(match)
            await ann.handle(match, it.Leave(FRANCE))
            assert hosted.seating[FRANCE].agent == "hold"
            assert hosted.match.state.places[FRANCE].present
            assert (await eve.join(match, FRANCE)).refusal is not None  # only who left gets it back
            back = await ann.join(match)
            assert back.notes == (LATER,)
            assert hosted.seating[FRANCE].agent == "hold"  # until the turn is over
            turn = hosted.match.turn
            await until(lambda: hosted.match.state.places[FRANCE].acted)
            await bob.handle(match, it.Act(GERMANY, []))
            await until(lambda: hosted.seating[FRANCE].account == "ann")
            assert hosted.match.turn == turn + 1
            answer = await ann.handle(match, it.Act(FRANCE, ["A PAR H"]))
            assert answer.refusal is None
            names = [
                event.name
                for event in await hall.record(match)
                if isinstance(event, ev.Joined) and event.seat == FRANCE
            ]
            assert names == ["ann", "hold", "ann"]
            await hall.close()

    asyncio.run(story())


async def left_and_back(hall: Hall) -> tuple[str, Session, Session]:
    """A match that France left and asked twice for its seat, as somebody does who sees nothing happen."""
    ann, bob = Session(hall, "ann"), Session(hall, "bob")
    match = await bob.open(setup("hold"))
    await ann.join(match, FRANCE)
    await bob.join(match, GERMANY)
    await ann.handle(match, it.Leave(FRANCE))
    for _ in range(2):
        assert (await ann.join(match)).notes == (LATER,)
    return match, ann, bob


def test_who_asks_twice_gets_the_seat_once_and_nobody_waits_any_more(tmp_path: Path) -> None:
    async def story() -> None:
        with open_store(str(tmp_path / "hall.db")) as store:
            hall = Hall(store)
            await hall.start()
            match, _, bob = await left_and_back(hall)
            hosted = await hall.wake(match)
            assert hosted.watchers == 2
            await until(lambda: hosted.match.state.places[FRANCE].acted)
            await bob.handle(match, it.Act(GERMANY, []))
            await until(lambda: hosted.seating[FRANCE].account == "ann")
            assert hosted.watchers == 0
            joined = [event for event in await hall.record(match) if isinstance(event, ev.Joined)]
            assert [event.name for event in joined if event.seat == FRANCE] == ["ann", "hold", "ann"]
            await hall.close()

    asyncio.run(story())


def test_in_a_match_that_ended_there_is_no_seat_to_be_given_back(tmp_path: Path) -> None:
    async def story() -> None:
        with open_store(str(tmp_path / "hall.db")) as store:
            hall = Hall(store)
            await hall.start()
            match, _, bob = await left_and_back(hall)
            hosted = await hall.wake(match)
            await bob.handle(match, it.Cancel("bob"))
            assert hosted.watchers == 0
            assert hall.stand_ins.seat_of(match, "ann") is None
            assert hosted.seating[FRANCE].agent == "hold"
            await hall.close()

    asyncio.run(story())


def test_nobody_stands_in_before_the_match_has_begun(tmp_path: Path) -> None:
    async def story() -> None:
        with open_store(str(tmp_path / "hall.db")) as store:
            hall = Hall(store)
            await hall.start()
            ann = Session(hall, "ann")
            match = await ann.open(setup("hold"))
            await ann.join(match, FRANCE)
            await ann.handle(match, it.Leave(FRANCE))
            assert not (await hall.wake(match)).match.state.places[FRANCE].present
            assert hall.stand_ins.seat_of(match, "ann") is None
            await hall.close()

    asyncio.run(story())


def test_without_a_stand_in_the_seat_is_vacant(tmp_path: Path) -> None:
    async def story() -> None:
        with open_store(str(tmp_path / "hall.db")) as store:
            hall = Hall(store)
            await hall.start()
            ann = Session(hall, "ann")
            match = await ann.open(setup(""))
            await ann.join(match, FRANCE)
            await ann.join(match, GERMANY)
            await ann.handle(match, it.Leave(FRANCE))
            assert not (await hall.wake(match)).match.state.places[FRANCE].present
            with pytest.raises(Denied, match="diplomacy has no 'clever'"):
                await ann.open(setup("clever"))
            with pytest.raises(Denied, match="seats no language models"):
                await ann.open(setup("llm:m@localhost:1/v1"))
            with pytest.raises(Denied, match="seats no language models"):
                await ann.seat_agent(match, FRANCE, "llm:m@localhost:1/v1")
            await hall.close()

    asyncio.run(story())
