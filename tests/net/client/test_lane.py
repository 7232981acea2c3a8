"""The lane of a local agent behind a wire: order of calls, agents that talk before they answer, failures."""

# Why real time passes here: an agent that thinks for long does so in real time.

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat, View
from parlour.core.intents import Ballot, CommStatus, Intent, Refusal, RefusalCode
from parlour.core.player import LATER, ObservedEvent
from parlour.errors import LocalWireError
from parlour.games.diplomacy import start
from parlour.net.client.lane import NO_BANKS, AgentLane
from parlour.referee.driver import DriverSeatHandle
from support.waiting import PATIENCE

SEAT = Seat("FRANCE")


class Recorder:
    """Notes how it is called."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def act(self, view: Any) -> list[str]:
        self.calls.append(("act", view))
        return ["A PAR H"]

    def on_event(self, observed: ObservedEvent) -> None:
        self.calls.append(observed.event)

    def on_refused(self, refusal: Refusal) -> None:
        self.calls.append(refusal.reason)


class Talker(Recorder):
    """Answers only when it has heard something."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = asyncio.Event()

    async def act(self, view: Any) -> list[str]:  # type: ignore[override]
        await self.heard.wait()
        return ["A PAR - BUR"]

    async def on_event(self, observed: ObservedEvent) -> None:  # type: ignore[override]
        self.heard.set()


def run(agent: Any, scenario: Callable[[AgentLane], Any], want: Any = None) -> None:
    async def nothing(intent: Intent) -> Refusal | None:
        return None

    async def both() -> None:
        lane = AgentLane(agent, SEAT, want or nothing)
        serving = asyncio.ensure_future(lane.run())
        try:
            await asyncio.wait_for(scenario(lane), PATIENCE)
        finally:
            serving.cancel()
            await asyncio.wait([serving])

    asyncio.run(both())


def wanted_by(agent: Any, scenario: Callable[[AgentLane], Any]) -> list[Any]:
    """Return the actions that an agent wanted, in the order in which they count."""
    actions: list[Any] = []

    async def want(intent: Intent) -> Refusal | None:
        assert isinstance(intent, it.Act)
        actions.append((intent.turn, intent.action))
        return None

    run(agent, scenario, want)
    return actions


VIEW = View(SEAT, start(), 3)


@pytest.mark.parametrize("is_async", [False, True])
def test_an_answer_counts_after_what_was_wanted_before_it_and_before_what_is_wanted_later(is_async: bool) -> None:
    class Changing:
        def on_seated(self, handle: DriverSeatHandle) -> None:
            self.handle = handle

        def act(self, view: View) -> Any:
            self.handle.act(["first"])
            return ["second"]

        def on_event(self, observed: ObservedEvent) -> None:
            self.handle.act([observed.event])

    class AsyncChanging(Changing):
        async def act(self, view: View) -> Any:
            return super().act(view)

        async def on_event(self, observed: ObservedEvent) -> None:  # type: ignore[override]
            super().on_event(observed)

    async def scenario(lane: AgentLane) -> None:
        lane.give("on_seated", lane.handle)
        lane.ask(VIEW)
        lane.tell("third")  # type: ignore[arg-type]
        await lane.settle()

    found = wanted_by(AsyncChanging() if is_async else Changing(), scenario)
    assert found == [(None, ["first"]), (3, ["second"]), (None, ["third"])]


def test_a_question_that_was_given_up_or_is_answered_later_wants_nothing() -> None:
    class Hesitant(Talker):
        async def act(self, view: Any) -> Any:  # type: ignore[override]
            await super().act(view)
            return LATER

    async def given_up(lane: AgentLane) -> None:
        lane.ask(VIEW).cancel()
        await lane.settle()

    async def answered_later(lane: AgentLane) -> None:
        answer = lane.ask(VIEW)
        lane.tell("now")  # type: ignore[arg-type]
        assert await answer is LATER
        await lane.settle()

    assert wanted_by(Talker(), given_up) == []
    assert wanted_by(Hesitant(), answered_later) == []


