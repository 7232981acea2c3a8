"""A match that is awake: what is made good, what keeps it awake, who sits where, and what is stored besides."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Awaitable, Sequence
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Clock, Terms
from parlour.core.viewers import MODERATOR, SPECTATOR, seated_on
from parlour.errors import Denied, StoreError
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.hosted import SLIGHT, HostedMatch
from parlour.net.permission_errors import DenialCode
from parlour.net.schedule import AHEAD
from parlour.net.setup import HallLimits
from parlour.net.stand_ins import Sitter
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.table import INSTANT
from parlour.store import Write
from parlour.testing import FakeClock
from support.hall.halls import ENGLAND, FRANCE, POWERS, diplomacy, in_a_hall, seven
from support.hall.people import opening, session_of
from support.waiting import inside

START = 1_000_000.0


async def running(hall: Hall, **terms: object) -> HostedMatch:
    """Return a match in its first turn, of which nobody has done anything yet."""
    setup = diplomacy(terms=Terms(DIPLOMACY, Clock(per_turn=1000.0), **terms))  # type: ignore[arg-type]
    match = await session_of(hall, "host").open(setup)
    await seven(hall, match)
    await hall.heartbeat.stop()  # which would take the steps of a test's clock for a machine that slept
    return await hall.wake(match)


def test_time_in_which_nobody_could_act_is_made_good_where_it_matters(tmp_path: Path) -> None:
    clock = FakeClock(START)

    async def scenario(hall: Hall) -> None:
        hosted = await running(hall)
        began, due = hosted.match.state.now, hosted.match.due()
        assert due is not None
        clock.time = began + 500.0
        left = due - clock.time
        slight = SLIGHT * left
        assert hosted.owed(slight) == 0.0
        assert hosted.owed(slight * 1.01) == pytest.approx(slight * 1.01)
        hosted.owing = 30.0
        assert hosted.downtime(12.0) == it.Downtime("server", 42.0)
        assert (hosted.owing, hosted.downtime()) == (0.0, None)
        clock.advance(5.0)
        assert hosted.owed(9999.0) == pytest.approx(5.0 - INSTANT), "what is made good is not made good again"
        clock.advance(50.0)
        await hosted.compensate_downtime(42.0)
        assert hosted.match.due() == pytest.approx(due + 42.0)
        clock.time = due + 92.0
        assert hosted.owed(0.25) == 0.25, "late as it is, all of it matters"
        await hosted.table.handle(it.Pause("host"))
        clock.advance(100.0)
        assert hosted.owed(60.0) == 0.0, "nothing runs"
        counting = await running(hall, downtime_counts=True)
        clock.advance(100.0)
        assert counting.owed(60.0) == 0.0, "the terms say so"
        hosted.close()
        hosted.owing = 30.0
        assert hosted.downtime() is None
        with pytest.raises(StoreError, match="has just been put to sleep"):
            await hosted.table.handle(it.Resume("host"))
        with pytest.raises(StoreError, match="has just been put to sleep"):
            hosted.table.submit([it.Resume("host")])

    in_a_hall(tmp_path, scenario, clock=clock.now)


def test_what_is_owed_is_made_good_before_anything_else_happens(tmp_path: Path) -> None:
    clock = FakeClock(START)

    async def scenario(hall: Hall) -> None:
        for way in ("handle", "at once", "together", "leave", "sit"):
            hosted = await running(hall)
            before = len(await hall.record(hosted.name))
            clock.advance(400.0)
            hosted.owing = 300.0
            if way == "handle":
                await hosted.submit([it.SetWait(FRANCE, True)])
            elif way == "at once":
                hosted.table.submit([it.SetWait(FRANCE, True)])
            elif way == "together":
                await hosted.table.submit([it.SetWait(FRANCE, True)])
            elif way == "leave":
                await hosted.submit([it.Leave(FRANCE)])
            else:
                back = it.Substitute("host", FRANCE, "sub")
                await hosted.submit([back], sitter=Sitter("sub", of_account("an account")))
                assert hosted.seating[FRANCE].account == "an account"
            await hosted.table.handle(it.SetWait(ENGLAND, True))
            kinds = [type(event).__name__ for event in (await hall.record(hosted.name))[before:]]
            assert kinds[0] == "Stalled", way
            assert kinds.count("Stalled") == 1, way
            assert hosted.owing == 0.0

    in_a_hall(tmp_path, scenario, clock=clock.now)


def test_whoever_looks_is_told_the_deadline_as_it_is_kept_though_the_clock_was_just_set_forward(tmp_path: Path) -> None:
    clock = FakeClock(START)

    async def scenario(hall: Hall) -> None:
        hosted = await running(hall)
        clock.advance(86_400.0)
        hosted.owing = 86_400.0
        view = await hall.view(hosted.name, SPECTATOR)
        assert view.due is not None
        assert view.due - view.now == pytest.approx(1000.0, abs=1.0)

    in_a_hall(tmp_path, scenario, clock=clock.now)


@pytest.mark.parametrize(("second", "made_good"), [(59.0, [30.0]), (61.0, [30.0, 61.0])])
def test_to_store_that_time_is_made_good_is_made_good_itself_if_it_took_more_than_twice_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: float, made_good: list[float]
) -> None:
    clock = FakeClock(START)

    async def scenario(hall: Hall) -> None:
        hosted = await running(hall)
        took = iter([30.0, second])
        append = hosted._journal.append

        def slowly(bodies: Sequence[bytes], *besides: Write) -> asyncio.Future[None]:
            asyncio.get_running_loop().call_soon(clock.advance, next(took, 0.0))
            return append(bodies, *besides)

        monkeypatch.setattr(hosted._journal, "append", slowly)
        await hosted.submit([it.SetWait(FRANCE, True)])
        for _ in range(5):
            await hosted.table.settled()
            await asyncio.sleep(0.001)  # for what follows from it
        stalls = [event.seconds for event in await hall.record(hosted.name) if isinstance(event, ev.Stalled)]
        assert stalls == pytest.approx(made_good, abs=0.01)

    in_a_hall(tmp_path, scenario, clock=clock.now)


@inside(in_a_hall)
async def test_who_sits_where_is_known_by_account_and_follows_who_comes_and_goes(hall: Hall) -> None:
    hosted = await running(hall)
    assert hosted.seats_of(of_account("france")) == (FRANCE,)
    assert hosted.seats_of(of_account("nobody")) == ()
    assert hosted.head.players == {power: power.lower() for power in POWERS}
    await session_of(hall, "france").submit(hosted.name, it.Leave(FRANCE))
    assert hosted.seats_of(of_account("france")) == ()
    assert FRANCE not in hosted.head.players
    await session_of(hall, "england").join(hosted.name, FRANCE)
    assert set(hosted.seats_of(of_account("england"))) == {FRANCE, ENGLAND}
    (kept,) = (await hall.page()).heads
    assert kept.players[FRANCE] == "england"
    with hosted.in_use():
        assert hosted.busy
        with hosted.in_use():
            pass
        assert hosted.busy
    assert not hosted.busy


@inside(in_a_hall)
async def test_only_spectators_of_a_delayed_match_hear_later(hall: Hall) -> None:
    owner = session_of(hall, "host")
    prompt = await hall.wake(await owner.open(diplomacy()))
    late = await hall.wake(await owner.open(diplomacy(delay=60.0)))
    viewers = (SPECTATOR, MODERATOR, seated_on(FRANCE))
    assert [prompt.delays(viewer) for viewer in viewers] == [False] * 3
    assert [late.delays(viewer) for viewer in viewers] == [True, False, False]


@inside(in_a_hall, limits=HallLimits(snapshot_every=10))
async def test_a_snapshot_is_taken_after_so_many_events_and_nothing_is_held_that_is_stored(hall: Hall) -> None:
    hosted = await running(hall)
    covered = []
    for number in range(25):
        await hosted.submit([it.SetWait(FRANCE, bool(number % 2))])
        found = await hall.store.fetch(hall.store.snapshot, hosted.name)
        assert found is not None
        assert hosted.match.state.count - found.length < 10
        covered.append(found.length)
        assert hosted.match.record == []
        assert hosted.forgotten == hosted.match.state.count
    assert len(set(covered)) in (3, 4)


@inside(in_a_hall)
async def test_a_match_that_is_put_to_sleep_is_held_by_nobody_if_its_deadline_is_far(hall: Hall) -> None:
    held = hall._schedule._deadlines._due
    for seconds, kept in ((3 * AHEAD, False), (AHEAD / 10, True)):
        match = await session_of(hall, "host").open(diplomacy(per_turn=seconds))
        await seven(hall, match)
        assert match in held
        assert hall.sleep(match)  # which takes no time
        assert (match in held) is kept, "what is due soon rings though it sleeps"


@inside(in_a_hall)
async def test_a_match_that_sleeps_takes_no_memory_though_the_collector_does_not_look(hall: Hall) -> None:
    hosted = await running(hall)
    gone = [weakref.ref(one) for one in (hosted, hosted.table, hosted.match)]
    gc.disable()
    try:
        assert hall.sleep(hosted.name)
        del hosted
        assert [one() for one in gone] == [None] * 3
    finally:
        gc.enable()


@inside(in_a_hall)
async def test_what_comes_after_a_match_was_put_to_sleep_is_refused_and_never_stored(hall: Hall) -> None:
    hosted = await running(hall)
    before = len(await hall.record(hosted.name))
    assert hall.sleep(hosted.name)
    with pytest.raises(StoreError, match="put to sleep"):
        hosted.table.submit([it.SetWait(FRANCE, False)])
    with pytest.raises(StoreError, match="put to sleep"):
        await hosted.table.handle(it.SetWait(FRANCE, False))
    assert len(await hall.record(hosted.name)) == before


def test_a_hall_that_is_closed_leaves_no_thread_behind(tmp_path: Path) -> None:
    before = set(threading.enumerate())

    async def scenario(hall: Hall) -> None:
        match = await session_of(hall, "host").open(diplomacy(), password="please")
        assert (await session_of(hall, "ann").join(match, FRANCE, password="please")).refusal is None
        assert set(threading.enumerate()) > before

    in_a_hall(tmp_path, scenario)
    assert set(threading.enumerate()) == before


# Who sits where


@inside(in_a_hall)
async def test_what_is_refused_when_a_match_is_opened_is_told_and_only_an_agent_is_named_by_its_seat(
    hall: Hall,
) -> None:
    with pytest.raises(Denied) as agent:
        await hall.open(diplomacy(match="m", agents={Seat("NOWHERE"): "hold"}))
    assert str(agent.value).startswith("agents: NOWHERE: ")
    with pytest.raises(Denied) as other:
        await hall.open(opening(diplomacy(match="m"), it.Resume("ann")))
    assert not str(other.value).startswith("agents")
    assert other.value.code == DenialCode.BAD_VALUE


@inside(in_a_hall)
async def test_of_namesakes_who_sit_down_at_once_each_gets_a_seat_of_its_own(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    seats = [Seat(power) for power in POWERS]
    sitting = [session_of(hall, f"account {seat}").join(match, seat, name="Smith") for seat in seats]
    assert all(answer.refusal is None for answer in await asyncio.gather(*sitting))
    hosted = await hall.wake(match)
    assert {seat: hosted.seating[seat].account for seat in seats} == {seat: f"account {seat}" for seat in seats}


@inside(in_a_hall)
async def test_who_was_refused_a_seat_is_not_taken_for_a_namesake_who_gets_it_later(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    await session_of(hall, "france").join(match, FRANCE)
    assert (await hall.submit(match, it.Join("hold", FRANCE), sitter=Sitter("hold", of_account("eve"))))[
        0
    ].refusal is not None
    assert (await hall.seat_agent(match, ENGLAND, "hold")).refusal is None
    sitting = (await hall.wake(match)).seating[ENGLAND]
    assert (sitting.player, sitting.account, sitting.agent) == ("hold", "", "hold")


@inside(in_a_hall, limits=HallLimits(snapshot_every=1000))
async def test_a_match_that_ended_is_kept_with_its_result_and_as_it_stands(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    match = await owner.open(diplomacy())
    await owner.submit(match, it.Cancel("owner", "rain"))
    hosted = await hall.wake(match)
    kept = await hall.store.fetch(hall.store.snapshot, match)
    assert kept is not None
    assert kept.length == hosted.match.state.count == len(await hall.record(match))
    assert hosted.head.result == await hall.store.fetch(hall.store.result, match)


def test_the_head_is_written_anew_only_when_something_of_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(START)

    async def scenario(hall: Hall) -> None:
        hosted = await running(hall)
        keep, kept = hall.store.keep, list[str]()

        def watched(*writes: Write) -> Awaitable[None]:
            kept.extend(type(write).__name__ for write in writes)
            return keep(*writes)

        monkeypatch.setattr(hall.store, "keep", watched)
        clock.advance(10.0)
        before = hosted.head
        await hosted.submit([it.SetWait(FRANCE, True)])
        assert (hosted.head, "Progress" in kept) == (before, False)
        await hosted.submit([it.Pause("host")])
        assert (hosted.head.status, "Progress" in kept) == ("paused", True)
        assert hosted.head.updated == clock.now() > before.updated
        (stored,) = (await hall.page()).heads
        assert (stored.status, stored.due, stored.updated) == ("paused", None, clock.now())

    in_a_hall(tmp_path, scenario, clock=clock.now)
