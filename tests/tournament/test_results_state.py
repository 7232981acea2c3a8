"""The state of results: only complete blocks count, in the order of the schedule, whatever comes in whatever order."""

from __future__ import annotations

import random

import pytest

from parlour.errors import ConfigError, RecordError
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import standings
from parlour.tournament.results import MatchPlayed, SeatResult, void
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from support.tournament.plans import plan_of, played_out, result_of


@pytest.mark.parametrize("form", ["round-robin", "population", "gauntlet", "1v1"])
def test_results_in_any_order_give_the_same_table(form: str) -> None:
    plan = plan_of(["random", "greedy", "lookahead1"], form)
    expected = as_json(standings(played_out(ResultsState(plan))))
    for seed in range(5):
        series = ResultsState(plan)
        sittings = list(series.wanted())
        random.Random(seed).shuffle(sittings)
        for sitting in sittings:
            series.add(result_of(sitting))
        assert as_json(standings(series)) == expected


def test_only_complete_blocks_count_from_the_first_on() -> None:
    series = ResultsState(plan_of(["random", "greedy"]))
    sittings = list(series.wanted())
    assert len(sittings) == 5 * 4
    for sitting in sittings[4:]:
        assert series.add(result_of(sitting)) == 0
    assert (series.counted, series.finished) == (0, 16)
    assert [sitting.number for sitting in series.wanted()] == [0, 1, 2, 3]
    for sitting in sittings[:3]:
        series.add(result_of(sitting))
    assert standings(series).matches == 0
    assert series.add(result_of(sittings[3])) == 5
    assert series.over
    assert standings(series).matches == 20


def test_a_rule_to_stop_sees_blocks_in_order_and_later_ones_do_not_count() -> None:
    plan = plan_of(["random", "greedy"], stop="random > greedy by 0.1", blocks=60)
    strength = {"random": 2.0}
    forwards, backwards = ResultsState(plan), ResultsState(plan)
    sittings = list(forwards.wanted())
    for sitting in sittings:
        forwards.add(result_of(sitting, strength))
    for sitting in reversed(sittings):
        backwards.add(result_of(sitting, strength))
    assert forwards.stopped
    assert 20 <= forwards.counted < 60
    assert as_json(standings(forwards)) == as_json(standings(backwards))
    assert standings(forwards).verdict.startswith("random is better than greedy")
    assert list(forwards.wanted()) == []


def test_a_result_that_differs_the_second_time_is_reported() -> None:
    series = ResultsState(plan_of(["random", "greedy"]))
    first, *_ = series.wanted()
    series.add(result_of(first))
    series.add(result_of(first))
    assert series.differing == []
    series.add(result_of(first, seed=1))
    assert series.differing == [first.number]


def test_a_rule_to_stop_leaves_out_a_block_with_a_void_match() -> None:
    series = ResultsState(plan_of(["random", "greedy"], stop="random > greedy by 0.1", blocks=3))
    for sitting in list(series.wanted()):
        series.add(void(sitting, "its process died") if sitting.number == 5 else result_of(sitting))
    assert series.evidence is not None
    assert (series.counted, series.evidence.blocks) == (3, 2)


def test_a_block_with_a_void_match_is_complete_but_proves_nothing() -> None:
    series = ResultsState(plan_of(["random", "greedy"], blocks=3))
    for sitting in list(series.wanted()):
        series.add(void(sitting, "its process died") if sitting.number == 5 else result_of(sitting))
    table = standings(series)
    assert (table.blocks, table.matches, table.void) == (3, 12, 1)
    for line in table.lines:
        assert (line.played, line.void) == (11, 1)
        assert line.score is not None
        assert line.score.blocks == 2


def test_a_result_of_another_plan_is_refused() -> None:
    series = ResultsState(plan_of(["random", "greedy"]))
    sittings = list(series.wanted())[:4]
    for sitting in sittings[:3]:
        series.add(result_of(sitting))
    other = Sitting(3, 0, 0, ("greedy", "greedy"), sittings[3].seed)
    with pytest.raises(RecordError, match="is not the one of the plan"):
        series.add(result_of(other))


@pytest.mark.parametrize(("agents", "seats", "size"), [(2, 2, 4), (3, 2, 12), (3, 3, 12), (4, 4, 48), (5, 4, 240)])
def test_a_block_of_a_round_robin_balances_seats_and_opponents(agents: int, seats: int, size: int) -> None:
    series = ResultsState(plan_of(["random"] * agents, seats=seats, blocks=1))
    sittings = list(series.wanted())
    assert len(sittings) == size
    for seat in range(seats):
        counts = [sum(sitting.players[seat] == name for sitting in sittings) for name in series.plan.names]
        assert len(set(counts)) == 1
    assert len({sitting.seed for sitting in sittings}) == 1
    assert {sitting.variant for sitting in sittings} == {0, 1}


