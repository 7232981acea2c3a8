"""The heartbeat: what lies between two signs of life is downtime, whether the server was down or only stood still."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import MODERATOR
from parlour.errors import StoreError
from parlour.net import heartbeat as heartbeat_module
from parlour.net.hall import Hall
from parlour.net.heartbeat import BEAT, NOTABLE, WRITTEN, Heartbeat
from parlour.net.monotonic_clock import MonotonicClock
from parlour.referee.conduct import DIPLOMACY
from parlour.store import SQLiteStore, Store, Write
from parlour.testing import FakeClock
from support.hall.halls import diplomacy
from support.hall.people import opening
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore
from support.waiting import inside, run_simulated


class Heart:
    """A heartbeat whose clock stands still until it is told to go on."""

    def __init__(self, store: SQLiteStore, time: float) -> None:
        self.clock = FakeClock(time)
        self.stalled: list[float] = []
        self.spawned: list[Coroutine[Any, Any, None]] = []
        self.heartbeat = Heartbeat(store, MonotonicClock(self.clock.now), self.stalled.append, self.spawned.append)

    def look_after(self, seconds: float) -> list[float]:
        """Look when so much time has passed; for how long everything has stood still each time since."""
        self.clock.advance(seconds)
        self.heartbeat.look()
        found, self.stalled[:] = list(self.stalled), []
        return found


def with_store(path: Path, scenario: Callable[[SQLiteStore], Awaitable[None]]) -> None:
    async def run() -> None:
        with SQLiteStore(path / "heartbeat.db") as store:
            await scenario(store)

    asyncio.run(run())


@inside(with_store)
async def test_the_time_since_the_last_sign_of_life_was_down(store: SQLiteStore) -> None:
    first = Heart(store, 70.0)
    assert await first.heartbeat.start() == 0.0
    first.clock.time = 100.0
    await first.heartbeat.stop()
    second = Heart(store, 160.0)
    assert await second.heartbeat.start() == 60.0
    spans = ((0.0, 1000.0), (120.0, 130.0), (90.0, 110.0), (150.0, 200.0), (160.0, 200.0), (0.0, 100.0))
    assert [second.heartbeat.between(*span) for span in spans] == [60.0, 10.0, 10.0, 10.0, 0.0, 0.0]
    await second.heartbeat.stop()
    third = Heart(store, 150.0)
    assert await third.heartbeat.start() == 0.0, "a clock that was set back"
    assert third.heartbeat.between(0.0, 1000.0) == 60.0
    await third.heartbeat.stop()
    await third.heartbeat.stop()
    assert await Heart(store, 162.0).heartbeat.start() == 2.0, "it had gone on from the last sign of life"


@inside(with_store)
async def test_a_store_that_failed_is_remembered_though_the_server_dies_after_its_next_sign_of_life(
    store: SQLiteStore,
) -> None:
    first = Heart(store, 70.0)
    await first.heartbeat.start()
    first.heartbeat.failed(StoreError("disk full"), 75.0)
    first.clock.time = 115.0
    await first.heartbeat.stop()  # this write is kept, and nothing after it
    second = Heart(store, 130.0)
    assert await second.heartbeat.start() == 15.0
    assert second.heartbeat.between(70.0, 130.0) == 55.0


@inside(with_store)
async def test_standing_still_is_noticed_from_a_beat_on_and_remembered_if_it_was_long(store: SQLiteStore) -> None:
    heart = Heart(store, 100.0)
    await heart.heartbeat.start()
    assert heart.look_after(2 * BEAT) == []
    assert heart.look_after(BEAT / 4) == [pytest.approx(2.25 * BEAT)]
    assert heart.look_after(0.0) == []
    assert heart.heartbeat.between(0.0, 1000.0) == 0.0
    assert heart.look_after(NOTABLE + BEAT) == [NOTABLE + BEAT]
    assert heart.heartbeat.between(0.0, 1000.0) == NOTABLE + BEAT
    await heart.heartbeat.stop()
    assert heart.look_after(50.0) == []
    assert heart.heartbeat.between(0.0, 1000.0) == NOTABLE + BEAT


@inside(with_store)
async def test_a_sign_of_life_is_written_every_few_seconds_and_at_once_after_a_long_standstill(
    store: SQLiteStore,
) -> None:
    heart = Heart(store, 100.0)
    await heart.heartbeat.start()

    async def beat_after(seconds: float) -> int:
        heart.clock.advance(seconds)
        heart.heartbeat._beat()
        waiting, heart.spawned[:] = list(heart.spawned), []
        for writing in waiting:
            await writing
        return len(waiting)

    steps = round(WRITTEN / BEAT)
    assert [await beat_after(BEAT) for _ in range(2 * steps)] == [*[0] * (steps - 1), 1] * 2
    assert await beat_after(NOTABLE + BEAT) == 1
    kept = store.setting("alive")
    assert kept is not None
    assert float(kept) == heart.clock.time
    await heart.heartbeat.stop()


def test_only_so_many_downtimes_are_remembered_the_last_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat_module, "MOST_DOWNTIMES", 2)

    async def scenario(store: SQLiteStore) -> None:
        for start in (100.0, 200.0, 400.0, 700.0):
            heart = Heart(store, start)
            await heart.heartbeat.start()
            await heart.heartbeat.stop()
        heart = Heart(store, 700.0)
        await heart.heartbeat.start()
        assert [heart.heartbeat.between(*span) for span in ((0, 200), (200, 400), (400, 700))] == [0.0, 200.0, 300.0]
        await heart.heartbeat.stop()

    with_store(tmp_path, scenario)


def test_a_store_that_fails_is_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(SQLiteStore):
        fails = False

        def keep(self, *writes: Write) -> Awaitable[None]:
            if self.fails:
                raise StoreError("disk full")
            return super().keep(*writes)

    async def scenario() -> None:
        with Failing(tmp_path / "heartbeat.db") as store:
            heart = Heart(store, 100.0)
            await heart.heartbeat.start()
            for fails in (True, True, False, True):
                store.fails = fails
                await heart.heartbeat._write(heart.clock.advance(10.0))
                assert bool(heart.heartbeat.trouble) is fails
            store.fails = False
            await heart.heartbeat.stop()
            assert heart.stalled == [20.0], "from the first that failed to the first that did not"
            assert heart.heartbeat.between(0.0, 140.0) == 20.0

    asyncio.run(scenario())
    said = [record.message for record in caplog.records if "the store fails" in record.message]
    assert len(said) == 2, "said once, until it works again"


@inside(with_store)
async def test_what_is_lost_for_two_reasons_at_once_counts_once(store: SQLiteStore) -> None:
    heart = Heart(store, 100.0)
    await heart.heartbeat.start()
    heart.heartbeat.failed(StoreError("disk full"), heart.clock.advance(10.0))
    heart.heartbeat.look()
    heart.clock.advance(30.0)
    heart.heartbeat.look()
    heart.clock.advance(10.0)
    heart.heartbeat.kept()
    assert heart.heartbeat.between(0.0, 1000.0) == 50.0
    assert heart.heartbeat.between(120.0, 130.0) == 10.0
    assert heart.stalled[-1] == 40.0
    heart.heartbeat.kept()
    assert heart.stalled[-1] == 40.0, "what works goes on without a word"
    await heart.heartbeat.stop()


@pytest.mark.parametrize("slow", [0.001, 0.3])
@pytest.mark.parametrize("after", [0.0, 0.002, 0.01, 0.1, 0.5, 1.5])
@inside(run_simulated)
async def test_a_match_that_is_opened_just_before_everything_stands_still_gets_that_time_back(
    *, after: float, slow: float
) -> None:
    stall = 5.0
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulatedLoop)
    store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=slow)
    hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
    await hall.start()

    async def stand_still() -> float:
        await asyncio.sleep(after)
        loop.simulated += stall  # the loop does not get to do anything for so long
        return hall.now()

    standing = asyncio.ensure_future(stand_still())
    terms = Terms(DIPLOMACY, Clock(per_turn=20.0), vacancy=Vacancy.AWAITED)
    match = await hall.open(opening(diplomacy(terms=terms), it.Start("ann")))
    stood_until = await standing
    await asyncio.sleep(1.0)
    view = await hall.view(match, MODERATOR)
    began = next(event.at for event in await hall.record(match) if isinstance(event, ev.TurnBegan))
    lost = min(stall, max(0.0, stood_until - began))
    assert view.due is not None
    assert view.due >= began + 20.0 + lost - 0.01
    assert view.due <= began + 20.0 + lost + BEAT + 2 * slow, "and hardly more than that"
    await hall.close()
