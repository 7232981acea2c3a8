"""Spectators who hear later than the players: by whatever way they look, nobody learns anything before its time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import cast

import pytest

from parlour.core import intents as it
from parlour.core.player import ObservedEvent
from parlour.core.terms import Terms
from parlour.core.viewers import MODERATOR, SPECTATOR, Viewer, seated_on
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.referee.conduct import DIPLOMACY
from parlour.store import Store
from support.hall.halls import FRANCE, POWERS, diplomacy, seven
from support.simulation.world import SimulatedDisk, SimulatedStore
from support.waiting import inside, run_simulated

DELAY = 0.9


def in_simulated_time(scenario: Callable[[Hall, str], Awaitable[None]], delay: float = DELAY) -> None:
    """A match that is shown so much later, in a hall whose clock moves when all wait."""

    async def whole() -> None:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        hall = Hall(cast(Store, store), clock=lambda: 1e6 + asyncio.get_running_loop().time())
        await hall.start()
        await scenario(hall, await hall.open(diplomacy(delay=delay, match="m")))
        await hall.close()

    run_simulated(whole)


async def known(hall: Hall, match: str, viewer: Viewer | None) -> int:
    """Return the number of events that this viewer may see by now."""
    return sum(1 for _ in (await hall.past(match, viewer)).told(SPECTATOR))


@inside(in_simulated_time)
async def test_spectators_see_the_match_as_it_stood_and_all_others_as_it_stands(hall: Hall, match: str) -> None:
    await asyncio.sleep(2 * DELAY)
    await seven(hall, match)
    assert (await hall.view(match, SPECTATOR)).status == "forming"
    assert {(await hall.view(match, viewer)).status for viewer in (MODERATOR, seated_on(FRANCE))} == {"running"}
    assert 0 < await known(hall, match, SPECTATOR) < await known(hall, match, None)
    await asyncio.sleep(2 * DELAY)
    assert (await hall.view(match, SPECTATOR)).status == "running"
    assert await known(hall, match, SPECTATOR) == await known(hall, match, None)


@inside(in_simulated_time)
async def test_whoever_watches_hears_all_of_it_later_wherever_it_left_off(hall: Hall, match: str) -> None:
    heard: dict[str, list[ObservedEvent]] = {"from the start": [], "from later on": [], "at once": []}
    await hall.watch(match, SPECTATOR, heard["from the start"].append, 0)
    await hall.watch(match, MODERATOR, heard["at once"].append, 0)
    await seven(hall, match)
    await asyncio.sleep(DELAY / 2)
    end = await hall.watch(match, SPECTATOR, heard["from later on"].append, 3)
    assert [len(told) for told in heard.values()] == [0, 0, len(heard["at once"])]
    await asyncio.sleep(DELAY)
    number = len(heard["from the start"])
    assert [told.k for told in heard["from the start"]] == list(range(number))
    assert [told.k for told in heard["from later on"]] == list(range(3, number))
    assert [told.event for told in heard["from later on"]] == [told.event for told in heard["from the start"][3:]]
    end()
    await hall.submit(match, it.Leave(FRANCE))
    await asyncio.sleep(2 * DELAY)
    assert len(heard["from the start"]) > number
    assert len(heard["from later on"]) == number - 3


@inside(in_simulated_time)
async def test_who_wants_only_what_is_to_come_is_not_told_what_was_out_before(hall: Hall, match: str) -> None:
    heard: list[ObservedEvent] = []
    await seven(hall, match)
    await asyncio.sleep(2 * DELAY)
    await hall.watch(match, SPECTATOR, heard.append)
    await asyncio.sleep(2 * DELAY)
    assert not heard
    await hall.submit(match, it.Leave(FRANCE))
    await asyncio.sleep(2 * DELAY)
    assert [told.event.__struct_config__.tag for told in heard] == ["left", "fouled"]


@inside(in_simulated_time)
async def test_one_who_fails_is_told_no_more_and_the_others_are(hall: Hall, match: str) -> None:
    heard: list[ObservedEvent] = []
    tried: list[ObservedEvent] = []

    def fails(told: ObservedEvent) -> None:
        tried.append(told)
        raise ValueError("no")

    await hall.watch(match, SPECTATOR, fails, 1)
    await hall.watch(match, SPECTATOR, heard.append, 1)
    await seven(hall, match)
    await asyncio.sleep(2 * DELAY)
    assert len(tried) == 1
    assert len(heard) > len(POWERS)


@pytest.mark.parametrize("delay", [0.0, DELAY])
def test_only_where_it_is_said_and_only_spectators_hear_later(delay: float) -> None:
    async def scenario(hall: Hall, match: str) -> None:
        hosted = await hall.wake(match)
        viewers = (SPECTATOR, MODERATOR, seated_on(FRANCE))
        assert [hosted.delays(viewer) for viewer in viewers] == [delay > 0, False, False]

    in_simulated_time(scenario, delay)


@pytest.mark.parametrize("disclosed", [False, True])
@inside(run_simulated)
async def test_the_end_of_a_match_shows_nothing_before_its_time(*, disclosed: bool) -> None:
    store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
    hall = Hall(cast(Store, store), clock=lambda: 1e6 + asyncio.get_running_loop().time())
    await hall.start()
    terms = Terms(DIPLOMACY, disclosed=disclosed)
    match = await hall.open(diplomacy(delay=DELAY, terms=terms, match="m"))
    await seven(hall, match)
    await asyncio.sleep(2 * DELAY)
    stranger = Session(hall)
    before = await stranger.page_of_events(match, limit=100)
    await hall.submit(match, it.Cancel("owner"))
    assert (await hall.wake(match)).match.over
    assert await stranger.viewer(match) == SPECTATOR
    assert await stranger.page_of_events(match, limit=100) == before
    assert (await stranger.view(match)).status == "running"
    with pytest.raises(Denied, match=f"at most {len(before)},"):
        await stranger.page_of_events(match, since=len(before) + 1, limit=1)
    await asyncio.sleep(2 * DELAY)
    assert (await stranger.viewer(match)).hindsight
    assert (await stranger.view(match)).status == "over"
    assert len(await stranger.page_of_events(match, limit=100)) > len(before)
    await hall.close()
