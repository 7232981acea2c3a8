"""Places to think: shared out by the time that was used, which is real time, account by account and match by match."""

from __future__ import annotations

import asyncio
import gc
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest

from parlour.core.thinking import checkpoint
from parlour.net import thinking_places
from parlour.net.thinking_places import ThinkingPlaces
from parlour.net.thought_lane import ThoughtLane
from parlour.net.thoughts import Thinker, Thought
from support.cost.counting import cost_of
from support.waiting import settled


class Gates:
    """Calls that last until they are let go, and how many of whom last."""

    def __init__(self, places: ThinkingPlaces) -> None:
        self.places = places
        self.begun: list[Thinker] = []
        self.gates: list[asyncio.Event] = []

    async def aside(self, function: Callable[[], Any]) -> Any:
        gate = asyncio.Event()
        self.gates.append(gate)
        await gate.wait()
        return function()

    def call(self, account: str, match: str = "m") -> asyncio.Future[Any]:
        thinker = Thinker(account, match)

        async def begun(function: Callable[[], Any]) -> Any:
            self.begun.append(thinker)
            return await self.aside(function)

        return ThoughtLane(thinker, self.places, begun).call(lambda: None)

    async def let_go(self, number: int) -> None:
        self.gates[number].set()
        for _ in range(10):
            await asyncio.sleep(0)


def stopped_clock() -> Callable[[float], None]:
    """Stop the clock of the running loop, and return a function that moves it on."""
    loop = asyncio.get_running_loop()
    now = loop.time()

    def advance(seconds: float) -> None:
        nonlocal now
        now += seconds

    loop.time = lambda: now  # type: ignore[method-assign]
    return advance


async def test_one_account_never_has_all_places() -> None:
    hall = Gates(ThinkingPlaces(3, of_one=2, brief=0))
    for number in range(60):
        hall.call("mallory", f"m{number}")
    await settled()
    assert len(hall.begun) == 2
    hall.call("ann")
    await settled()
    assert hall.begun[-1] == ("ann", "m"), "though sixty came before"
    for _ in range(3):
        hall.call("bob")
    await hall.let_go(2)
    assert hall.begun[-1].account == "bob"


async def test_who_has_used_the_least_time_comes_first() -> None:
    advance = stopped_clock()
    hall = Gates(ThinkingPlaces(1, brief=0))
    for match in ("a", "b", "c"):
        hall.call("mallory", match)
        hall.call("mallory", match)
    hall.call("ann")
    hall.call("ann")
    await settled()
    for number in range(7):
        advance(0.002)
        await hall.let_go(number)
    order = [thinker.account for thinker in hall.begun]
    assert order[:4] == ["mallory", "ann", "mallory", "ann"]
    turns = [thinker.match for thinker in hall.begun if thinker.account == "mallory"]
    assert turns == ["a", "a", "b", "c", "b", "c"], "of those that wait, each match of an account in turn"


async def test_who_comes_back_has_no_credit_for_the_time_away() -> None:
    places = ThinkingPlaces(1)
    hall = Gates(places)
    hall.call("mallory")
    await settled()
    await hall.let_go(0)
    assert places.running == 0
    assert not places._accounts, "who does not think is forgotten"


async def test_a_long_thought_gives_way_at_its_checkpoints_and_goes_on_afterwards() -> None:
    places = ThinkingPlaces(1)
    ended = threading.Event()

    def endless() -> str:
        while not ended.is_set():
            checkpoint()
        return "done"

    hostile = [ThoughtLane(Thinker("mallory", f"m{n}"), places).call(endless) for n in range(5)]
    await settled()
    for _ in range(20):
        assert await ThoughtLane(Thinker("ann", "m"), places).call(lambda: 7) == 7
    assert not any(call.done() for call in hostile)
    ended.set()
    assert await asyncio.gather(*hostile) == ["done"] * 5
    assert places.running == places.waiting == 0


async def test_thoughts_that_have_begun_are_few_however_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking_places, "MOST_BEGUN_OF_ONE", 3)
    places = ThinkingPlaces(1)
    ended = threading.Event()

    def endless() -> None:
        while not ended.is_set():
            checkpoint()

    calls = [ThoughtLane(Thinker("mallory", f"m{n}"), places).call(endless) for n in range(20)]
    for _ in range(20):
        await ThoughtLane(Thinker("ann", "m"), places).call(lambda: None)
    assert len(places._begun) <= 3
    ended.set()
    await asyncio.gather(*calls)


