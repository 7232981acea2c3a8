"""Tables of tournaments of every format from fixed seeds: none changes, whatever is rebuilt around them."""

from __future__ import annotations

import hashlib

import msgspec
import pytest

from parlour.core.game import Plain
from parlour.core.terms import Terms
from parlour.games import load_contest
from parlour.referee.conduct import preset
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.plan import Contender, Plan, named, seats_of
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import standings
from parlour.tournament.results_state import ResultsState

SMALL: dict[str, Plain] = {"rows": 4, "cols": 4}
CASES: dict[tuple[str, str, int], str] = {
    ("fish", "round-robin", 1): "df4736b568182d15",
    ("fish", "population", 2): "af5889f61fb1d14a",
    ("fish", "gauntlet", 3): "29ea26ccf58caed1",
    ("fish", "swiss", 4): "150a5f095e855a8f",
    ("fish", "knock-out", 5): "d4c728d6842313d0",
    ("fish", "ladder", 6): "9a5c113280b50282",
    ("fish", "1v1", 7): "4ca0062e0e031de7",
    ("diplomacy", "1v6", 8): "33d5c4512c4c9786",
}


def digest(game: str, form: str, seed: int) -> str:
    """Return all that a tournament's table and its results say, but for how long anything took."""
    agents = ("greedy", "random", "lookahead1", "random") if game == "fish" else ("hold", "random")
    contenders = tuple(Contender(name, agent) for name, agent in named(agents))
    config: dict[str, Plain] = SMALL if game == "fish" else {"years": 1}
    contest = load_contest(game)
    plan = Plan(
        tournament="golden",
        game=game,
        config=config,
        terms=Terms(preset("strict" if game == "fish" else "diplomacy")),
        format=form,
        seats=seats_of(game, config, form, None),
        contenders=contenders,
        blocks=2,
        seed=seed,
        score=contest.scores[0],
        anchor=contenders[-1].name,
        records=True,
    )
    plan.check()
    series = ResultsState(plan)
    found = hashlib.sha256()
    while not series.over:
        for sitting in list(series.wanted()):
            delivery = play_sitting(plan, sitting)
            found.update(msgspec.json.encode(delivery.played.timeless()))
            found.update(b"\n".join(delivery.record))
            series.add(delivery.played)
    found.update(as_json(standings(series)))
    return found.hexdigest()[:16]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map(str, case)))
def test_a_tournament_from_a_seed_has_the_same_table_as_ever(case: tuple[str, str, int]) -> None:
    assert digest(*case) == CASES[case]
