"""The search agent: legal and repeatable, within its budget, sees what can be taken, and learns who plays how."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy import budget as budgets
from parlour.agents.diplomacy.ascent import Ascent, Effort, halved
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import HOLD
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.opponent_sampler import OpponentSampler
from parlour.agents.diplomacy.opponents import Manner
from parlour.agents.diplomacy.search import PACE, Search, SearchOptions
from parlour.agents.diplomacy.trials import Trials
from parlour.core import events as ev
from parlour.core.game import Plain, Seat, View
from parlour.errors import ConfigError
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.testing import check_player, observed
from support.diplomacy.orders import choices_of, study_of, texts_of
from support.press.stories import at

FRANCE = Seat("FRANCE")


def orders(position: Position, seat: str, spec: str = "search:budget=400", seed: int = 1) -> list[str]:
    found = make_agent("diplomacy", spec, seed).act(View(Seat(seat), position, 0))
    assert isinstance(found, list)
    return sorted(found)


@pytest.mark.parametrize(
    "spec",
    [
        "search1",
        "search60",
        "search:budget=60,mixture=off",
        "search:budget=60,ascent=off",
        "search:budget=60,repair=off",
    ],
)
def test_plays_without_a_foul(spec: str) -> None:
    check_player(Diplomacy(), lambda: make_agent("diplomacy", spec, 1), {"last_year": 1902}, matches=1)


def test_plays_variants() -> None:
    position = Position.start(named("lagoon"))
    for _ in range(6):
        actions = {seat: orders(position, seat, "search:budget=100") for seat in position.to_act()}
        assert not any(position.check(seat, action) for seat, action in actions.items())
        position, _ = position.apply(actions)


def test_the_same_seed_thinks_the_same() -> None:
    position = Position.start()
    assert orders(position, "RUSSIA") == orders(position, "RUSSIA")
    found = {tuple(orders(position, "RUSSIA", seed=seed)) for seed in range(6)}
    assert len(found) > 1


@pytest.mark.parametrize("budget", [200, 2000])
def test_the_budget_is_kept(budget: int) -> None:
    search = Search(3, SearchOptions(budget=budget))
    position = at("F1903M", *_crowded())
    search.choose(position, 2)
    assert search.rolled <= 1.5 * budget + 100


def _crowded() -> tuple[str, str]:
    units = "FRA=ABUR,APIC,AMAR,AGAS,FMAO,FENG;GER=AMUN,ARUH,FHOL,ABEL,FKIE;ENG=FLON,FNTH,AYOR,FIRI;ITA=APIE,ATYR"
    return units, "FRA=PAR,MAR,BRE,SPA,POR,NWY;GER=MUN,BEL,BER,KIE,HOL;ENG=LON,EDI,LVP,DEN;ITA=VEN,ROM"


@pytest.mark.parametrize("seconds", [0.01, 0.5])
def test_seconds_are_worth_as_many_rollouts_as_fit_into_them(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that counts rollouts it thinks as it does to a budget of so many."""
    timed, counted = Search(3, SearchOptions(seconds=seconds)), Search(3, SearchOptions(budget=round(PACE * seconds)))
    position = at("F1903M", *_crowded())
    chosen = counted.choose(position, 2)
    monkeypatch.setattr(budgets, "time", SimpleNamespace(perf_counter=lambda: timed.rolled / PACE))
    assert timed.choose(position, 2) == chosen
    assert timed.rolled == counted.rolled > 0.9 * PACE * seconds


def test_takes_what_is_free_and_keeps_what_is_threatened() -> None:
    autumn = at("F1901M", "FRA=AGAS,ABUR;GER=AMUN", "FRA=PAR,MAR,BRE;GER=MUN,BER")
    assert "A GAS - SPA" in orders(autumn, "FRANCE")


def test_climbs_to_the_supported_attack() -> None:
    autumn = at("F1902M", "FRA=ABUR,ARUH;GER=AMUN", "FRA=PAR,MAR,BEL,HOL,KIE;GER=MUN")
    study, budget = study_of(autumn), RolloutBudget(None, None)
    everybody_holds = np.zeros((8, ROOM), np.int32)
    trials = Trials(study.desk, 2, study.units(2), everybody_holds, study.seeds(8), 0, budget)
    ascent = Ascent(trials, choices_of(study, "FRANCE"), frozenset(), (), Effort(2, 4, 3), study.rng)
    found = texts_of(study, "FRANCE", ascent.climb((HOLD, HOLD), budget, 1.0))
    assert found in (["A BUR - MUN", "A RUH S A BUR - MUN"], ["A BUR S A RUH - MUN", "A RUH - MUN"])


