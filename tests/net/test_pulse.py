"""The pulse: what lies between two signs of life is downtime, whether the server was down or only stood still."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from parlour.errors import StoreError
from parlour.net import pulse as pulse_module
from parlour.net.pulse import BEAT, NOTABLE, WRITTEN, Pulse
from parlour.net.steady import SteadyClock
from parlour.store import SQLiteStore, Write
from parlour.testing import FakeClock


class Heart:
    """A pulse whose clock stands still until it is told to go on."""

    def __init__(self, store: SQLiteStore, time: float) -> None:
        self.clock = FakeClock(time)
        self.stalled: list[float] = []
        self.spawned: list[Coroutine[Any, Any, None]] = []
        self.pulse = Pulse(store, SteadyClock(self.clock.now), self.stalled.append, self.spawned.append)

    def look_after(self, seconds: float) -> list[float]:
        """Look when so much time has passed; for how long everything has stood still each time since."""
        self.clock.advance(seconds)
        self.pulse.look()
        found, self.stalled[:] = list(self.stalled), []
        return found


def with_store(path: Path, scenario: Callable[[SQLiteStore], Awaitable[None]]) -> None:
    async def run() -> None:
        with SQLiteStore(path / "pulse.db") as store:
            await scenario(store)

    asyncio.run(run())


def test_the_time_since_the_last_sign_of_life_was_down(tmp_path: Path) -> None:
    async def scenario(store: SQLiteStore) -> None:
        first = Heart(store, 70.0)
        assert await first.pulse.start() == 0.0
        first.clock.time = 100.0
        await first.pulse.stop()
        second = Heart(store, 160.0)
        assert await second.pulse.start() == 60.0
        spans = ((0.0, 1000.0), (120.0, 130.0), (90.0, 110.0), (150.0, 200.0), (160.0, 200.0), (0.0, 100.0))
        assert [second.pulse.between(*span) for span in spans] == [60.0, 10.0, 10.0, 10.0, 0.0, 0.0]
        await second.pulse.stop()
        third = Heart(store, 150.0)
        assert await third.pulse.start() == 0.0, "a clock that was set back"
        assert third.pulse.between(0.0, 1000.0) == 60.0
        await third.pulse.stop()
        await third.pulse.stop()
        assert await Heart(store, 162.0).pulse.start() == 2.0, "it had gone on from the last sign of life"

    with_store(tmp_path, scenario)


def test_standing_still_is_noticed_from_a_beat_on_and_remembered_if_it_was_long(tmp_path: Path) -> None:
    async def scenario(store: SQLiteStore) -> None:
        heart = Heart(store, 100.0)
        await heart.pulse.start()
        assert heart.look_after(2 * BEAT) == []
        assert heart.look_after(BEAT / 4) == [pytest.approx(2.25 * BEAT)]
        assert heart.look_after(0.0) == []
        assert heart.pulse.between(0.0, 1000.0) == 0.0
        assert heart.look_after(NOTABLE + BEAT) == [NOTABLE + BEAT]
        assert heart.pulse.between(0.0, 1000.0) == NOTABLE + BEAT
        await heart.pulse.stop()
        assert heart.look_after(50.0) == []
        assert heart.pulse.between(0.0, 1000.0) == NOTABLE + BEAT

    with_store(tmp_path, scenario)


def test_a_sign_of_life_is_written_every_few_seconds_and_at_once_after_a_long_standstill(tmp_path: Path) -> None:
    async def scenario(store: SQLiteStore) -> None:
        heart = Heart(store, 100.0)
        await heart.pulse.start()

        async def beat_after(seconds: float) -> int:
            heart.clock.advance(seconds)
            heart.pulse._beat()
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
        await heart.pulse.stop()

    with_store(tmp_path, scenario)


def test_only_so_many_downtimes_are_remembered_the_last_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse_module, "MOST_DOWNTIMES", 2)

    async def scenario(store: SQLiteStore) -> None:
        for start in (100.0, 200.0, 400.0, 700.0):
            heart = Heart(store, start)
            await heart.pulse.start()
            await heart.pulse.stop()
        heart = Heart(store, 700.0)
        await heart.pulse.start()
        assert [heart.pulse.between(*span) for span in ((0, 200), (200, 400), (400, 700))] == [0.0, 200.0, 300.0]
        await heart.pulse.stop()

    with_store(tmp_path, scenario)


def test_a_store_that_fails_is_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(SQLiteStore):
        fails = False

        def keep(self, *writes: Write) -> Awaitable[None]:
            if self.fails:
                raise StoreError("disk full")
            return super().keep(*writes)

    async def scenario() -> None:
        with Failing(tmp_path / "pulse.db") as store:
            heart = Heart(store, 100.0)
            await heart.pulse.start()
            for fails in (True, True, False, True):
                store.fails = fails
                await heart.pulse._write(heart.clock.advance(10.0))
            store.fails = False
            await heart.pulse.stop()

    asyncio.run(scenario())
    assert len(caplog.records) == 2, "said once, until it works again"
