"""The clock of a hall: it never goes back, and does not stay ahead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.net.monotonic_clock import JUMP, MOST_AHEAD, SLOWER, MonotonicClock
from parlour.testing import FakeClock

NOON = 1_790_000_000.0


def looked_at(steady: MonotonicClock, clock: FakeClock, seconds: float) -> float:
    """Return the time after so many seconds in which it was looked at four times each."""
    for _ in range(round(4 * seconds)):
        clock.advance(0.25)
        steady()
    return steady()


def test_it_is_the_machines_clock_as_long_as_that_goes_on() -> None:
    clock = FakeClock(NOON)
    steady = MonotonicClock(clock.now)
    for seconds in (0.0, 0.25, 3600.0, 1e8):
        clock.advance(seconds)
        assert steady() == clock.time


def test_when_the_clock_is_set_back_time_goes_on_and_a_little_slower_until_it_has_caught_up() -> None:
    clock = FakeClock(NOON)
    steady = MonotonicClock(clock.now)
    assert steady() == NOON
    clock.time -= 60.0
    assert steady() == NOON
    assert looked_at(steady, clock, 100.0) == pytest.approx(NOON + 100.0 * (1.0 - SLOWER))
    looked_at(steady, clock, 60.0 / SLOWER)
    assert steady() == clock.time


def test_a_clock_that_is_set_right_again_is_right_at_once() -> None:
    clock = FakeClock(NOON)
    steady = MonotonicClock(clock.now)
    steady()
    clock.time -= 3600.0
    steady()
    clock.time += 3600.0 + JUMP
    assert steady() == clock.time == NOON + JUMP


def test_it_begins_where_somebody_left_off_unless_that_is_absurd() -> None:
    for ahead, begins in ((-5.0, NOON), (5.0, NOON + 5.0), (MOST_AHEAD, NOON + MOST_AHEAD), (MOST_AHEAD + 1.0, NOON)):
        steady = MonotonicClock(FakeClock(NOON).now)
        steady.go_on_from(NOON + ahead)
        assert steady() == begins


@given(st.lists(st.sampled_from([-600.0, -1.0, 0.0, 0.25, 0.9, 2.0, 600.0])))
def test_it_never_goes_back_and_is_never_behind(steps: list[float]) -> None:
    clock = FakeClock(NOON)
    steady = MonotonicClock(clock.now)
    last = steady()
    for step in steps:
        clock.time += step
        assert clock.time <= steady()
        assert last <= (last := steady())
