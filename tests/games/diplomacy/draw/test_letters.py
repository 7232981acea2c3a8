"""Widths of words: those that a browser measures in DejaVu Serif, bold, and a little more."""

from __future__ import annotations

import pytest

from parlour.games.diplomacy.draw.letters import width_of


@pytest.mark.parametrize(
    ("text", "measured"), [("MUN", 2.9), ("Liverpool", 5.25), ("St Petersburg", 7.74), ("Tyrrhenian Sea", 8.47)]
)
def test_words_have_at_least_the_measured_width(text: str, measured: float) -> None:
    assert measured <= width_of(text) <= 1.07 * measured


def test_accents_take_no_room_and_unknown_letters_are_as_wide_as_high() -> None:
    assert width_of("Åland") == width_of("Aland")
    assert width_of("東京") == 2
