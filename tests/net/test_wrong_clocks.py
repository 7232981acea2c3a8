"""Matches that were played when the clock was wrong: their time goes on, their deadlines come, and the host is told."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import cast

import pytest

from parlour.core import intents as it
from parlour.core.terms import Clock, Terms
from parlour.core.viewers import SPECTATOR
from parlour.net.hall import Hall
from parlour.net.waking import MUCH, read_stored
from parlour.referee.conduct import DIPLOMACY
from parlour.store import Store
from support.hall.halls import FRANCE, diplomacy, seven
from support.hall.people import session_of
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore

NOW = 1_790_000_000.0
YEARS = 4 * 365.25 * 86_400.0
TURN = 1000.0
NAME = "m"

Life = tuple[float, Callable[[Hall, SimulatedStore], Awaitable[None]]]


def in_lives(*lives: Life, moved: bool = False) -> SimulatedDisk:
    """A server that is started again and again on one disk, each time with a clock that says something else.

    Moved says that matches are taken elsewhere each time, where nothing is known of a server that was alive.
    """
    disk = SimulatedDisk()

    async def live(begins: float, scenario: Callable[[Hall, SimulatedStore], Awaitable[None]]) -> None:
        loop = asyncio.get_running_loop()
        store = SimulatedStore(disk, random.Random(1), slow=0.001)
        hall = Hall(cast(Store, store), clock=lambda: begins + loop.time())
        await hall.start()
        await scenario(hall, store)
        await hall.close()

    for begins, scenario in lives:
        with closing(SimulatedLoop()) as loop:
            loop.run_until_complete(live(begins, scenario))
        if moved:
            disk.settings.clear()
    return disk


async def a_turn_begins(hall: Hall, store: SimulatedStore) -> None:
    """A tenth of the first turn passes."""
    await hall.open(diplomacy(terms=Terms(DIPLOMACY, Clock(per_turn=TURN)), match=NAME))
    await seven(hall, NAME)
    await asyncio.sleep(TURN / 10)


async def left(hall: Hall) -> float:
    """The seconds that are left of the turn, as whoever looks at the match is told."""
    view = await hall.view(NAME, SPECTATOR)
    assert view.due is not None
    return view.due - view.now


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    caplog.clear()
    return found


def test_a_deadline_comes_though_the_clock_was_years_ahead_when_it_was_set(caplog: pytest.LogCaptureFixture) -> None:
    async def nobody_looks(hall: Hall, store: SimulatedStore) -> None:
        await asyncio.sleep(5)
        assert warnings(caplog) == [
            "the clock is 1461.0 days behind the last heartbeat in the store: one of them was wrong",
            "match m was played 1461.0 days ahead of the clock, and continues from there",
        ]
        head = store.head(NAME)
        assert head is not None
        assert head.due == pytest.approx(NOW + TURN, abs=5), "all of it: since when nobody knows"
        assert head.updated < NOW + TURN
        assert hall.awake == 0
        await asyncio.sleep(TURN)
        head = store.head(NAME)
        assert head is not None
        assert head.turn == 2
        assert head.due == pytest.approx(NOW + 2 * TURN, abs=5)
        assert NOW + TURN / 2 < head.updated < NOW + 2 * TURN
        assert await left(hall) == pytest.approx(TURN, abs=10)

    async def again(hall: Hall, store: SimulatedStore) -> None:
        assert await left(hall) == pytest.approx(TURN, abs=20), "nobody could act meanwhile"
        assert (await session_of(hall, "france").submit(NAME, it.Act(FRANCE, [])))[0].refusal is None
        await asyncio.sleep(TURN / 2)
        assert hall.awake == 0
        assert await left(hall) == pytest.approx(TURN / 2, abs=20), "it has slept, and time went on"
        await asyncio.sleep(TURN / 2 + 10)
        assert (await hall.head(NAME)).turn == 3
        assert warnings(caplog) == [], "all is known"

    disk = in_lives((NOW + YEARS, a_turn_begins), (NOW, nobody_looks), (NOW + 10 * TURN, again))
    stored = read_stored(cast(Store, SimulatedStore(disk, random.Random(1))), NAME)
    assert stored is not None
    assert stored.match.state.now > NOW + YEARS + 2 * TURN, "time in a record never goes back"


def test_a_match_from_elsewhere_that_is_ahead_goes_on_when_somebody_looks(caplog: pytest.LogCaptureFixture) -> None:
    """Its server's clock may have been wrong; nothing in this store says so before it is read."""

    async def looked_at(hall: Hall, store: SimulatedStore) -> None:
        assert warnings(caplog) == []
        assert await left(hall) == pytest.approx(TURN, abs=5)
        assert warnings(caplog) == ["match m was played 0.1 days ahead of the clock, and continues from there"]
        end = await hall.watch(NAME, SPECTATOR, lambda told: None)  # so that it does not sleep
        for turn in (2, 3, 4):
            await asyncio.sleep(TURN + 10)
            assert (await hall.head(NAME)).turn == turn
        end()

    in_lives((NOW + 0.1 * 86_400, a_turn_begins), (NOW, looked_at), moved=True)


def test_whoever_hears_of_everything_later_hears_of_it_by_the_time_of_the_match() -> None:
    async def begins(hall: Hall, store: SimulatedStore) -> None:
        await hall.open(diplomacy(terms=Terms(DIPLOMACY, Clock(per_turn=TURN)), match=NAME, delay=60.0))
        await seven(hall, NAME)

    async def looked_at(hall: Hall, store: SimulatedStore) -> None:
        assert (await hall.view(NAME, SPECTATOR)).status == "forming"
        await asyncio.sleep(61)
        view = await hall.view(NAME, SPECTATOR)
        assert (view.status, view.turn) == ("running", 1)
        assert len(list((await hall.past(NAME, SPECTATOR)).told(SPECTATOR))) == len(await hall.record(NAME))
        hosted = await hall.wake(NAME)
        assert hall.now(NAME) - hall.now() == hosted.ahead == pytest.approx(YEARS, abs=10)
        assert hall.now("no match that is awake") == hall.now()

    in_lives((NOW + YEARS, begins), (NOW, looked_at))


def test_a_clock_that_is_right_or_nearly_so_moves_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def looked_at(hall: Hall, store: SimulatedStore) -> None:
        assert (await hall.wake(NAME)).ahead == 0.0

    in_lives((NOW, a_turn_begins), (NOW + 2 * TURN, looked_at), (NOW + TURN, looked_at))
    in_lives((NOW + 0.9 * MUCH, a_turn_begins), (NOW, looked_at), moved=True)
    assert warnings(caplog) == []
