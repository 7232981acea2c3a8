"""Matches in memory: who sleeps when, who is given up, and whose table one looks at; on a simulated clock and disk."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.viewers import MODERATOR, SPECTATOR
from parlour.errors import Denied, StoreError
from parlour.net import awake
from parlour.net.awake import SWEEP
from parlour.net.hall import Hall
from parlour.net.heartbeat import BEAT, TRIED
from parlour.net.hosted import HostedMatch
from parlour.net.setup import HallLimits
from parlour.store import Store
from support.hall.halls import FRANCE, diplomacy, in_a_hall, seven
from support.hall.people import session_of
from support.simulation.world import SimulatedDisk, SimulatedStore
from support.waiting import inside, run_simulated


def simulated(scenario: Callable[[Hall, SimulatedStore], Awaitable[None]], **limits: float) -> None:
    """Run a scenario in a hall on a simulated disk, which is closed afterwards."""

    async def run() -> None:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        loop = asyncio.get_running_loop()
        hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time(), limits=HallLimits(**limits))  # type: ignore[arg-type]
        await hall.start()
        await scenario(hall, store)
        await hall.close()

    run_simulated(run)


@inside(simulated)
async def test_what_sleeps_already_sleeps_and_what_is_watched_or_in_use_does_not(
    hall: Hall, store: SimulatedStore
) -> None:
    match = await hall.open(diplomacy())
    assert hall.sleep(match)
    assert hall.sleep(match)
    assert hall.sleep("no such match")
    assert hall.counts["put to sleep"] == 1
    end = await hall.watch(match, SPECTATOR, lambda told: None)
    assert not hall.sleep(match)
    end()
    hosted = await hall.wake(match)
    with hosted.in_use():
        assert not hall.sleep(match)
    assert hall.sleep(match)
    assert (hosted.closed, hall.awake, hall.counts["put to sleep"]) == (True, 0, 2)


@pytest.mark.parametrize(("per_turn", "sleeps"), [(None, True), (10_000.0, True), (100.0, False)])
@inside(simulated, idle=60.0)
async def test_what_nobody_uses_for_a_while_sleeps_if_its_deadline_is_far(
    hall: Hall, store: SimulatedStore, *, per_turn: float | None, sleeps: bool
) -> None:
    match = await hall.open(diplomacy(per_turn=per_turn))
    await seven(hall, match)
    await asyncio.sleep(60.0 - 2 * SWEEP)
    assert hall.awake == 1
    await asyncio.sleep(3 * SWEEP)
    assert (hall.awake == 0) is sleeps


@inside(simulated, idle=30.0)
async def test_what_was_used_meanwhile_does_not_sleep_and_nobody_keeps_another_awake(
    hall: Hall, store: SimulatedStore
) -> None:
    used, idle = await hall.open(diplomacy()), await hall.open(diplomacy())
    for _ in range(10):
        await asyncio.sleep(10.0)
        await hall.view(used, SPECTATOR)
    assert [hosted.name for hosted in hall._awake] == [used]
    assert hall.found_awake(idle) is None


@inside(run_simulated)
async def test_a_hall_that_is_closed_looks_at_nothing_any_more(*, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[float] = []
    loop = asyncio.get_running_loop()
    hall = Hall(cast(Store, SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)), clock=loop.time)
    sweep = hall._awake.sweep

    def counted() -> None:
        looked.append(loop.time())
        sweep()

    monkeypatch.setattr(hall._awake, "sweep", counted)
    await hall.start()
    await asyncio.sleep(3 * SWEEP + 1)
    assert len(looked) == 4
    await hall.close()
    await asyncio.sleep(100 * SWEEP)
    assert len(looked) == 4
    with pytest.raises(Denied):
        await hall.wake("m")
    with pytest.raises(Denied):
        hall.at_hand("m")


@inside(simulated)
async def test_what_cannot_be_stored_has_not_happened_and_whoever_watched_there_is_told_so(
    hall: Hall, store: SimulatedStore
) -> None:
    told: list[str] = []
    hall.given_up.append(told.append)
    match = await hall.open(diplomacy())
    sessions = await seven(hall, match)
    hosted = await hall.wake(match)
    store.failing = 1.0
    with pytest.raises(StoreError):
        await sessions[FRANCE].submit(match, it.SetWait(FRANCE, True))
    store.failing = 0.0
    assert (hosted.closed, hall.awake, told, hall.counts["given up"]) == (True, 0, [match], 1)
    again = await hall.wake(match)
    assert again is not hosted
    assert not (await hall.view(match, MODERATOR)).seats[FRANCE].wait
    hall._awake.give_up(hosted)
    assert told == [match], "it is not there any more"
    assert hall.found_awake(match) is again


@pytest.mark.parametrize("lies_about_it", [False, True])
@inside(simulated)
async def test_while_nothing_can_be_kept_nobody_is_late_and_afterwards_all_get_the_time_back(
    hall: Hall, store: SimulatedStore, *, lies_about_it: bool
) -> None:
    match = await hall.open(diplomacy(per_turn=30.0))
    sessions = await seven(hall, match)
    await asyncio.sleep(10.0)
    if lies_about_it:  # what it says that it did not keep it may have kept
        store.failing = 1.0
    else:
        store.full = True
    with pytest.raises(StoreError):
        await sessions[FRANCE].submit(match, it.SetWait(FRANCE, True))
    assert hall.trouble
    await asyncio.sleep(100.0)
    assert hall.trouble
    store.failing, store.full = 0.0, False
    await asyncio.sleep(TRIED + BEAT + 0.1)
    assert not hall.trouble
    view = await hall.view(match, MODERATOR)
    assert view.turn == 1
    assert view.due is not None
    assert view.due - hall.now() > 15.0, "ten seconds of thirty had passed before"
    await asyncio.sleep(21.0)
    assert (await hall.view(match, MODERATOR)).turn == 2
    ended = [event for event in await hall.record(match) if isinstance(event, ev.TurnEnded)]
    assert len(ended) == 1


@inside(simulated)
async def test_a_match_that_could_not_store_what_happened_by_itself_is_read_again_before_anybody_looks(
    hall: Hall, store: SimulatedStore
) -> None:
    match = await hall.open(diplomacy(per_turn=30.0))
    await seven(hall, match)
    hosted = await hall.wake(match)
    await asyncio.sleep(10.0)
    store.full = True
    hosted.owing = 5.0
    hall.spawn(hosted.compensate_downtime())
    await asyncio.sleep(1.0)
    assert hosted.closed
    store.full = False
    assert not any(isinstance(event, ev.Stalled) for event in await hall.record(match))
    assert (await hall.wake(match)) is not hosted


@inside(simulated)
async def test_those_who_want_a_match_that_sleeps_wait_for_one_waking(hall: Hall, store: SimulatedStore) -> None:
    match = await hall.open(diplomacy())
    assert hall.sleep(match)
    found = await asyncio.gather(*(hall.wake(match) for _ in range(5)))
    assert len(set(map(id, found))) == 1
    assert hall.counts["woken"] == 1
    impatient = asyncio.ensure_future(hall.wake("nowhere"))
    await asyncio.sleep(0)
    patient = asyncio.ensure_future(hall.wake("nowhere"))
    impatient.cancel()
    with pytest.raises(Denied, match="there is no match 'nowhere' here"):
        await patient
    session = session_of(hall, "ann")
    assert await session.open(diplomacy(match="nowhere")) == "nowhere", "that it was not there is not remembered"


@inside(simulated)
async def test_who_wants_to_watch_a_match_that_sleeps_again_before_it_has_its_turn_hears_what_happens(
    hall: Hall, store: SimulatedStore
) -> None:
    match = await hall.open(diplomacy())
    sessions = await seven(hall, match)
    assert hall.sleep(match)
    told: list[object] = []
    watching = asyncio.ensure_future(hall.watch(match, SPECTATOR, told.append))
    await asyncio.sleep(0)
    slept: list[bool] = []
    hall._awake._waking[match].add_done_callback(lambda _: slept.append(hall.sleep(match)))
    await watching
    assert slept == [True]
    await sessions[FRANCE].submit(match, it.SetWait(FRANCE, True))
    assert len(told) == 1


def test_that_a_match_could_not_be_woken_for_somebody_who_went_is_no_complaint_of_the_loop() -> None:
    said: list[str] = []

    async def scenario(hall: Hall, store: SimulatedStore) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(str(context["message"])))
        match = await hall.open(diplomacy())
        assert hall.sleep(match)
        store.slow, store.failing = 1.0, 1.0
        waiting = asyncio.ensure_future(hall.wake(match))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(60.0)
        assert not hall._awake._waking, "it was tried to the end"
        store.slow, store.failing = 0.001, 0.0
        gc.collect()

    simulated(scenario)
    assert said == []


@inside(simulated)
async def test_who_comes_right_after_a_waking_of_a_match_that_was_given_up_at_once_wakes_it_again(
    hall: Hall, store: SimulatedStore
) -> None:
    match = await hall.open(diplomacy())
    assert hall.sleep(match)
    loop, keep = asyncio.get_running_loop(), hall._awake._keep
    later: list[asyncio.Task[HostedMatch]] = []

    def kept(hosted: HostedMatch) -> None:
        keep(hosted)
        if not later:  # both come before the loop tells anybody that the waking is done
            loop.call_soon(hall._awake.give_up, hosted)
            later.append(loop.create_task(hall.wake(match)))

    hall._awake._keep = kept  # type: ignore[method-assign]
    first = await hall.wake(match)
    assert not first.closed
    assert await later[0] is first
    assert hall.counts["woken"] == 2


@inside(in_a_hall)
async def test_of_long_records_one_at_a_time_is_in_memory_for_agents_that_join(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(awake, "LONG", 0)
    remember, forget, held, most = HostedMatch.remember, HostedMatch.forget, set[str](), 0

    def remembered(hosted: HostedMatch, record: Sequence[ev.Event]) -> None:
        nonlocal most
        held.add(hosted.name)
        most = max(most, len(held))
        remember(hosted, record)

    def forgot(hosted: HostedMatch) -> None:
        held.discard(hosted.name)
        forget(hosted)

    monkeypatch.setattr(HostedMatch, "remember", remembered)
    monkeypatch.setattr(HostedMatch, "forget", forgot)
    matches = [await hall.open(diplomacy(match=name)) for name in "abc"]
    answers = await asyncio.gather(*(hall.seat_agent(match, FRANCE, "hold") for match in matches))
    assert [answer.refusal for answer in answers] == [None] * 3
    assert (most, held) == (1, set())
