"""The group writer: adapts its groups, holds producers back, and never leaves anyone waiting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from parlour.errors import StoreError
from parlour.store.writer import MAX_GROUP, GroupWriter
from support.waiting import PATIENCE


class Ledger:
    """Commits into a list of groups; can be held in the middle of a commit."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.failing: Exception | None = None

    def commit(self, works: Sequence[int]) -> dict[int, StoreError]:
        self.entered.set()
        self.gate.wait(PATIENCE)
        if self.failing is not None:
            raise self.failing
        self.groups.append(list(works))
        return {}


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


async def _entered(ledger: Ledger) -> None:
    await asyncio.to_thread(ledger.entered.wait, 10)


async def _kept(writer: GroupWriter[int], work: int) -> None:
    await writer.keep(work)


def test_what_queues_up_during_a_commit_goes_into_the_next_one(ledger: Ledger) -> None:
    async def scenario() -> None:
        writer = GroupWriter(ledger.commit)
        ledger.gate.clear()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_kept(writer, 0))
            await _entered(ledger)
            for work in range(1, MAX_GROUP + 3):
                tasks.create_task(_kept(writer, work))
            await asyncio.sleep(0)
            ledger.gate.set()
        writer.close()

    asyncio.run(scenario())
    assert [len(group) for group in ledger.groups] == [1, MAX_GROUP, 2]
    assert [work for group in ledger.groups for work in group] == list(range(MAX_GROUP + 3))


async def test_a_loop_is_woken_once_per_group(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    wakes = 0
    loop = asyncio.get_running_loop()
    original = loop.call_soon_threadsafe

    def counted(*arguments: Any, **named: Any) -> asyncio.Handle:
        nonlocal wakes
        wakes += threading.current_thread().name == "store writer"
        return original(*arguments, **named)

    monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
    writer = GroupWriter(ledger.commit)
    ledger.gate.clear()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_kept(writer, 0))
        await _entered(ledger)
        for work in range(1, 100):
            tasks.create_task(_kept(writer, work))
        await asyncio.sleep(0)
        ledger.gate.set()
    writer.close()
    assert [len(group) for group in ledger.groups] == [1, 99]
    assert wakes == 2


@pytest.mark.parametrize(("rest", "rested"), [(0.25, [0.25]), (0.0, [])])
async def test_a_writer_that_is_asked_to_rests_after_several_and_not_after_one_nor_at_its_end(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, rest: float, rested: list[float]
) -> None:
    slept: list[tuple[float, int]] = []
    monkeypatch.setattr(time, "sleep", lambda seconds: slept.append((seconds, len(ledger.groups))))
    writer = GroupWriter(ledger.commit, rest=rest)
    ledger.gate.clear()
    alone = asyncio.ensure_future(writer.keep(0))
    await _entered(ledger)
    several = [asyncio.ensure_future(writer.keep(work)) for work in (1, 2)]
    ledger.gate.set()
    await asyncio.gather(alone, *several)
    ledger.gate.clear()
    ledger.entered.clear()
    again = asyncio.ensure_future(writer.keep(3))
    await _entered(ledger)
    last = [asyncio.ensure_future(writer.keep(work)) for work in (4, 5)]
    closing = threading.Thread(target=writer.close)
    closing.start()
    while not writer._closed:  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0)
    ledger.gate.set()
    await asyncio.gather(again, *last)
    await asyncio.to_thread(closing.join)
    assert ledger.groups == [[0], [1, 2], [3], [4, 5]]
    assert slept == [(seconds, 2) for seconds in rested]


def test_a_full_queue_holds_coroutines_back(ledger: Ledger) -> None:
    async def scenario() -> None:
        writer = GroupWriter(ledger.commit, capacity=5)
        ledger.gate.clear()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_kept(writer, 0))
            await _entered(ledger)
            for work in range(1, 50):
                tasks.create_task(_kept(writer, work))
            for _ in range(3):
                await asyncio.sleep(0)
            assert writer._queue.qsize() == 5
            ledger.gate.set()
        writer.close()

    asyncio.run(scenario())
    assert sorted(work for group in ledger.groups for work in group) == list(range(50))


