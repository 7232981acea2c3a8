"""Press is read, checked and told in linear time: the lines of our code that run are counted, not the seconds."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from parlour.core.game import Seat
from parlour.errors import ParlourError
from parlour.games.diplomacy.position import Position
from parlour.press.admission import refusal
from parlour.press.language import message_types as v
from parlour.press.language.checks import examine
from parlour.press.language.english import gloss
from parlour.press.language.reader import _read_once, read

POSITION = Position.start()
LONG: dict[str, Callable[[int], str]] = {
    "an alliance of many": lambda n: f"PRP (ALY ({'FRA GER ' * n}) VSS ({'ENG ITA ' * n}))",
    "a zone of many": lambda n: f"PRP (DMZ (FRA GER) ({'BUR RUH ' * n}))",
    "many parts": lambda n: f"PRP (AND {'(PCE (FRA GER)) ' * n})",
    "brackets that do not close": lambda n: f"PRP (PCE ({'FRA GER ' * n}",
}
USES: dict[str, Callable[[str], object]] = {
    "read": read,
    "admitted": lambda text: refusal(text, 60, POSITION, Seat("FRANCE"), (Seat("GERMANY"),)),
    "told": lambda text: gloss(read(text)),
}


def lines_run(use: Callable[[str], object], text: str) -> int:
    """Return the number of executed lines of Python, in all modules."""
    count = 0
    _read_once.cache_clear()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with contextlib.suppress(ParlourError):
            use(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("form", LONG)
def test_twice_the_length_is_twice_the_work(form: str, use: str) -> None:
    lines_run(USES[use], LONG[form](2))  # whatever is made once
    once, twice = (lines_run(USES[use], LONG[form](size)) for size in (100, 200))
    assert twice <= 2.2 * once


class Word(str):
    """A word that counts how often it is compared."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Word.compared += 1
        return str.__eq__(self, other)


def test_allies_and_enemies_are_not_each_compared_with_each() -> None:
    def comparisons(size: int) -> int:
        Word.compared = 0
        allies = tuple(Word(name) for name in ("FRA", "GER") for _ in range(size))
        examine(v.Propose(v.Alliance(allies, tuple(Word(name) for name in ("ENG", "ITA") for _ in range(size)))))
        return Word.compared

    assert comparisons(200) <= 2.2 * comparisons(100)
