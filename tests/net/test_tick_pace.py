"""Deadlines of one owner take effect at a bounded pace; others do not wait for them."""

from __future__ import annotations

from parlour.net.schedule import FEW_AT_ONCE, TickPace
from parlour.testing import FakeClock


def test_deadlines_beyond_the_pace_of_an_owner_wait_one_after_the_other() -> None:
    clock = FakeClock(1000.0)
    pace = TickPace(clock.now, per_second=10.0, at_once=3.0)
    waits = [pace.wait(f"m{number}", "ann") for number in range(6)]
    assert [round(wait, 6) for wait in waits] == [0.0, 0.0, 0.0, 0.1, 0.2, 0.3]
    assert pace.wait("other", "bob") == 0.0
    assert pace.wait("the house's", "") == 0.0


def test_owners_with_many_deadlines_share_a_pace_and_one_with_few_does_not_wait_for_them() -> None:
    clock = FakeClock(1000.0)
    pace = TickPace(clock.now, many_per_second=10.0, many_at_once=4.0)
    waits = [pace.wait(f"m{number}", f"owner {number % 2}") for number in range(2 * round(FEW_AT_ONCE) + 6)]
    assert [round(wait, 6) for wait in waits[-6:]] == [0.0, 0.0, 0.0, 0.0, 0.1, 0.2]
    assert waits[:-6] == [0.0] * (2 * round(FEW_AT_ONCE))
    assert pace.wait("other", "bob") == 0.0


def test_a_deadline_that_has_waited_is_not_made_to_wait_again() -> None:
    clock = FakeClock(1000.0)
    pace = TickPace(clock.now, per_second=10.0, at_once=1.0)
    assert pace.wait("m0", "ann") == 0.0
    wait = pace.wait("m1", "ann")
    assert wait > 0.0
    clock.advance(wait)
    assert pace.wait("m1", "ann") == 0.0
    assert pace.wait("m1", "ann") > 0.0
