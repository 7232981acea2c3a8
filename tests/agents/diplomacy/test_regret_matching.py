"""Regret matching: a set that is always worse is given up, and nothing is spent beyond the budget."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.regret_matching import Matching
from support.diplomacy.orders import set_of, study_of
from support.press.stories import at

AUTUMN = at("F1902M", "FRA=AGAS,ABUR;GER=AMUN,ARUH", "FRA=PAR,MAR,BRE;GER=MUN,BER")


def matching(budget: RolloutBudget) -> Matching:
    study = study_of(AUTUMN)
    study.depth = 0
    french = [set_of(study, "FRANCE", ["A GAS - SPA"]), set_of(study, "FRANCE", ["A GAS - PAR"])]
    germans = [set_of(study, "GERMANY", ["A RUH - BEL"]), set_of(study, "GERMANY", ["A RUH - KIE"])]
    samples = np.zeros((4, ROOM), np.int32)
    return Matching(study, {2: french, 3: germans}, samples, study.seeds(4), budget)


def test_what_is_worse_is_given_up() -> None:
    found = matching(RolloutBudget(None, None))
    assert found.average(2).tolist() == [0.5, 0.5]
    found.play(60, 1.0, 2)
    assert found.average(2)[0] > 0.95
    assert found.average(2).sum() == pytest.approx(1)
    assert found.average(3).sum() == pytest.approx(1)


def test_stops_when_its_share_is_spent() -> None:
    budget = RolloutBudget(100, None)
    matching(budget).play(1000, 0.5, 2)
    assert 50 <= budget.spent <= 54


def test_who_is_alone_matches_nobody() -> None:
    study, budget = study_of(AUTUMN), RolloutBudget(None, None)
    french = [set_of(study, "FRANCE", ["A GAS - SPA"]), set_of(study, "FRANCE", ["A GAS - PAR"])]
    alone = Matching(study, {2: french}, np.zeros((1, ROOM), np.int32), study.seeds(1), budget)
    alone.play(3, 1.0, 2)
    assert budget.spent == 6
