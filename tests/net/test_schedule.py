"""The schedule: sleeping matches take no room in it, and are rung for in time all the same; in simulated time."""

from __future__ import annotations

import asyncio
import random
from typing import cast

import pytest

from parlour.net.schedule import AHEAD, RETRY, MatchSchedule
from parlour.store import Progress, RecordHead, RecordKind, Store
from support.simulation.world import SimulatedDisk, SimulatedStore
from support.waiting import inside, run_simulated


class Bell:
    """A schedule on a simulated disk, and what it rang for."""

    def __init__(self, dues: dict[str, float]) -> None:
        self.loop = asyncio.get_running_loop()
        self.store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        for match, due in dues.items():
            self.store.write(RecordHead(match, RecordKind.MATCH, "diplomacy", status="running", due=due))
        self.awake: set[str] = set()
        self.rung: list[tuple[str, float]] = []
        self.schedule = MatchSchedule(
            cast(Store, self.store), self.loop.time, self.ring, self.loop.create_task, self.awake
        )

    def ring(self, match: str) -> None:
        self.rung.append((match, round(self.loop.time())))
        self.store.write(Progress(match, "over"))  # nothing more is due in it


@inside(run_simulated)
async def test_what_is_due_later_is_in_the_store_until_its_time_is_near() -> None:
    bell = Bell({"soon": 10.0, "later": 3 * AHEAD + 5.0, "much later": 86_400.0})
    await bell.schedule.start()
    assert len(bell.schedule) == 2  # the first, and when to read on
    await asyncio.sleep(100_000)
    assert bell.rung == [("soon", 10), ("later", round(3 * AHEAD + 5)), ("much later", 86_400)]


@inside(run_simulated)
async def test_a_match_that_falls_asleep_is_forgotten_unless_it_is_due_before_the_store_is_asked_again() -> None:
    bell = Bell({})
    await bell.schedule.start()
    for match, due in {"soon": AHEAD - 1.0, "later": 1000.0}.items():
        bell.awake.add(match)
        bell.schedule.set(match, due)
        bell.store.write(RecordHead(match, RecordKind.MATCH, "diplomacy", status="running", due=due))
    assert len(bell.schedule) == 3
    for match, due in {"soon": AHEAD - 1.0, "later": 1000.0}.items():
        bell.awake.remove(match)
        bell.schedule.asleep(match, due)
    bell.schedule.asleep("never", None)
    assert len(bell.schedule) == 2
    await asyncio.sleep(2000)
    assert bell.rung == [("soon", round(AHEAD - 1)), ("later", 1000)]


@inside(run_simulated)
async def test_one_that_falls_asleep_while_the_store_is_read_is_not_forgotten() -> None:
    bell = Bell({})
    reading = asyncio.ensure_future(bell.schedule.start())
    await asyncio.sleep(0)
    bell.schedule.asleep("soon", 30.0)  # what was read may be older than what it stored
    await reading
    await asyncio.sleep(100)
    assert bell.rung == [("soon", 30)]


@inside(run_simulated)
async def test_what_the_store_says_of_a_match_that_is_awake_or_was_is_old() -> None:
    bell = Bell({"awake": 5.0, "slept": 40.0})
    bell.awake.add("awake")
    bell.schedule.set("awake", 50.0)
    bell.schedule.set("slept", 20.0)
    await bell.schedule.start()
    await asyncio.sleep(100)
    assert bell.rung == [("slept", 20), ("awake", 50)]


def test_more_than_is_read_at_a_time_is_read_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.schedule.MOST", 3)

    async def scenario() -> None:
        bell = Bell({f"m{number}": 10.0 + number for number in range(8)})
        await bell.schedule.start()
        assert len(bell.schedule) == 4
        bell.schedule.asleep("m7", 17.0)  # later than what was read: it will be
        assert len(bell.schedule) == 4
        await asyncio.sleep(100)
        assert bell.rung == [(f"m{number}", 10 + number) for number in range(8)]

    run_simulated(scenario)


def test_a_store_that_cannot_be_read_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        bell = Bell({"m": AHEAD + 1.0})
        await bell.schedule.start()
        bell.store.failing = 1.0
        await asyncio.sleep(AHEAD + 2 * RETRY + 1.0)
        assert bell.rung == []
        bell.store.failing = 0.0
        await asyncio.sleep(RETRY)
        assert [match for match, _ in bell.rung] == ["m"]
        bell.schedule.stop()
        bell.schedule.set("late", bell.loop.time() + 1.0)
        await asyncio.sleep(10)
        assert len(bell.rung) == 1

    run_simulated(scenario)
    assert "cannot be read" in caplog.text
