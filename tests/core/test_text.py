"""Text from outside and for people: what cannot be printed, and what a mistyped word probably was."""

from __future__ import annotations

import pytest

from parlour.core.text import hint, printable


def test_what_cannot_be_printed_becomes_a_question_mark_and_length_is_bounded() -> None:
    assert printable("a\x1b[31mb\n") == "a?[31mb?"
    assert printable("x" * 1000, 10) == "x" * 10


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("stong", "; did you mean strong?"),
        ("STRONG", "; did you mean strong?"),
        ("gredy", "; did you mean Greedy?"),
        ("xyzzy", ""),
        ("", ""),
    ],
)
def test_the_nearest_word_is_suggested_whatever_its_case(word: str, meant: str) -> None:
    assert hint(word, ["strong", "Greedy", "random"]) == meant
