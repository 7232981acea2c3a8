"""Points for the four scoring systems, worked by hand."""

from __future__ import annotations

import pytest

from parlour.core.game import Seat
from parlour.errors import ConfigError
from parlour.games.diplomacy.scoring import Scoring, points, read_scoring, scored

A, B, C, D = (Seat(name) for name in "ABCD")
CENTRES = {A: 10, B: 5, C: 5, D: 0}


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (Scoring.SOLO, [0, 0, 0, 0]),
        (Scoring.DRAW_SIZE, [1 / 3, 1 / 3, 1 / 3, 0]),
        (Scoring.SUM_OF_SQUARES, [100 / 150, 25 / 150, 25 / 150, 0]),
        (Scoring.CENTRE_SHARE, [0.5, 0.25, 0.25, 0]),
    ],
)
def test_a_draw_by_each_system(system: Scoring, expected: list[float]) -> None:
    assert list(points(system, CENTRES, [A, B, C]).values()) == pytest.approx(expected)


@pytest.mark.parametrize("system", Scoring)
def test_a_solo_takes_all(system: Scoring) -> None:
    outcome = scored(system, {A: 18, B: 10, C: 6, D: 0}, (), "solo", A)
    assert outcome.scores == {"A": 1.0, "B": 0.0, "C": 0.0, "D": 0.0}
    assert outcome.places == (("A",), ("B",), ("C",), ("D",))


def test_equal_shares_share_a_place_and_the_rest_is_ranked_by_centres() -> None:
    outcome = scored(Scoring.DRAW_SIZE, {A: 3, B: 9, C: 5, D: 0}, [A, B], "draw")
    assert outcome.places == (("A", "B"), ("C",), ("D",))


def test_nobody_with_a_centre_gets_nothing() -> None:
    assert points(Scoring.SUM_OF_SQUARES, {A: 0, B: 0}, [A, B]) == {A: 0.0, B: 0.0}


@pytest.mark.parametrize("name", ["draw size", "draw-size", "DRAW_SIZE"])
def test_names_are_read_with_any_separator(name: str) -> None:
    assert read_scoring(name) is Scoring.DRAW_SIZE
    assert read_scoring("center-share") is Scoring.CENTRE_SHARE


@pytest.mark.parametrize("name", ["", "foo", None, 3, []])
def test_an_unknown_system_is_refused_by_field(name: object) -> None:
    with pytest.raises(ConfigError, match="scoring: expected one of solo") as caught:
        read_scoring(name)
    assert caught.value.field == "scoring"
