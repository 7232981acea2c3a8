"""The guide: every puzzle has the solution that its hint names, and none without orders."""

from __future__ import annotations

import re

import pytest

from parlour.errors import ConfigError
from parlour.games.diplomacy.lessons import LESSONS
from parlour.web.lessons import LessonQuestion, answer

SOLUTIONS = (
    ["A PAR - BUR"],
    ["A PAR - BUR", "A MAR S A PAR - BUR"],
    ["A HOL - RUH"],
    ["A YOR - NWY VIA", "F NTH C A YOR - NWY"],
    ["A PIC - BEL"],
)


@pytest.mark.parametrize("number", range(len(LESSONS)))
def test_the_adjudicator_checks_each_puzzle(number: int) -> None:
    shown = answer(LessonQuestion(number))
    assert set(SOLUTIONS[number]) <= set(shown["choices"][LESSONS[number].power])
    assert "solved" not in shown
    assert answer(LessonQuestion(number, SOLUTIONS[number], judge=True))["solved"] is True
    missed = answer(LessonQuestion(number, [], judge=True))
    assert missed["solved"] is False
    for order in SOLUTIONS[number]:
        assert re.search(rf"\b{re.escape(order)}\b", missed["hint"])


def test_a_broken_pact_is_not_a_solution() -> None:
    assert answer(LessonQuestion(4, ["A PIC - BEL", "A PAR - BUR"], judge=True))["solved"] is False


def test_another_lesson_is_a_sentence() -> None:
    with pytest.raises(ConfigError, match="lesson: expected 0 to 4"):
        answer(LessonQuestion(5))
