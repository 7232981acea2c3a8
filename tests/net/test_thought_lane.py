"""One agent is called by one thread at a time, though calls are given up while they last."""

from __future__ import annotations

import asyncio
import threading

import pytest

from parlour.core.thinking import checkpoint
from parlour.errors import ThinkingStopped
from parlour.net.thinking_places import ThinkingPlaces
from parlour.net.thought_lane import ThoughtLane
from parlour.net.thoughts import Thinker
from support.waiting import PATIENCE

ANN = Thinker("ann", "m")


class Fragile:
    """An agent that notices if two threads use it at once."""

    def __init__(self) -> None:
        self.inside = 0
        self.most = 0
        self.begun: list[str] = []
        self.entered, self.gate = threading.Event(), threading.Event()

    def act(self, name: str = "") -> str:
        """Think until the gate is opened, without a checkpoint."""
        self.inside += 1
        self.begun.append(name)
        self.most = max(self.most, self.inside)
        self.entered.set()
        assert self.gate.wait(PATIENCE)
        self.inside -= 1
        return name

    def ponder(self) -> None:
        """Think until told to stop, as agents do that pass checkpoints."""
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.set()
        try:
            while not self.gate.wait(0.001):
                checkpoint()
        finally:
            self.inside -= 1

    async def wait(self) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("places", [None, 5])
async def test_a_call_that_was_given_up_ends_before_the_next_begins(places: int | None) -> None:
    agent, lane = Fragile(), ThoughtLane(ANN, ThinkingPlaces(places) if places else None)
    first = lane.call(agent.act, "first")
    await asyncio.to_thread(agent.entered.wait)
    first.cancel()
    never = lane.call(agent.act, "never")
    second = lane.call(agent.act, "second")
    never.cancel()
    for _ in range(20):
        await asyncio.sleep(0)
    assert agent.begun == ["first"], "its thread has not returned"
    assert lane.busy
    agent.gate.set()
    assert await second == "second"
    assert agent.begun == ["first", "second"]
    assert agent.most == 1
    assert not lane.busy


async def test_a_call_that_was_given_up_is_stopped_at_its_next_checkpoint() -> None:
    agent, lane = Fragile(), ThoughtLane(ANN, ThinkingPlaces(1, brief=0))
    for _ in range(3):
        thinking = lane.call(agent.ponder)
        await asyncio.to_thread(agent.entered.wait)
        agent.entered.clear()
        thinking.cancel()
    agent.gate.set()
    await lane.call(agent.ponder)
    assert agent.most == 1


async def test_a_call_that_waits_for_a_place_and_is_given_up_takes_none() -> None:
    places = ThinkingPlaces(1, brief=0)
    one, other = Fragile(), Fragile()
    first = ThoughtLane(ANN, places).call(one.act)
    lane = ThoughtLane(ANN, places)
    waiting = lane.call(other.act)
    assert places.waiting == 1
    waiting.cancel()
    await asyncio.sleep(0)
    assert (places.waiting, lane.busy) == (0, False)
    one.gate.set()
    await first
    await asyncio.sleep(0)
    assert places.running == 0
    assert other.begun == []


async def test_an_error_of_the_agent_reaches_who_called_it_and_frees_the_place() -> None:
    places = ThinkingPlaces(1, brief=0)
    lane = ThoughtLane(ANN, places)
    with pytest.raises(ZeroDivisionError):
        await lane.call(lambda: 1 // 0)
    assert await lane.call(lambda: 7) == 7
    assert places.running == 0


async def test_a_coroutine_that_is_given_up_ends_and_the_next_call_comes() -> None:
    agent, lane = Fragile(), ThoughtLane(ANN, ThinkingPlaces(1, brief=0))
    waiting = lane.call(agent.wait)
    await asyncio.sleep(0)
    waiting.cancel()
    agent.gate.set()
    assert await lane.call(agent.act, "after") == "after"


def test_outside_of_a_call_checkpoints_do_nothing() -> None:
    checkpoint()
    assert ThinkingStopped.__doc__
