"""Tests of how fast one connection may ask."""

from __future__ import annotations

from parlour.net.framing.connection import BYTES_AT_ONCE, BYTES_PER_SECOND, READING, LineRate


class Clock:
    """A clock that stands until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_so_many_lines_at_once_and_then_at_a_rate() -> None:
    clock = Clock()
    rate = LineRate(10.0, 5.0, clock=clock)
    assert [rate.line() for _ in range(7)] == [0.0] * 5 + [0.1, 0.2]
    assert rate.wait() == 0.2
    clock.now = 0.2
    assert rate.wait() == 0.0
    assert rate.line() > 0.0
    clock.now = 100.0
    assert [bool(rate.line()) for _ in range(7)] == [False] * 6 + [True]


def test_long_answers_hold_the_next_line_back() -> None:
    clock = Clock()
    rate = LineRate(clock=clock)
    rate.sent(int(BYTES_AT_ONCE))
    assert rate.line() == 0.0
    rate.sent(int(BYTES_PER_SECOND))
    assert rate.line() == 1.0
    clock.now = 1.0
    assert rate.line() == 0.0


def test_long_lines_hold_the_next_one_back() -> None:
    clock = Clock()
    rate = LineRate(clock=clock)
    assert rate.line(int(BYTES_AT_ONCE) // READING) == 0.0
    assert rate.line(int(BYTES_PER_SECOND) // READING) == 1.0
