"""Nobody is late because we were: stalls of the loop do not count, and what has arrived is read first.

These tests use real time, since what they stall is a real event loop.
"""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from parlour.referee.deadline_grace import BEAT, FairClock, all_read, within

STALL = 8 * BEAT


def test_a_clock_stands_still_while_the_loop_is_stalled() -> None:
    async def scenario() -> tuple[float, float]:
        loop, clock = asyncio.get_running_loop(), FairClock()
        clock.start()
        began, really = clock.now(), time.monotonic()
        await asyncio.sleep(BEAT)
        time.sleep(STALL)  # noqa: ASYNC251 - the stall
        passed = clock.now() - began
        later = clock.now() - began
        clock.stop()
        assert later - passed < BEAT  # counted once
        before, same, after = loop.time(), clock.at(clock.now()), loop.time()
        assert before - 1e-6 <= same <= after + 1e-6  # by the loop's own time it is now
        return passed, time.monotonic() - really

    passed, really = asyncio.run(scenario())
    assert really - passed > STALL - 2 * BEAT


async def test_a_clock_that_nobody_uses_leaves_the_loop_alone() -> None:
    clock = FairClock()
    clock.start()
    clock.start()
    clock.stop()
    assert clock._timer is not None
    clock.stop()
    assert clock._timer is None
    time.sleep(STALL)  # noqa: ASYNC251 - nobody waits
    before = clock.now()
    assert clock.at(before) == before  # so that nothing was lost


async def test_a_question_in_time_an_answer_too_late_and_one_that_raises() -> None:
    async def after(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "here"

    async def raises() -> str:
        raise ConnectionResetError("gone")

    assert await within(10, after(0)) == "here"
    with pytest.raises(ConnectionResetError, match="gone"):
        await within(10, raises())
    with pytest.raises(TimeoutError):
        await within(0.01, after(60))
    assert len(asyncio.all_tasks()) == 1  # nothing is left behind


def test_an_answer_that_lies_unread_when_time_is_up_still_counts() -> None:
    async def scenario() -> bytes:
        here, there = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=here)

        async def question() -> bytes:
            writer.write(b"?")
            return await reader.readexactly(1)

        def stalls() -> None:
            there.recv(1)
            there.send(b"!")
            time.sleep(STALL)

        asyncio.get_running_loop().call_later(BEAT / 2, stalls)
        try:
            return await within(BEAT, question())
        finally:
            writer.close()
            there.close()

    assert asyncio.run(scenario()) == b"!"


def test_when_no_time_is_left_what_has_arrived_is_read_all_the_same() -> None:
    async def scenario() -> bytes:
        here, there = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=here)
        there.send(b"!")
        try:
            return await within(0.0, reader.readexactly(1))
        finally:
            writer.close()
            there.close()

    assert asyncio.run(scenario()) == b"!"


def test_an_answer_that_is_on_its_way_through_our_own_tasks_when_time_is_up_still_counts() -> None:
    async def passed_on(reader: asyncio.StreamReader, hands: int) -> bytes:
        if not hands:
            return await reader.readexactly(1)
        return await asyncio.ensure_future(passed_on(reader, hands - 1))  # each hand takes a turn of the loop

    async def scenario() -> bytes:
        here, there = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=here)
        answer = asyncio.ensure_future(passed_on(reader, 3))
        await asyncio.sleep(0.01)
        there.send(b"!")
        try:
            return await within(0.0, answer)
        finally:
            writer.close()
            there.close()

    assert asyncio.run(scenario()) == b"!"


def test_giving_up_a_question_leaves_nobody_behind() -> None:
    async def scenario() -> int:
        asking = asyncio.ensure_future(within(60, asyncio.sleep(60)))
        await all_read()
        asking.cancel()
        await asyncio.wait((asking,))
        assert asking.cancelled()
        return len(asyncio.all_tasks())

    assert asyncio.run(scenario()) == 1


async def test_a_question_that_somebody_else_takes_back_is_not_late() -> None:
    question = asyncio.get_running_loop().create_future()
    question.get_loop().call_soon(question.cancel)
    with pytest.raises(asyncio.CancelledError):
        await within(60, question)


async def test_who_is_being_cancelled_and_still_asks_is_told_that_time_is_up() -> None:
    heard: list[str] = []

    async def ending() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            with pytest.raises(TimeoutError):
                await within(0.01, asyncio.get_running_loop().create_future())
            heard.append("and went on")

    task = asyncio.create_task(ending())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == ["and went on"]
