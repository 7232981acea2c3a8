"""Tables of tournaments: bars on one scale, gauges, names that fit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from parlour.cli.display.event_lines import shortened
from parlour.cli.display.standings import (
    GAUGE,
    WIDTH,
    bars,
    columns,
    differences,
    duration,
    fitting,
    gauge,
    notes,
    rated,
)
from parlour.tournament.reports.standings import Standings, standings
from parlour.tournament.results_state import ResultsState
from parlour.tournament.statistics.comparisons import PairedDifference
from parlour.tournament.statistics.ratings import Rating
from support.tournament.plans import plan_of, played_out


def test_bars_of_all_agents_have_one_scale() -> None:
    table = standings(played_out(ResultsState(plan_of(["random", "greedy"])), {"greedy": 9.0}))
    best, worst = table.lines
    assert (bars(best, 0.0, 1.0), bars(worst, 0.0, 1.0)) == ("██", "▁▁")
    empty = standings(ResultsState(plan_of(["random", "greedy"])))
    assert bars(empty.lines[0], 0.0, 0.0) == "··"


def test_a_gauge_points_at_the_answer() -> None:
    assert gauge(-1.0).startswith("no [●")
    assert gauge(1.0).endswith("●] yes")
    assert len(gauge(0.0)) == GAUGE + 10


def test_names_are_shortened_in_the_middle() -> None:
    name = "bots/" + "x" * 80 + "/mine.py:Bot"
    assert len(shortened(name, WIDTH)) == WIDTH
    assert shortened(name, WIDTH).endswith("mine.py:Bot")
    assert shortened("greedy") == "greedy"


def test_ratings_have_a_sign_and_a_nought_has_no_minus() -> None:
    assert [rated(Rating(points, 12.3), False) for points in (45.2, -0.3, -45.2)] == ["+45 ± 12", "+0 ± 12", "-45 ± 12"]
    assert rated(Rating(0.0, 0.0), True) == "0"


def test_durations() -> None:
    assert [duration(seconds) for seconds in (5, 200, 9000)] == ["5 s", "3 min", "2.5 h"]


def test_a_narrow_terminal_does_without_what_can_best_be_spared() -> None:
    rows = [
        ["", "agent", "score", "rating", "seats", "played", "foul", "void", "time/move"],
        ["1", "lookahead2", "0.969 ± 0.397", "+377 ± 399", "██", "16", "0", "0", "16 µs"],
    ]
    assert fitting(rows, 80) == rows
    assert fitting(rows, 60)[0] == ["", "agent", "score", "rating", "played", "foul"]
    assert fitting(rows, 45)[1] == ["1", "lookahead2", "0.969 ± 0.397", "+377 ± 399"]
    assert fitting(rows, 10)[0] == ["", "agent", "score", "rating"]


def test_columns_and_what_is_said_below() -> None:
    assert columns([["", "agent", "score"], ["1", "a", "0.5"]]) == "   agent  score\n1  a        0.5"
    table = standings(played_out(ResultsState(plan_of(["random", "greedy"], blocks=1))))
    above, difference = notes(table)
    assert above.startswith("1 of 1 blocks, 4 matches; score: win share")
    assert difference == "greedy over random: 0.500 a match in 1 block"


def paired(*differences: PairedDifference) -> Standings:
    lines = [SimpleNamespace(name=name) for name in ("new", "old")]
    return cast("Standings", SimpleNamespace(lines=lines, differences=differences))


def test_below_the_table_is_said_how_much_better_one_is_than_another() -> None:
    assert differences(paired(PairedDifference("old", "new", -0.05, 0.02, 0.001, 0.002, 30))) == [
        "new over old: 0.050 ± 0.020 a match in 30 blocks, p 0.002"
    ]
    assert differences(paired(PairedDifference("old", "new", 0.5, None, None, None, 2))) == [
        "old over new: 0.500 a match in 2 blocks"
    ], "no spread is no certainty"
    assert differences(paired(PairedDifference("old", "new", 0.5, None, None, None, 1))) == [
        "old over new: 0.500 a match in 1 block"
    ]
