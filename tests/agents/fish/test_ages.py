"""The youngest player: ages that players give in several forms, and the order that follows."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from parlour.agents.fish.ages import age_of, by_age


class Says:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def identify(self) -> Any:
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    ("answer", "age"),
    [
        ({"Name": "a", "Age": "20"}, 20),
        ({"Name": "a", "Age": 7}, 7),
        ({"Name": "a"}, None),
        ({"Name": "a", "Age": "old"}, None),
        ({"Name": "a", "Age": -1}, None),
        ({"Name": "a", "Age": 2.5}, None),
        ({"Name": "a", "Age": "9" * 5000}, None),
        ([], None),
        (ValueError("no"), None),
        (SystemExit(3), None),
    ],
)
def test_an_age_is_a_whole_number_of_years(answer: Any, age: int | None) -> None:
    assert age_of(Says(answer)) == age


def test_who_never_answers_or_cannot_be_asked_has_no_age() -> None:
    class Silent:
        def identify(self) -> None:
            threading.Event().wait()

    assert age_of(Silent(), patience=0.01) is None
    assert age_of(object()) is None


@pytest.mark.parametrize(
    ("ages", "order"),
    [
        ([30, 20, 10], [2, 1, 0]),
        ([None, 30, None, 20], [0, 3, 2, 1]),
        ([5, 5, 0], [2, 0, 1]),
        ([None, None], [0, 1]),
    ],
)
def test_the_youngest_come_first_and_the_ageless_stay(ages: list[int | None], order: list[int]) -> None:
    assert by_age(ages) == order