def test_a_full_queue_holds_threads_back(ledger: Ledger) -> None:
    writer = GroupWriter(ledger.commit, capacity=2)
    ledger.gate.clear()
    threads = [threading.Thread(target=writer.write, args=(work,)) for work in range(20)]
    for thread in threads:
        thread.start()
    ledger.entered.wait(PATIENCE)
    # Each waiting thread may have seen the last free place at once, but no more than one each.
    assert writer._queue.qsize() < 20
    ledger.gate.set()
    for thread in threads:
        thread.join(PATIENCE)
    writer.close()
    assert sorted(work for group in ledger.groups for work in group) == list(range(20))


def test_a_failing_group_fails_everyone_in_it_and_the_next_one_succeeds(ledger: Ledger) -> None:
    async def scenario() -> list[object]:
        writer = GroupWriter(ledger.commit)
        ledger.gate.clear()
        first = asyncio.ensure_future(writer.keep(0))
        await _entered(ledger)
        others = [asyncio.ensure_future(writer.keep(work)) for work in range(1, 4)]
        await asyncio.sleep(0)
        ledger.failing = StoreError("disk full")
        ledger.gate.set()
        found = await asyncio.gather(first, *others, return_exceptions=True)
        ledger.failing = None
        await writer.keep(9)
        await asyncio.to_thread(writer.close)
        return list(found)

    assert [str(error) for error in asyncio.run(scenario())] == ["disk full"] * 4
    assert ledger.groups == [[9]]


def test_a_bug_in_the_commit_leaves_nobody_waiting(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    bugs: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: bugs.append(arguments.exc_type))

    async def scenario() -> list[object]:
        writer = GroupWriter(ledger.commit, capacity=1)
        ledger.gate.clear()
        first = asyncio.ensure_future(writer.keep(0))
        await _entered(ledger)
        second = asyncio.ensure_future(writer.keep(1))
        held_back = asyncio.ensure_future(writer.keep(2))
        await asyncio.sleep(0)
        ledger.failing = ZeroDivisionError()
        ledger.gate.set()
        async with asyncio.timeout(PATIENCE):
            found = await asyncio.gather(first, second, held_back, _kept(writer, 3), return_exceptions=True)
            late = await asyncio.gather(_kept(writer, 4), return_exceptions=True)
        await asyncio.to_thread(writer.close)
        return [*found, *late]

    assert [str(error) for error in asyncio.run(scenario())] == [
        "the store's writer stopped",
        "the store's writer stopped",
        "the store is closed",
        "the store is closed",
        "the store is closed",
    ]
    assert bugs == [ZeroDivisionError]


async def test_closing_keeps_what_is_queued_and_refuses_more(ledger: Ledger) -> None:
    writer = GroupWriter(ledger.commit)
    kept = [asyncio.ensure_future(writer.keep(work)) for work in range(100)]
    await asyncio.sleep(0)
    await asyncio.to_thread(writer.close)
    await asyncio.gather(*kept)
    with pytest.raises(StoreError, match="closed"):
        await writer.keep(100)
    with pytest.raises(StoreError, match="closed"):
        writer.write(100)
    assert sum(len(group) for group in ledger.groups) == 100


async def test_a_cancelled_coroutine_does_not_disturb_its_group(ledger: Ledger) -> None:
    writer = GroupWriter(ledger.commit)
    ledger.gate.clear()
    first = asyncio.ensure_future(writer.keep(0))
    await _entered(ledger)
    others = [asyncio.ensure_future(writer.keep(work)) for work in (1, 2)]
    await asyncio.sleep(0)
    others[0].cancel()
    ledger.gate.set()
    await asyncio.gather(first, others[1])
    await asyncio.to_thread(writer.close)
    assert ledger.groups == [[0], [1, 2]]


def test_whoever_finds_no_room_again_and_again_does_not_keep_the_writer_from_writing(ledger: Ledger) -> None:
    writer: GroupWriter[int] = GroupWriter(ledger.commit)
    asked: list[int] = []

    def asks_again() -> None:
        asked.append(1)
        writer._short_of_room.append(asks_again)

    writer._short_of_room.append(asks_again)
    writer.write(7)
    writer.close()
    assert ledger.groups == [[7]]
    assert 1 <= len(asked) <= 3
