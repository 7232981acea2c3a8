"""Values of the protocol that say more than they hold."""

from __future__ import annotations

from parlour.net.mila.protocol_values import Schedule


def test_a_schedule_without_figures_is_over_and_one_with_them_counts_in_its_unit() -> None:
    assert Schedule().seconds_left == 0
    assert Schedule(delay=5).seconds_left == 5
    assert Schedule(time_unit=2, time_added=4, delay=3, current_time=1).seconds_left == 12
