"""The simulated loop: time passes only while nothing is left to do, and nobody may spin."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from support.simulation import world as simulation
from support.simulation.world import SimulatedLoop


def test_a_coroutine_that_awaits_what_is_done_again_and_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MOST_CPU", 1)

    async def spin() -> None:
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        while True:
            await done

    with closing(SimulatedLoop()) as loop, pytest.raises(AssertionError, match=r"spins: .*test_simulated_world\.py"):
        loop.run_until_complete(spin())


def test_a_coroutine_that_lets_others_run_but_no_time_pass_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MOST_TURNS", 1000)

    async def spin() -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0)

    with closing(SimulatedLoop()) as loop, pytest.raises(AssertionError, match="no time passed in 1,000 turns"):
        loop.run_until_complete(spin())


def test_who_waits_for_time_to_pass_may_do_so_as_often_as_he_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MOST_TURNS", 1000)

    async def wait() -> float:
        for _ in range(5000):
            await asyncio.sleep(1)
        return asyncio.get_running_loop().time()

    with closing(SimulatedLoop()) as loop:
        assert loop.run_until_complete(wait()) >= 5000.0


def test_coroutines_that_a_crash_dropped_end_in_silence() -> None:
    lock = asyncio.Lock()

    async def hold() -> None:
        async with lock:
            await asyncio.Event().wait()

    with closing(SimulatedLoop()) as loop:
        tasks = [loop.create_task(hold()) for _ in range(2)]
        loop.call_later(1.0, loop.stop)
        loop.run_forever()
    coroutines = [task.get_coro() for task in tasks]
    for coroutine in coroutines:
        assert coroutine is not None
        coroutine.close()  # as when it is collected: the lock goes on to the next, which nobody wakes any more
    assert not any(task.done() for task in tasks)


def test_coroutines_that_a_crash_dropped_may_begin_more_and_nothing_comes_of_it() -> None:
    done = []

    async def more() -> None:
        done.append("more")

    async def hold(loop: asyncio.AbstractEventLoop) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            loop.call_later(1.0, done.append, "later")
            loop.create_task(more())
            done.append("ended")

    with closing(SimulatedLoop()) as loop:
        task = loop.create_task(hold(loop))
        loop.call_later(1.0, loop.stop)
        loop.run_forever()
    coroutine = task.get_coro()
    assert coroutine is not None
    coroutine.close()
    assert done == ["ended"]
