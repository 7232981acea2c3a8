"""Tests of work that is done in turn: who waits, who is refused, and that nobody is kept out by another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from parlour.errors import Denied
from parlour.net.fair_pool import FairPlaces, FairPool, Requester, SharedAnswers, using_up
from parlour.net.permission_errors import DenialCode
from support.waiting import settled

HOSTILE, HONEST = Requester("192.0.2.1"), Requester("198.51.100.1")


async def in_turn(places: FairPlaces, *askers: Requester) -> list[Requester]:
    """Return the askers in the order in which they got the only place, all of whom asked while it was taken."""
    order: list[Requester] = []

    async def visit(asker: Requester) -> None:
        async with places.place(asker):
            order.append(asker)

    first = Requester("203.0.113.1")
    await places.enter(first)
    tasks = [asyncio.ensure_future(visit(asker)) for asker in askers]
    await settled()
    assert not order
    places.leave(first)
    await asyncio.gather(*tasks)
    assert len(places) == 0
    return order


def test_a_network_with_many_requests_does_not_keep_another_waiting() -> None:
    assert asyncio.run(in_turn(FairPlaces(1), *[HOSTILE] * 50, HONEST)).index(HONEST) == 1


def test_within_a_network_turns_go_round_the_names() -> None:
    many, one = Requester("192.0.2.1", "many"), Requester("192.0.2.1", "one")
    assert asyncio.run(in_turn(FairPlaces(1), *[many] * 50, one)).index(one) == 1


def test_many_names_count_as_one_network() -> None:
    names = [Requester("192.0.2.1", f"name {number}") for number in range(50)]
    assert asyncio.run(in_turn(FairPlaces(1), *names, HONEST)).index(HONEST) == 1


async def test_no_network_has_all_places() -> None:
    places = FairPlaces(3)
    await places.enter(HOSTILE)
    await places.enter(HOSTILE)
    third = asyncio.ensure_future(places.enter(HOSTILE))
    await settled()
    assert not third.done()
    await places.enter(HONEST)
    places.leave(HOSTILE)
    await third


def refused(work: Coroutine[Any, Any, object]) -> asyncio.Task[str]:
    async def run() -> str:
        try:
            await work
        except Denied as denied:
            return denied.code
        return "let in"

    return asyncio.ensure_future(run())


async def test_a_full_queue_refuses_the_network_that_filled_it() -> None:
    places = FairPlaces(1, waiting=10, waiting_of_one=10)
    await places.enter(HONEST)
    crowd = [refused(places.enter(HOSTILE)) for _ in range(11)]
    await settled()
    assert [task.result() for task in crowd if task.done()] == [DenialCode.BUSY]
    newcomer = refused(places.enter(HONEST))
    await settled()
    assert not newcomer.done()
    assert len(places) == 10
    assert [task.result() for task in crowd if task.done()] == [DenialCode.BUSY] * 2
    places.leave(HONEST)
    await settled()
    places.leave(HOSTILE)
    assert await newcomer == "let in"
    for task in crowd:
        task.cancel()


async def test_whoever_waits_too_long_is_refused_and_counted_out() -> None:
    places = FairPlaces(1, patience=0.001)
    await places.enter(HOSTILE)
    assert await refused(places.enter(HONEST)) == DenialCode.BUSY
    assert len(places) == 0


async def test_a_place_given_to_somebody_who_left_goes_to_the_next() -> None:
    places = FairPlaces(1)
    await places.enter(HOSTILE)
    gone = asyncio.ensure_future(places.enter(HONEST))
    await settled()
    places.leave(HOSTILE)  # now it is given to the one that is cancelled before it knows
    gone.cancel()
    await settled()
    await places.enter(HONEST)


async def test_a_place_is_not_lost_on_callers_who_were_cancelled_a_moment_ago() -> None:
    places, asker = FairPlaces(1, of_one=1), Requester("lab")
    await places.enter(asker)
    waits = [asyncio.create_task(places.enter(Requester("lab", str(number)))) for number in range(3)]
    await settled()
    for task in waits[:2]:
        task.cancel()
    places.leave(asker)  # before the cancelled ones resume
    await asyncio.wait(waits)
    assert [task.cancelled() for task in waits] == [True, True, False]
    assert len(places) == 0
    places.leave(Requester("lab"))
    await asyncio.wait_for(places.enter(asker), 5.0)


async def test_a_thread_that_works_on_keeps_its_place() -> None:
    pool = FairPool(FairPlaces(1, patience=0.01), threads=1)
    end = threading.Event()
    try:
        assert await refused(pool.run(HOSTILE, end.wait)) == DenialCode.BUSY
        assert await refused(pool.run(HONEST, lambda: 1)) == DenialCode.BUSY
        end.set()
        while await refused(pool.run(HONEST, lambda: 1)) != "let in":
            pass
    finally:
        end.set()
        pool.close()


async def test_an_answer_is_computed_once_for_all_who_ask() -> None:
    pool, computed = FairPool(), []
    answers = SharedAnswers(pool)

    def compute() -> bytes:
        computed.append(threading.current_thread())
        return b"answer"

    found = await asyncio.gather(*(answers.get(Requester(f"network {i}"), "key", compute) for i in range(20)))
    assert [*found, await answers.get(HONEST, "key", compute)] == [b"answer"] * 21
    assert len(computed) == 1
    assert computed[0] is not threading.current_thread()
    pool.close()


async def test_who_asked_first_and_left_does_not_end_it_for_the_others() -> None:
    pool, begin = FairPool(), threading.Event()
    answers = SharedAnswers(pool)

    def compute() -> bytes:
        begin.wait()
        return b"answer"

    first = asyncio.ensure_future(answers.get(HOSTILE, "key", compute))
    second = asyncio.ensure_future(answers.get(HONEST, "key", compute))
    await settled()
    first.cancel()
    begin.set()
    assert await second == b"answer"
    pool.close()


async def test_a_failure_is_everybodys_and_is_not_kept() -> None:
    pool = FairPool()
    answers = SharedAnswers(pool)

    def fail() -> bytes:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await answers.get(HONEST, "key", fail)
    assert await answers.get(HONEST, "key", lambda: b"now") == b"now"
    pool.close()


async def test_the_oldest_answers_are_forgotten() -> None:
    pool = FairPool()
    answers = SharedAnswers(pool, most_bytes=100)
    for number in range(30):
        await answers.get(HONEST, number, lambda: bytes(10))
    assert answers.held <= 100
    assert await answers.get(HONEST, 29, lambda: b"other") == bytes(10)
    assert await answers.get(HONEST, 0, lambda: b"again") == b"again"
    assert await answers.get(HONEST, "large", lambda: bytes(101)) == bytes(101)
    assert answers.held <= 100
    pool.close()


async def test_a_long_list_is_freed_on_the_thread_that_went_through_it() -> None:
    pool, freed = FairPool(), list[threading.Thread]()

    class Read:
        def __del__(self) -> None:
            freed.append(threading.current_thread())

    def fail(things: list[Read]) -> None:
        raise ZeroDivisionError(len(things))

    assert await pool.run(HONEST, using_up(len, [Read(), Read()])) == 2
    with pytest.raises(ZeroDivisionError):
        await pool.run(HONEST, using_up(fail, [Read()]))
    assert len(freed) == 3
    assert threading.current_thread() not in freed
    pool.close()
