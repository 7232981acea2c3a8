"""Lists of ints into arrays and back, compiled and not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.core.kernels import uncompiled
from parlour.deepmind.actions import POSSIBLE_ACTIONS
from parlour.deepmind.kernel import lists

KNOWN: list[int] = POSSIBLE_ACTIONS.tolist()


@pytest.fixture(params=[lists, uncompiled("parlour.deepmind.kernel.lists")], ids=["compiled", "uncompiled"])
def kernel(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_there_and_back(kernel: Any) -> None:
    given = [KNOWN[:3], [], KNOWN[100:117], KNOWN[-1:]]
    rows = np.zeros((4, 17), np.int64)
    flat = kernel.pack(given, rows.data)
    assert flat == [action for own in given for action in own]
    assert [row[row != 0].tolist() for row in rows] == given
    actions, bounds = np.array(flat, np.int64), np.array([0, 3, 3, 20, 21])
    assert kernel.unpack(actions.data, bounds.data, KNOWN) == given


@pytest.mark.parametrize(
    "wrong",
    [[[]], [[], []] * 2, [[], ()], [[], [1.0]], [[], [True]], [[], [0]], [[], [-1]], [[], [1 << 63]], [[], [1 << 90]],
     [[], [1] * 4], [[], ["1"]], [[], None], [[], [np.int64(5)]]],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_others(kernel: Any, wrong: Any) -> None:
    assert kernel.pack(wrong, np.zeros((2, 3), np.int64).data) is None


def test_the_largest_numbers_fit(kernel: Any) -> None:
    rows = np.zeros((1, 2), np.int64)
    assert kernel.pack([[(1 << 63) - 1, 1]], rows.data) == [(1 << 63) - 1, 1]
    assert rows.tolist() == [[(1 << 63) - 1, 1]]