async def test_a_hall_that_closes_ends_all_thoughts() -> None:
    places = ThinkingPlaces(1)
    begun, ended = threading.Event(), threading.Event()

    def endless() -> None:
        begun.set()
        try:
            while True:
                checkpoint()
        finally:
            ended.set()

    call = ThoughtLane(Thinker("ann", "m"), places).call(endless)
    waiting = ThoughtLane(Thinker("ann", "n"), places).call(endless)
    await asyncio.to_thread(begun.wait)
    places.close()
    assert await asyncio.to_thread(ended.wait, 20)
    call.cancel()
    waiting.cancel()


async def test_while_others_think_an_account_has_its_share_and_all_it_may_when_they_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thinking_places, "RECENT", math.inf)
    hall = Gates(ThinkingPlaces(3, of_one=2, brief=0))
    for number in range(6):
        hall.call("mallory", f"m{number}")
    await settled()
    assert len(hall.begun) == 2
    hall.call("ann")
    await settled()
    await hall.let_go(2)
    await hall.let_go(0)
    assert len(hall.begun) == 3, "ann has just thought, so that mallory keeps one place"
    await hall.let_go(1)
    assert len(hall.begun) == 4
    monkeypatch.setattr(thinking_places, "RECENT", 0.0)
    hall.places._look_again()
    await settled()
    assert len(hall.begun) == 5, "nobody else thinks any more"
    hall.places.close()


async def test_a_long_thought_beyond_its_share_rests_though_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking_places, "RECENT", math.inf)
    monkeypatch.setattr(thinking_places, "LULL", 0.0)
    places = ThinkingPlaces(2)
    ended = threading.Event()

    def endless() -> None:
        while not ended.is_set():
            checkpoint()

    hostile = [ThoughtLane(Thinker("mallory", f"m{n}"), places).call(endless) for n in range(2)]
    await ThoughtLane(Thinker("ann", "m"), places).call(lambda: None)
    for _ in range(10_000):  # real time: until a thread has passed its checkpoint
        if places.waiting:
            break
        await asyncio.sleep(0.001)
    assert (places.running, places.waiting) == (1, 1)
    ended.set()
    await asyncio.gather(*hostile)


async def test_a_brief_thought_does_not_wait_for_long_ones_and_one_that_is_not_brief_does() -> None:
    hall = Gates(places := ThinkingPlaces(2, of_one=1, brief=2))
    for account in ("mallory", "trudy", "eve"):
        hall.call(account)
    await settled()
    beside = [thought for thought in places._running if thought.beside]
    assert (places.running, len(beside)) == (3, 2)
    for thought in beside:  # as its thread does at its first checkpoint after a slice
        assert not places.is_wanted(thought, thought.since + thinking_places.SLICE / 2)
        assert places.is_wanted(thought, thought.since + 2 * thinking_places.SLICE)
        places.give_way(thought)
    assert (places.running, places.waiting) == (2, 1), "none is taken for brief any more"
    for _ in range(3):
        hall.call("ann")
    await settled()
    assert [one.account for one in hall.begun[3:]] == ["ann"], "one account does not have all brief places either"
    hall.call("bob")
    await settled()
    assert [one.account for one in hall.begun[3:]] == ["ann", "bob"]
    places.close()


async def test_a_lane_whose_last_thought_was_long_waits_with_the_long_ones() -> None:
    places = ThinkingPlaces(1, brief=1)
    lane, used = ThoughtLane(Thinker("ann", "m"), places), iter((1.0, 1.0 + 2 * thinking_places.BRIEF))

    async def at_once(function: Callable[[], Any]) -> Any:
        return function()

    lane._aside = at_once
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parlour.net.thought_lane.time.thread_time", lambda: next(used))
        await lane.call(lambda: None)
        assert not lane._brief
    await lane.call(lambda: None)
    assert lane._brief


