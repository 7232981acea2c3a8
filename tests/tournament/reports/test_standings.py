"""The table of a series: what it says of each, and of each against each."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core.terms import PressMode, PressTerms
from parlour.tournament.reports.standings import standings
from parlour.tournament.results import Calls, Kept, MatchPlayed, SeatResult, void
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from support.tournament.plans import plan_of, played_out, result_of


def test_the_score_against_another_is_the_mean_of_the_matches_with_that_one() -> None:
    series = ResultsState(plan_of(["random", "greedy", "lookahead1"], seats=2, blocks=2))
    table = standings(played_out(series, {"random": 20.0, "greedy": 10.0}))
    assert table.against == {
        "random": {"greedy": 1.0, "lookahead1": 1.0},
        "greedy": {"random": 0.0, "lookahead1": 1.0},
        "lookahead1": {"random": 0.0, "greedy": 0.0},
    }
    assert [line.name for line in table.lines] == ["random", "greedy", "lookahead1"]
    assert {name: list(others) for name, others in table.better.items()} == {
        "random": ["greedy", "lookahead1"],
        "greedy": ["random", "lookahead1"],
        "lookahead1": ["random", "greedy"],
    }
    assert (
        table.better["random"]["lookahead1"] > table.better["random"]["greedy"] > 0.5 > table.better["greedy"]["random"]
    )


def test_whoever_never_met_has_no_score_against_the_other() -> None:
    series = ResultsState(plan_of(["random", "greedy", "lookahead1"], "gauntlet", seats=2, blocks=2))
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
    series = ResultsState(msgspec.structs.replace(plan_of(["random", "greedy"], form, blocks=4), score="margin"))
    for sitting in list(series.wanted()):
        series.add(_rarely_but_by_far(sitting))
    table = standings(series)
    assert [line.place for line in table.lines] == [1, 2]
    assert table.winners == [first]


def test_what_each_did_is_added_up_for_each_alone() -> None:
    plan = plan_of(["random", "greedy"], blocks=2)
    talking = msgspec.structs.replace(
        plan, terms=msgspec.structs.replace(plan.terms, press=PressTerms(PressMode.ANYTIME))
    )
    kept, calls = Kept(1, 2, 3, 4, 5, 6, 7), Calls(1, 2, 3, 4, 0.5, 6)
    for told, press in ((plan, None), (talking, Kept())):
        series = ResultsState(told)
        for sitting in list(series.wanted()):
            played = result_of(sitting)
            seats = [
                msgspec.structs.replace(seat, press=kept, calls=calls, fouls=2, lost_by="late")
                if seat.player == "greedy" and sitting.number % 4
                else seat
                for seat in played.seats
            ]
            series.add(msgspec.structs.replace(played, seats=tuple(seats)))
        lines = {line.name: line for line in standings(series).lines}
        assert (lines["random"].press, lines["random"].calls) == (press, None)
        assert lines["greedy"].press == (press and Kept(6, 12, 18, 24, 30, 36, 42))
        assert lines["greedy"].calls == Calls(6, 12, 18, 24, 3.0, 36)
        assert (lines["greedy"].played, lines["greedy"].fouls, lines["greedy"].lost_by_foul) == (8, 12, 6)
        assert (lines["random"].played, lines["random"].fouls, lines["random"].lost_by_foul) == (8, 0, 0)


def test_a_block_with_a_void_match_counts_for_nobodys_score() -> None:
    series = ResultsState(plan_of(["random", "greedy"], blocks=3))
    for sitting in list(series.wanted()):
        best = "random" if sitting.block == 1 else "greedy"
        played = result_of(sitting, {best: 5.0})
        series.add(void(sitting, "it died") if sitting.number == 5 else played)
    table = standings(series)
    lines = {line.name: line for line in table.lines}
    assert (table.matches, table.void, lines["greedy"].void, lines["random"].void) == (12, 1, 1, 1)
    assert lines["greedy"].score is not None
    assert (lines["greedy"].score.mean, lines["greedy"].score.blocks) == (1.0, 2)


def test_who_loses_by_fouls_alone_stands_higher_without_them_and_is_flagged() -> None:
    series = ResultsState(plan_of(["random", "greedy", "lookahead1"], seats=2, blocks=4))
    for sitting in list(series.wanted()):
        played = result_of(sitting, {"random": 20.0, "greedy": 10.0})
        if "random" in sitting.players and sitting.block:
            seats = tuple(
                msgspec.structs.replace(seat, place=1, lost_by="late")
                if seat.player == "random"
                else msgspec.structs.replace(seat, place=0)
                for seat in played.seats
            )
            played = msgspec.structs.replace(played, seats=seats)
        series.add(played)
    lines = {line.name: line for line in standings(series).lines}
    assert lines["random"].moved > 0
    assert sum(line.moved for line in lines.values()) == 0
    assert lines["random"].rating_played.points > lines["random"].rating.points
