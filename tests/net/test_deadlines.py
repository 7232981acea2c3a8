"""One timer for all deadlines, the heartbeat, and spectators who hear later; in simulated time."""

from __future__ import annotations

import asyncio
import random
from typing import cast

from parlour.core import events as ev
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.terms import Terms
from parlour.net.delays import DelayedBench
from parlour.net.heartbeat import Heartbeat
from parlour.net.monotonic_clock import MonotonicClock
from parlour.net.schedule import Deadlines
from parlour.referee.conduct import STRICT
from parlour.store import Store
from support.simulation.world import SimulatedDisk, SimulatedStore
from support.waiting import inside, run_simulated


@inside(run_simulated)
async def test_each_match_is_rung_for_once_when_it_is_due_and_moved_deadlines_do_not_ring() -> None:
    loop = asyncio.get_running_loop()
    rung: list[tuple[str, float]] = []
    deadlines = Deadlines(loop.time, lambda match: rung.append((match, round(loop.time()))))
    for number in range(100):
        deadlines.set("often", 1000.0 - number)
    deadlines.set("early", 5.0)
    deadlines.set("moved", 6.0)
    deadlines.set("moved", 100.0)
    deadlines.set("none", 7.0)
    deadlines.set("none", None)
    await asyncio.sleep(10)
    assert rung == []  # it has not been started
    deadlines.start()
    await asyncio.sleep(2000)
    assert rung == [("early", 10), ("moved", 100), ("often", 901)]
    assert len(deadlines) == 0
    deadlines.set("late", loop.time() + 5)
    deadlines.stop()
    await asyncio.sleep(100)
    assert len(rung) == 3


@inside(run_simulated)
async def test_the_pulse_knows_when_nobody_could_act_also_after_a_restart() -> None:
    loop, jumped = asyncio.get_running_loop(), 0.0
    store = cast(Store, SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001))
    stalls: list[float] = []
    heartbeat = Heartbeat(store, MonotonicClock(lambda: loop.time() + jumped), stalls.append, loop.create_task)
    assert await heartbeat.start() == 0.0
    await asyncio.sleep(60)
    assert stalls == []
    jumped += 100.0
    heartbeat.look()
    heartbeat.look()  # counted once
    assert [round(stall) for stall in stalls] == [100]
    await asyncio.sleep(20)
    assert round(heartbeat.between(0.0, 1000.0)) == 100
    assert round(heartbeat.between(100.0, 130.0)) == 30
    await heartbeat.stop()
    await asyncio.sleep(500)
    again = Heartbeat(store, MonotonicClock(lambda: loop.time() + jumped), stalls.append, loop.create_task)
    assert round(await again.start()) == 500
    assert round(again.between(0.0, 10_000.0)) == 600
    await again.stop()


@inside(run_simulated)
async def test_spectators_hear_everything_later_in_order_and_what_came_before_them_too() -> None:
    loop = asyncio.get_running_loop()
    opened = ev.Opened(0.0, "fish", {}, Terms(STRICT), 7, "m", 0.0, 2)
    bench = DelayedBench(opened, 10.0, loop.time)
    heard: list[tuple[int, float]] = []

    def told(k: int, at: float) -> ObservedEvent:
        return ObservedEvent(k, k, ev.Paused(at, "x"), TableView)

    await asyncio.sleep(15)
    end = bench.add(lambda told: heard.append((told.k, round(loop.time()))))
    bench.add(lambda told: 1 / 0)  # one that fails is dropped
    bench.told(told(2, 15.0))
    await asyncio.sleep(1)
    bench.seed([told(0, 2.0), told(1, 14.0)])  # the first is out already, and for others to tell
    await asyncio.sleep(30)
    assert heard == [(1, 24), (2, 25)]
    assert len(bench) == 1
    end()
    bench.told(told(3, loop.time()))
    await asyncio.sleep(30)
    assert len(heard) == 2
    bench.close()
