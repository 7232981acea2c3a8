"""Clocks for drivers: one that goes on where a record left off, and one that only passes while nobody thinks."""

from __future__ import annotations

import queue
import threading
import time

from parlour.referee.clocks import RealClock, VirtualClock


def arrived(*values: str) -> queue.SimpleQueue[str]:
    arrivals: queue.SimpleQueue[str] = queue.SimpleQueue()
    for value in values:
        arrivals.put(value)
    return arrivals


def test_real_time_goes_on_from_where_a_record_left_off() -> None:
    before = time.monotonic()
    clock = RealClock(5000.0)
    first, later = clock.now(), clock.now()
    assert 5000.0 <= first <= later <= 5000.0 + (time.monotonic() - before) + 1e-6


def test_real_time_is_waited_for_until_something_is_due() -> None:
    clock = RealClock(5000.0)
    assert clock.get(arrived("here"), 0.0, False) == "here", "what has arrived is read though the time is over"
    assert clock.get(arrived("here"), None, False) == "here"
    assert clock.get(arrived(), 4000.0, True) is None
    due = clock.now() + 0.02
    assert clock.get(arrived(), due, True) is None
    assert clock.now() >= due - 1e-3


def test_virtual_time_stands_still_while_somebody_thinks() -> None:
    clock = VirtualClock(7.0)
    arrivals = arrived()
    threading.Timer(0.01, arrivals.put, ["thought of"]).start()
    assert clock.get(arrivals, 60.0, True) == "thought of"
    assert clock.now() == 7.0
    assert clock.get(arrived("here"), 60.0, False) == "here"
    assert clock.now() == 7.0


def test_virtual_time_jumps_to_what_is_due_when_nobody_thinks_and_never_back() -> None:
    clock = VirtualClock(7.0)
    assert clock.get(arrived(), None, False) is None
    assert clock.now() == 7.0
    assert clock.get(arrived(), 60.0, False) is None
    assert clock.now() == 60.0
    assert clock.get(arrived(), 30.0, False) is None
    assert clock.now() == 60.0
