"""Clocks that stand still at weekends: only seconds of working days count."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from parlour.core.terms import DAY, Clock, after_weekends

MONDAY = 4 * DAY
"""The fifth of January 1970."""


@pytest.mark.parametrize(
    ("start", "seconds", "end"),
    [
        (0.0, DAY, DAY),  # Monday and Tuesday
        (4 * DAY, DAY / 2, 4.5 * DAY),
        (4 * DAY, DAY, 5 * DAY),  # the end of Friday
        (4.5 * DAY, DAY, 7.5 * DAY),  # over a weekend
        (5.2 * DAY, DAY, 8 * DAY),  # from Saturday: all of Monday
        (6.9 * DAY, DAY, 8 * DAY),
        (4.5 * DAY, 6 * DAY, 14.5 * DAY),  # over two
    ],
)
def test_saturdays_and_sundays_do_not_count(start: float, seconds: float, end: float) -> None:
    assert after_weekends(MONDAY + start, seconds) == pytest.approx(MONDAY + end)


def test_as_many_working_seconds_pass_as_are_given() -> None:
    chance = random.Random(5)
    for _ in range(200):
        start, hours = MONDAY + 3600 * chance.randrange(500), chance.randrange(1, 300)
        end = after_weekends(start, 3600.0 * hours)
        worked = [
            hour for hour in range(math.ceil((end - start) / 3600)) if (start + hour * 3600 - MONDAY) // DAY % 7 < 5
        ]
        assert len(worked) == hours


def test_a_clock_without_a_word_of_weekends_is_written_as_before() -> None:
    assert b"weekends" not in msgspec.json.encode(Clock(per_turn=60.0))
    assert Clock(per_turn=60.0).later(MONDAY + 5 * DAY, 60.0) == MONDAY + 5 * DAY + 60.0
    written = msgspec.json.encode(Clock(per_turn=60.0, weekends=False))
    assert msgspec.json.decode(written, type=Clock).later(MONDAY + 5 * DAY, 60.0) == MONDAY + 7 * DAY + 60.0