async def test_an_account_that_has_not_thought_yet_begins_though_others_have_begun_all_they_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thinking_places, "MOST_BEGUN", 4)
    monkeypatch.setattr(thinking_places, "MOST_BEGUN_OF_ONE", 2)
    places = ThinkingPlaces(1, brief=0)
    ended = threading.Event()

    def endless() -> None:
        while not ended.is_set():
            checkpoint()

    names = [f"mallory {n}" for n in range(2) for _ in range(3)]
    calls = [ThoughtLane(Thinker(name, f"m{n}"), places).call(endless) for n, name in enumerate(names)]
    for _ in range(10_000):
        if len(places._begun) == 4:
            break
        await asyncio.sleep(0.001)
    assert len(places._begun) == 4
    assert await ThoughtLane(Thinker("ann", "m"), places).call(lambda: 7) == 7
    ended.set()
    await asyncio.gather(*calls)


async def test_long_thoughts_rest_most_of_the_time_while_brief_ones_come() -> None:
    advance, time = stopped_clock(), asyncio.get_running_loop().time
    period = thinking_places.SLICE + thinking_places.REST
    advance(period - time() % period + 0.001)  # a slice of long thoughts has begun
    hall = Gates(places := ThinkingPlaces(1, brief=1))
    hall.call("ann")
    hall.call("mallory")
    await settled()
    (long,) = (thought for thought in places._running if not thought.beside)
    rest = time() + thinking_places.SLICE
    assert not places.is_wanted(long, rest), "nobody was brief yet"
    await hall.let_go(0)
    assert not places.is_wanted(long, time())
    assert places.is_wanted(long, rest), "ann was brief a moment ago"
    advance(thinking_places.SLICE)
    places.give_way(long)
    assert (places.running, places.waiting) == (0, 1)
    hall.call("ann")
    await settled()
    assert (hall.begun[-1].account, places.running, places.waiting) == ("ann", 1, 1)
    await hall.let_go(2)
    advance(thinking_places.REST)
    places._look_again()
    assert (long.has_place, places.waiting) == (True, 0), "it continues in the next slice"
    assert not places.is_wanted(long, rest + thinking_places.LULL + period), "nobody is brief any more"
    places.close()


async def test_brief_thoughts_of_a_crowd_of_matches_are_paced_and_those_of_one_match_are_not() -> None:
    advance, time = stopped_clock(), asyncio.get_running_loop().time
    period = thinking_places.SLICE + thinking_places.REST
    advance(period - time() % period + thinking_places.SLICE + 0.001)  # long thoughts would rest now
    hall = Gates(places := ThinkingPlaces(2, of_one=1))
    for number in range(70):
        hall.call("mallory", f"m{number % 10}")
    await settled()

    async def all_end() -> int:
        """Let all thoughts end that begin in no time; return their number."""
        ended = 0
        while (gate := next((one for one in hall.gates if not one.is_set()), None)) is not None:
            ended += 1
            await hall.let_go(hall.gates.index(gate))
        return ended

    before_crowd = len(hall.begun)
    await all_end()
    assert len(hall.begun) == before_crowd + thinking_places.MOST_OF_CROWD, "no further one begins in this period"
    advance(1.01 * thinking_places.CROWD_PERIOD)  # a little more, because times are rounded
    places._look_again()
    await settled()
    assert places.running == thinking_places.CROWD_PLACES
    for _ in range(7):
        hall.call("ann")
    await settled()
    free = thinking_places.BRIEF_PLACES - thinking_places.CROWD_PLACES
    assert hall.begun.count(Thinker("ann", "m")) == free, "one match is not a crowd"
    await all_end()
    assert hall.begun.count(Thinker("ann", "m")) == 7
    crowded = len(hall.begun) - 7 - before_crowd - thinking_places.MOST_OF_CROWD
    assert 0 < crowded <= thinking_places.MOST_OF_CROWD // 2, "a crowd has its share only while others think"
    places.close()


async def test_giving_a_place_costs_as_much_however_many_matches_of_another_account_wait() -> None:
    async def calls_beside(matches: int) -> int:
        hall = Gates(places := ThinkingPlaces(2, of_one=1))
        for number in range(7 * matches):
            hall.call("mallory", f"m{number % matches}")
        await settled()
        brief = Thought(Thinker("ann", "m"), places, brief=True)

        def think() -> None:
            places.enter(brief)
            places.leave(brief)

        gc.disable()  # or finalizers of what earlier tests left are counted
        try:
            cost = cost_of(think)
        finally:
            gc.enable()
        assert brief.began
        places.close()
        return cost.calls

    stopped_clock()
    assert await calls_beside(80) == await calls_beside(8)
