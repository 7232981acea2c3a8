"""The table of a series: what it says of each, and of each against each."""

from __future__ import annotations

import msgspec
import pytest

from parlour.tournament.blocks import Sitting
from parlour.tournament.results import MatchPlayed, SeatResult
from parlour.tournament.series import Series
from parlour.tournament.standings import standings
from tournament.test_series import plan_of, played_out


def test_the_score_against_another_is_the_mean_of_the_matches_with_that_one() -> None:
    series = Series(plan_of(["random", "greedy", "lookahead1"], seats=2, blocks=2))
    table = standings(played_out(series, {"random": 20.0, "greedy": 10.0}))
    assert table.against == {
        "random": {"greedy": 1.0, "lookahead1": 1.0},
        "greedy": {"random": 0.0, "lookahead1": 1.0},
        "lookahead1": {"random": 0.0, "greedy": 0.0},
    }
    assert [line.name for line in table.lines] == ["random", "greedy", "lookahead1"]


def test_whoever_never_met_has_no_score_against_the_other() -> None:
    series = Series(plan_of(["random", "greedy", "lookahead1"], "gauntlet", seats=2, blocks=2))
    table = standings(played_out(series))
    assert {name: sorted(others) for name, others in table.against.items()} == {
        "random": ["greedy", "lookahead1"],
        "greedy": ["random"],
        "lookahead1": ["random"],
    }


def _rarely_but_by_far(sitting: Sitting) -> MatchPlayed:
    """Random wins every fourth match by a hundred, and greedy the others by one."""
    first = "greedy" if sitting.number % 4 else "random"
    margin = {"greedy": 1.0, "random": 100.0}[first]
    seats = (
        SeatResult(
            player, int(player != first), {"win share": float(player == first), "margin": margin * (player == first)}
        )
        for player in sitting.players
    )
    return MatchPlayed(
        number=sitting.number, block=sitting.block, table=sitting.table, seed=sitting.seed, seats=tuple(seats)
    )


@pytest.mark.parametrize(("form", "first"), [("round-robin", "random"), ("gauntlet", "greedy")])
def test_places_are_by_score_where_all_met_the_same_others_and_by_rating_elsewhere(form: str, first: str) -> None:
    series = Series(msgspec.structs.replace(plan_of(["random", "greedy"], form, blocks=4), score="margin"))
    for sitting in list(series.wanted()):
        series.add(_rarely_but_by_far(sitting))
    table = standings(series)
    assert [line.place for line in table.lines] == [1, 2]
    assert table.winners == [first]
