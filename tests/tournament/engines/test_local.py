"""Workers on this machine: what they are sent comes back whole, and none of them stays behind."""

# Why real time passes here: workers are processes, which live in real time.

from __future__ import annotations

import ctypes
import os
import signal
import sys

import pytest

from parlour.agents import proc, process_supervisor
from parlour.errors import ParlourError
from parlour.tournament.engines import local
from parlour.tournament.engines.base import Failure
from parlour.tournament.engines.local import LocalEngine
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.results import Delivery
from parlour.tournament.results_state import ResultsState
from support.tournament.engines import workers
from support.tournament.plans import plan_of


def test_a_task_of_many_matches_comes_back_whole_and_in_order() -> None:
    plan = plan_of(["greedy", "random"], blocks=2)
    sittings = list(ResultsState(plan).wanted())
    assert len(sittings) == 8
    engine = LocalEngine(plan, 1)
    found: list[Delivery] = []
    failures: list[Failure] = []
    idle = 0
    try:
        engine.submit(sittings)
        while not idle and not failures:
            happening = engine.wait(1.0)
            found += happening.deliveries
            failures += happening.failures
            idle += happening.idle
    finally:
        engine.close()
    assert (failures, idle) == ([], 1)
    assert [one.played.seats for one in found] == [play_sitting(plan, sitting).played.seats for sitting in sittings]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to a grandparent")
def test_what_a_worker_leaves_behind_comes_to_the_driver() -> None:
    process, is_parent, be_parent = ctypes.CDLL(None), 37, 36
    found = ctypes.c_int()
    process_supervisor.adopt_orphans.cache_clear()  # whoever started a program before has asked for it as well
    process.prctl(be_parent, 0, 0, 0, 0)
    process.prctl(is_parent, ctypes.byref(found), 0, 0, 0)
    assert not found.value
    LocalEngine(plan_of(["greedy", "random"]), 1).close()
    process.prctl(is_parent, ctypes.byref(found), 0, 0, 0)
    assert found.value


def test_a_worker_that_is_not_needed_any_more_ends_by_itself() -> None:
    plan = plan_of(["greedy", "random"])
    engine = LocalEngine(plan, 1)
    engine.submit(list(ResultsState(plan).wanted())[:1])
    while not engine.wait(1.0).idle:
        pass
    (worker,) = engine._workers
    engine.close()
    assert worker.process.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_worker_that_does_not_end_by_itself_is_ended_and_nothing_of_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PATIENCE", 0.05)
    plan = plan_of(["greedy", "random"])
    engine = LocalEngine(plan, 1)
    engine.submit(list(ResultsState(plan).wanted())[:1])
    while not engine.wait(1.0).deliveries:
        pass
    (pid,) = workers()
    os.kill(pid, signal.SIGSTOP)
    engine.close()
    assert pid not in proc.parents()


def test_processes_that_always_end_before_they_can_play_end_the_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(["greedy", "random"])
    monkeypatch.setattr(sys, "executable", "/bin/false")
    engine = LocalEngine(plan, 1)

    def wait_long() -> None:
        for _ in range(10 * local.STILLBORN):
            engine.wait(10.0)

    try:
        with pytest.raises(ParlourError, match=f"{local.STILLBORN} processes in a row ended before they could play"):
            wait_long()
    finally:
        engine.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_what_a_worker_that_dies_had_is_lost_and_only_its_first_task_was_begun() -> None:
    plan = plan_of(["greedy", "random"])
    sittings = list(ResultsState(plan).wanted())
    engine = LocalEngine(plan, 1)
    try:
        assert engine.wait(120.0).idle == 0, "it is ready, and has played nothing"
        (pid,) = workers()
        os.kill(pid, signal.SIGSTOP)
        engine.submit(sittings[:2])
        engine.submit(sittings[2:3])
        os.kill(pid, signal.SIGKILL)
        happening = engine.wait(120.0)
        reason = "the process that played it was ended by signal 9"
        assert happening.failures == (Failure((0, 1), reason), Failure((2,), reason, begun=False))
        assert (happening.deliveries, happening.idle) == ((), 2)
        (other,) = workers()
        os.kill(other, signal.SIGSTOP)
        engine.submit(sittings[:1])
        os.kill(other, signal.SIGKILL)
        assert [failure.begun for failure in engine.wait(120.0).failures] == [False], "it had not come so far"
    finally:
        engine.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_task_goes_to_the_worker_with_the_fewest() -> None:
    plan = plan_of(["greedy", "random"])
    sittings = list(ResultsState(plan).wanted())
    engine = LocalEngine(plan, 2)
    try:
        assert (engine.places, engine.depth) == (2, 4)
        for pid in workers():
            os.kill(pid, signal.SIGSTOP)
        for sitting in sittings[:4]:
            engine.submit([sitting])
        os.kill(workers()[0], signal.SIGKILL)
        while not (failures := engine.wait(1.0).failures):
            pass
        assert len(failures) == 2
    finally:
        engine.close()
