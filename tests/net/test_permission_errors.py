"""Denials: one line of bounded length, whatever was asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from parlour.errors import Denied
from parlour.net.permission_errors import (
    DenialCode,
    bad_value,
    match_exists,
    name_taken,
    unknown_account,
    unknown_match,
    wrong_password,
)


def test_the_reason_of_a_bad_value_is_one_line_of_four_hundred_signs_at_most() -> None:
    denied = bad_value("wrong\n" + "x" * 10_000)
    assert (denied.code, denied.reason) == (DenialCode.BAD_VALUE, "wrong?" + "x" * 394)


@pytest.mark.parametrize("denied", [unknown_match, match_exists, unknown_account, name_taken, wrong_password])
def test_of_a_name_eighty_signs_are_repeated_at_most(denied: Callable[[str], Denied]) -> None:
    for length in (80, 81, 10_000):
        assert str(denied("x" * length)).count("x") - str(denied("")).count("x") == 80
    assert "\n" not in str(denied("a\nb"))