@pytest.mark.parametrize("agents", [1, 2, 3, 7, 9])
def test_everybody_of_a_population_sits_on_every_seat_as_often(agents: int) -> None:
    series = ResultsState(plan_of(["random"] * agents, "population", game="diplomacy", blocks=2))
    for block in range(2):
        sittings = [sitting for sitting in series.wanted() if sitting.block == block]
        assert len(sittings) == agents
        for seat in range(7):
            assert sorted(sitting.players[seat] for sitting in sittings) == sorted(series.plan.names)
        if agents >= 7:
            assert all(len(set(sitting.players)) == 7 for sitting in sittings)
    first, second = ({s.players for s in series.wanted() if s.block == block} for block in range(2))
    assert agents < 3 or first != second


def test_one_against_six_and_six_against_one() -> None:
    for form, alone in (("1v6", "random"), ("6v1", "greedy")):
        series = ResultsState(plan_of(["random", "greedy"], form, game="diplomacy", blocks=1))
        sittings = list(series.wanted())
        assert [sitting.players.index(alone) for sitting in sittings] == list(range(7))
        assert all(sitting.players.count(alone) == 1 for sitting in sittings)


def test_a_round_robin_of_diplomacy_is_everyone_against_six_of_everyone() -> None:
    series = ResultsState(plan_of(["random", "greedy", "random"], game="diplomacy", blocks=1))
    assert len(list(series.wanted())) == 6 * 7


def test_a_knock_out_ends_with_the_strongest() -> None:
    strength = {f"random#{number}": float(number) for number in range(2, 10)}
    series = played_out(ResultsState(plan_of(["random"] * 9, "knock-out", blocks=50)), strength)
    table = standings(series)
    assert table.winners == ["random#9"]
    assert 2 <= table.blocks <= 4
    two = played_out(ResultsState(plan_of(["random"] * 5, "knock-out", seats=2, blocks=50)), {"random#4": 5.0})
    assert standings(two).winners == ["random#4"]


def test_a_knock_out_of_equals_ends() -> None:
    series = ResultsState(plan_of(["random"] * 6, "knock-out", blocks=50))
    rounds = 0
    while not series.over:
        rounds += 1
        for sitting in list(series.wanted()):
            drawn = tuple(SeatResult(player, 0, {"win share": 0.5, "margin": 0.0}) for player in sitting.players)
            series.add(MatchPlayed(number=sitting.number, block=sitting.block, table=sitting.table, seed=sitting.seed,
                                   seats=drawn))  # fmt: skip
    assert rounds < 5
    assert len(standings(series).winners) == 6


def test_swiss_pairs_those_who_score_alike_and_nobody_twice() -> None:
    series = ResultsState(plan_of(["random"] * 8, "swiss", blocks=50))
    played_out(series, {f"random#{number}": float(number) for number in range(2, 9)})
    assert series.counted == 3
    met = [frozenset(sitting.players) for sitting in (series.sitting(n) for n in range(series.finished))]
    assert len(set(met)) == 12
    assert standings(series).winners == ["random#8"]
    odd = played_out(ResultsState(plan_of(["random"] * 5, "swiss")))
    assert {line.played for line in standings(odd).lines} <= {8, 12}


def test_who_wins_climbs_the_ladder() -> None:
    series = played_out(ResultsState(plan_of(["random"] * 4, "ladder", blocks=8)), {"random#4": 3.0, "random#3": 1.5})
    assert [line.name for line in standings(series).lines][:2] == ["random#4", "random#3"]


def test_how_many_matches_there_are_is_known_before_the_first_unless_results_decide_it() -> None:
    assert ResultsState(plan_of(["random", "greedy"], blocks=3)).expected() == 3 * 4
    assert ResultsState(plan_of(["random", "greedy", "lookahead1"], "swiss")).expected() is None


def test_rounds_wait_for_the_one_before() -> None:
    series = ResultsState(plan_of(["random"] * 4, "swiss"))
    assert len(list(series.wanted())) == 2 * 4
    assert series.expected() is None


@pytest.mark.parametrize(
    ("agents", "form", "message"),
    [
        (1, "round-robin", "at least 2 agents"),
        (1, "gauntlet", "at least 2 agents"),
        (1, "1v1", "at least 2 agents"),
        (60, "round-robin", "more than"),
    ],
)
def test_fields_that_are_too_small_or_too_large(agents: int, form: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        plan_of(["random"] * agents, form, seats=4 if agents == 60 else None)