def test_calls_come_one_after_the_other() -> None:
    agent = Recorder()

    async def scenario(lane: AgentLane) -> None:
        lane.tell("first")  # type: ignore[arg-type]
        assert await lane.call("act", "view") == ["A PAR H"]
        assert await lane.call("unknown", None) is None
        assert agent.calls == ["first", ("act", "view")]

    run(agent, scenario)


def test_an_agent_that_waits_for_words_hears_them_while_it_is_asked() -> None:
    async def scenario(lane: AgentLane) -> None:
        asked = asyncio.ensure_future(lane.call("act", "view"))
        await asyncio.sleep(0)
        lane.tell("words")  # type: ignore[arg-type]
        assert await asked == ["A PAR - BUR"]

    async def begin() -> Talker:
        return Talker()

    run(asyncio.run(begin()), scenario)


def test_an_agent_that_is_asked_no_more_does_not_answer_later() -> None:
    async def begin() -> Talker:
        return Talker()

    agent = asyncio.run(begin())

    async def scenario(lane: AgentLane) -> None:
        asked = asyncio.ensure_future(lane.call("act", "view"))
        await asyncio.sleep(0.01)
        asked.cancel()
        await asyncio.wait([asked])
        lane.tell("words")  # type: ignore[arg-type]
        await lane.settle()
        assert await lane.call("act", "view") == ["A PAR - BUR"]

    run(agent, scenario)


def test_what_is_wanted_is_asked_for_and_a_refusal_told() -> None:
    agent, wanted = Recorder(), list[Intent]()

    async def want(intent: Intent) -> Refusal | None:
        wanted.append(intent)
        return Refusal(RefusalCode.BAD_VALUE, "no") if isinstance(intent, it.Say) else None

    async def scenario(lane: AgentLane) -> None:
        lane.handle.say("hello", [Seat("ENGLAND")])
        lane.handle.set_wait(False)
        await asyncio.sleep(0)  # what a handle puts comes with the next step of the loop
        await lane.settle()
        await lane.settle()
        assert wanted == [it.Say(SEAT, "hello", (Seat("ENGLAND"),)), it.SetWait(SEAT, False)]
        assert agent.calls == ["no"]

    run(agent, scenario, want)


async def test_a_failure_ends_the_lane_with_a_sentence() -> None:
    class Broken(Recorder):
        def on_event(self, observed: ObservedEvent) -> None:
            raise ValueError("no idea")

    async def nothing(intent: Intent) -> Refusal | None:
        return None

    lane = AgentLane(Broken(), SEAT, nothing)
    lane.tell("words")  # type: ignore[arg-type]
    with pytest.raises(LocalWireError, match="the agent failed in on_event: ValueError: no idea"):
        await lane.run()


def test_a_seat_handle_far_away_passes_on_what_the_protocols_carry_and_refuses_the_rest() -> None:
    wanted: list[Intent] = []

    async def want(intent: Intent) -> Refusal | None:
        wanted.append(intent)
        return None

    async def scenario(lane: AgentLane) -> None:
        handle = lane.handle
        handle.say("hello")
        handle.set_comm_status(CommStatus.READY)
        handle.set_wait(True)
        handle.vote(Ballot.YES)
        handle.act(["A PAR H"])
        handle.note("hm")
        handle.seal(["A PAR H"])
        assert handle.reserve(5) == handle.consult(None) == NO_BANKS  # type: ignore[arg-type]
        await asyncio.sleep(0)  # what was wanted comes by way of the loop
        await lane.settle()

    run(Recorder(), scenario, want)
    assert wanted == [
        it.Say(SEAT, "hello", ()),
        it.SetCommStatus(SEAT, CommStatus.READY),
        it.SetWait(SEAT, True),
        it.Vote(SEAT, Ballot.YES),
        it.Act(SEAT, ["A PAR H"]),
    ]


def test_what_an_agent_wants_after_all_is_over_goes_nowhere() -> None:
    async def nothing(intent: Intent) -> Refusal | None:
        raise AssertionError(intent)

    async def begin() -> AgentLane:
        return AgentLane(Recorder(), SEAT, nothing)

    asyncio.run(begin()).handle.say("too late")