def test_finds_the_convoy() -> None:
    autumn = at("F1902M", "ENG=AYOR,FNTH;FRA=APAR", "ENG=LON,EDI,LVP;FRA=PAR,BRE,MAR,BEL,HOL")
    assert "A YOR - " in " ".join(orders(autumn, "ENGLAND", "search:budget=1500"))
    assert any(order.startswith("F NTH C A YOR") for order in orders(autumn, "ENGLAND", "search:budget=1500"))


def test_stops_whoever_would_win_this_turn() -> None:
    homes = "PAR,MAR,BRE,SPA,POR,BEL,HOL,LON,LVP,EDI,NWY,SWE,DEN,KIE,BER,MUN,ROM"
    position = at("F1910M", "FRA=AROM,FTYS;ITA=AAPU,ANAP", f"FRA={homes};ITA=NAP,VEN")
    found = " ".join(orders(position, "ITALY"))
    assert "A APU S A NAP" in found or "- ROM" in found


def test_far_better_than_dumbbot_in_few_years() -> None:
    position = Position.start(last_year=1906)
    players = {seat: make_agent("diplomacy", "dumbbot", number) for number, seat in enumerate(position.alive())}
    players[FRANCE] = make_agent("diplomacy", "search:budget=300", 1)
    while not position.over and position.to_act():
        actions = {seat: players[seat].act(View(seat, position, 0)) for seat in position.to_act()}
        position, _ = position.apply(actions)
    assert len(position.centers[FRANCE]) == max(map(len, position.centers.values()))


def test_halving_gives_the_most_samples_to_the_best() -> None:
    study, budget = study_of(Position.start()), RolloutBudget(None, None)
    seeds = study.seeds(16)
    trials = Trials(study.desk, 5, study.units(5), study.drawn(seeds), seeds, 1, budget)
    sets = study.sets(study.drawn(study.seeds(40)), 5)[:8]
    ranked = halved(trials, sets, 4, budget)
    assert sorted(ranked) == sorted(sets)
    assert budget.spent == 8 * 4 + 4 * 4 + 2 * 8
    means = trials.means(ranked[:2], 16)
    assert means[0] >= means[1]


def test_learns_that_somebody_always_holds() -> None:
    crowd, budget = OpponentSampler(mixture=True), RolloutBudget(400, None)
    position = Position.start()
    for number in range(6):
        study = study_of(position, number)
        seeds = study.seeds(16)
        samples = crowd.samples(study, 2, study.drawn(seeds), seeds, budget)
        texts: dict[str, Plain] = {"GERMANY": position.default(Seat("GERMANY"))}
        crowd.learn(texts)
        position = Position.start()
    weights = crowd.opponent(3).weights()
    assert max(weights, key=weights.__getitem__) is Manner.HOLDS
    germans = samples[:, list(study.units(3))]
    assert (germans == 3).mean() > 0.7


def test_without_mixture_all_are_dumbbots() -> None:
    crowd, study = OpponentSampler(mixture=False), study_of(Position.start())
    seeds = study.seeds(4)
    drawn = study.drawn(seeds)
    assert crowd.samples(study, 2, drawn, seeds, RolloutBudget(100, None)) is drawn
    crowd.learn({"GERMANY": []})


def test_what_is_told_is_learnt() -> None:
    search = Search(1, SearchOptions(budget=200))
    position = Position.start()
    before = search.manners(3)
    for turn in range(4):
        search.choose(position, 2)
        search.on_event(
            observed(
                ev.TurnEnded(at=0.0, turn=turn, actions={"GERMANY": position.default(Seat("GERMANY"))}, happened={})
            )
        )
    assert search.manners(3)[Manner.HOLDS] > 2 * before[Manner.HOLDS]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search:budget=0", "agent: search:budget: expected a whole number from 1 to 100000000 (rollouts per"),
        ("search:budget=-5", "got '-5'"),
        ("search:seconds=0", "agent: search:seconds: expected a number above 0 up to 86400"),
        ("search:depth=3", "agent: search has no option 'depth', expected budget, seconds, ascent, repair"),
        ("search0", "agent: search takes a number from 1 to 100000000 (rollouts per decision)"),
    ],
)
def test_budgets_and_options_that_cannot_be(spec: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_agent("diplomacy", spec, 0)
    assert message in str(caught.value)


def test_choices_scale_with_the_budget() -> None:
    position = Position.start()
    few, many = Search(1, SearchOptions(budget=100)), Search(1, SearchOptions(budget=3000))
    few.choose(position, 5)
    many.choose(position, 5)
    assert many.rolled > 3 * few.rolled > 0
