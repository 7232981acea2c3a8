"""Tables of tournaments for programs: the same numbers everywhere, and empty where nothing is known."""

from __future__ import annotations

import csv
import io
import json

import msgspec

from parlour.tournament.reports.sheets import as_csv, as_json, as_plain
from parlour.tournament.reports.standings import standings
from parlour.tournament.results import Kept
from parlour.tournament.results_state import ResultsState
from parlour.tournament.statistics.means import Estimate
from parlour.tournament.statistics.ratings import Rating
from support.tournament.plans import plan_of, played_out

TABLE = standings(played_out(ResultsState(plan_of(["random", "greedy"], blocks=2)), {"greedy": 9.0}))
BEST = msgspec.structs.replace(
    TABLE.lines[0],
    score=Estimate(2 / 3, 0.1, 0.2),
    seats={"red": Estimate(0.5), "white": None},
    rating=Rating(-0.0, 1 / 3),
    rating_played=Rating(7.0, 0.0),
    moved=-1,
    played=8,
    lost_by_foul=3,
    void=2,
    fouls=4,
    press=Kept(kept=5, broken=6, stabs=7, messages=9),
)


def test_each_agent_has_a_row_and_each_number_its_column() -> None:
    other = msgspec.structs.replace(TABLE.lines[1], score=Estimate(0.25), press=None)
    rows = list(csv.DictReader(io.StringIO(as_csv(msgspec.structs.replace(TABLE, lines=(BEST, other))))))
    assert rows[0] == {
        "place": "1", "name": "greedy", "agent": "greedy", "score": "0.666666667", "score_half": "0.2",
        "rating": "0.0", "rating_half": "0.333333333", "rating_played": "7.0", "moved": "-1", "played": "8",
        "lost_by_foul": "3", "void": "2", "fouls": "4", "score_red": "0.5", "score_white": "",
        "kept": "5", "broken": "6", "stabs": "7",
    }  # fmt: skip
    assert (rows[1]["place"], rows[1]["name"], rows[1]["score_half"]) == ("2", "random", "")
    assert (rows[1]["kept"], rows[1]["broken"], rows[1]["stabs"]) == ("", "", "")


def test_who_never_played_has_no_score() -> None:
    unknown = msgspec.structs.replace(BEST, score=None)
    (row,) = csv.DictReader(io.StringIO(as_csv(msgspec.structs.replace(TABLE, lines=(unknown,)))))
    assert (row["score"], row["score_half"]) == ("", "")
    assert as_csv(msgspec.structs.replace(TABLE, lines=())).startswith("place,name,agent,")


def test_two_runs_of_one_plan_give_the_same_object() -> None:
    again = msgspec.structs.replace(TABLE, tournament="another", spread=TABLE.spread + 1e-12)
    assert as_json(again) == as_json(TABLE)
    assert json.loads(as_json(TABLE)) == as_plain(TABLE)
    assert "tournament" not in as_plain(TABLE)
    assert as_plain(TABLE)["winners"] == ["greedy"]


def test_numbers_are_rounded_however_deep_they_are() -> None:
    table = msgspec.structs.replace(TABLE, lines=(BEST,), differences=())
    (line,) = as_plain(table)["lines"]
    assert line["score"]["mean"] == 0.666666667
    assert str(line["rating"]["points"]) == "0.0", "no negative zero"
