"""Rollouts: the first phase as the rules play it, the rest as DumbBot would, with the same chance for everybody."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from parlour.agents.diplomacy.adjusting import adjust
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.kernel import rollouts
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.trials import Trials
from parlour.core.game import Seat
from parlour.core.kernels import is_compiled
from parlour.games.diplomacy.position import Position
from support.diplomacy.orders import set_of, study_of, texts_of
from support.press.stories import at
from support.processes.from_source import from_source


def matches(seed: int, phases: int) -> list[Position]:
    position, rng, found = Position.start(), random.Random(seed), []
    for _ in range(phases):
        found.append(position)
        position, _ = position.apply({seat: position.sample(seat, rng) for seat in position.to_act()})
    return found


def shares(position: Position) -> list[float]:
    squares = [len(own) ** 2 for own in position.centers.values()]
    return [square / sum(squares) for square in squares]


def test_the_first_phase_is_the_rules_own() -> None:
    rng = random.Random(1)
    for position in matches(2, 30):
        if position.stage != "orders" or not position.phase.startswith("F"):
            continue
        study, chosen = study_of(position), {seat: position.sample(seat, rng) for seat in position.to_act()}
        others = np.zeros((1, ROOM), np.int32)
        for seat, texts in chosen.items():
            others[0, list(study.units(position.power_of(seat)))] = set_of(study, seat, texts)
        power = position.power_of(position.to_act()[0])
        following = position.resolve(chosen)
        if following.stage == "retreats":
            continue
        values = np.empty((1, 1, 7))
        study.desk.roll_out(others.data, others.data, np.zeros(1, np.uint64).data, power, 0, values.data)
        assert values[0, 0].tolist() == pytest.approx(shares(following))


def test_orders_survive_translation() -> None:
    rng = random.Random(3)
    for position in matches(4, 12):
        if position.stage == "orders":
            study = study_of(position)
            for seat in position.to_act():
                texts = position.sample(seat, rng)
                assert texts_of(study, seat, set_of(study, seat, texts)) == sorted(texts)


def trials_of(study: Study, power: int, count: int, budget: RolloutBudget, seed: int = 0) -> Trials:
    seeds = np.random.default_rng(seed).integers(0, 1 << 63, count, np.uint64)
    return Trials(study.desk, power, study.units(power), study.drawn(seeds), seeds, study.depth, budget)


def test_nothing_is_rolled_twice_and_samples_are_common() -> None:
    study, budget = study_of(Position.start()), RolloutBudget(None, None)
    trials = trials_of(study, 2, 16, budget)
    sets = study.sets(study.drawn(study.seeds(16)), 2)[:3]
    first = trials.means(sets, 4)
    assert budget.spent == 4 * len(sets)
    assert trials.means(sets, 4) == first
    assert budget.spent == 4 * len(sets)
    trials.means(sets[:1], 8)
    assert budget.spent == 4 * len(sets) + 4
    assert trials.means(sets[:1] * 2, 99) == trials.means(sets[:1], 16) * 2
    before = study.desk.rolled
    trials.means(sets[:1], 8)
    assert study.desk.rolled == before
    assert trials_of(study, 2, 16, budget).means(sets, 4) == first
    assert trials_of(study, 2, 16, budget, seed=5).means(sets, 4) != first


def test_a_budget_is_spent_by_rollouts_or_by_time() -> None:
    budget = RolloutBudget(10, 3600.0)
    budget.spend(5)
    assert 0.5 <= budget.used() < 0.6
    assert RolloutBudget(None, 1e-9).used() > 1
    assert RolloutBudget(None, None).used() == 0


def test_only_moves_of_others_that_most_samples_have_are_likely() -> None:
    study = study_of(Position.start())
    samples = np.zeros((4, ROOM), np.int32)
    place = study.units(3)[0]
    samples[:, place] = [4 | 7 << 8, 4 | 7 << 8, 4 | 8 << 8, 3]
    assert study.likely(samples, 2) == {(place, 4 | 7 << 8)}
    samples[:, place] = [4 | 7 << 8, 4 | 6 << 8, 4 | 8 << 8, 3]
    assert study.likely(samples, 2) == frozenset()


def test_who_is_idle_holds_in_rollouts() -> None:
    position = at("S1902M", "FRA=ABUR;GER=AMUN,ARUH", "FRA=PAR,MAR;GER=MUN,BEL,BER")
    study = study_of(position)
    waiting = set_of(study, "FRANCE", ["A BUR - PAR"])
    germans = np.zeros((16, ROOM), np.int32)
    seeds = np.arange(16, dtype=np.uint64)
    outcome = []
    for idle in (0, 100):
        study.desk.set_idle(np.full(7, idle, np.int32).data)
        trials = Trials(study.desk, 2, study.units(2), germans, seeds, 1, RolloutBudget(None, None))
        outcome.append(trials.means([waiting], 16)[0])
    assert outcome[1] == pytest.approx(4 / 13)
    assert outcome[0] != outcome[1]


def test_a_solo_is_worth_all() -> None:
    homes = "PAR,MAR,BRE,SPA,POR,BEL,HOL,LON,LVP,EDI,NWY,SWE,DEN,KIE,BER,MUN,ROM"
    position = at("F1910M", "FRA=AROM;ITA=AAPU", f"FRA={homes};ITA=NAP,VEN")
    study = study_of(position)
    trials = trials_of(study, 2, 8, RolloutBudget(None, None))
    values = trials.roll([set_of(study, "FRANCE", ["A ROM - NAP"])], 0, 8)
    assert values[0, :, 2].max() == 1.0
    assert values[0, :, 4].min() == 0.0


def beaten() -> Position:
    before = at("S1902M", "FRA=ABUR;GER=AMUN,ARUH", "FRA=MAR,PAR;GER=MUN,BEL")
    return before.resolve({"GERMANY": ["A MUN - BUR", "A RUH S A MUN - BUR"]})


@pytest.mark.parametrize(
    ("position", "seat", "expected"),
    [
        # Out of Burgundy to where an own centre is saved, rather than to Gascony or nowhere.
        (beaten(), "FRANCE", " R "),
        (at("W1901A", "FRA=APAR", "FRA=PAR,BRE;GER=MUN"), "FRANCE", ""),
        (
            at("W1905A", "FRA=APAR,ASYR;TUR=AANK,ASMY,ACON,AARM", "FRA=PAR;TUR=ANK,SMY,CON,SEV"),
            "FRANCE",
            " D",
        ),
    ],
)
def test_retreats_builds_and_removals_are_searched(position: Position, seat: str, expected: str) -> None:
    study = study_of(position)
    chosen = adjust(study, position.power_of(Seat(seat)), RolloutBudget(2000, None))
    texts = [str(position.order_of(action)) for action in chosen]
    assert not position.check(Seat(seat), texts)
    assert len(texts) == 1
    assert expected in texts[0]


def test_all_adjustments_of_a_match_are_legal_and_complete() -> None:
    seen = 0
    for position in matches(6, 60):
        if position.stage == "orders":
            continue
        study = study_of(position)
        for seat in position.to_act():
            chosen = adjust(study, position.power_of(seat), RolloutBudget(60, None))
            texts = [str(position.order_of(action)) for action in chosen]
            assert not position.check(seat, texts)
            assert len(texts) == len(position.sample(seat, random.Random(0))) or position.stage == "adjustments"
            if position.stage == "adjustments":
                assert len(texts) == abs(position.builds[seat])
            seen += 1
    assert seen > 10


def digest() -> str:
    """Return the results of rollouts from some phases of a match."""
    found = []
    for position in matches(9, 7):
        study = study_of(position)
        if position.stage == "orders":
            trials = trials_of(study, 5, 2, RolloutBudget(None, None))
            found.append(trials.means(study.sets(study.drawn(study.seeds(2)), 5)[:2], 2))
        elif position.to_act():
            found.append(adjust(study, position.power_of(position.to_act()[0]), RolloutBudget(4, None)))  # type: ignore[arg-type]
    return str(zlib.crc32(repr(found).encode()))


def test_compiled_equals_uncompiled() -> None:
    assert is_compiled(rollouts)
    assert from_source(digest) == digest()
