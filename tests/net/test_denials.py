"""Denials: one line of bounded length, whatever was asked for."""

from __future__ import annotations

from parlour.net.denials import DenialCode, bad_value


def test_the_reason_of_a_bad_value_is_one_line_of_four_hundred_signs_at_most() -> None:
    denied = bad_value("wrong\n" + "x" * 10_000)
    assert (denied.code, denied.reason) == (DenialCode.BAD_VALUE, "wrong?" + "x" * 394)
