"""A tournament costs at most its cap: each match has a part of it, and what failed counts as well."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from parlour.core.terms import Clock, Terms
from parlour.referee.conduct import preset
from parlour.tournament.engines.base import Failure, Happening
from parlour.tournament.engines.playing import spec_of
from parlour.tournament.engines.spending import BudgetSpent, CappedEngine, SpendingCap
from parlour.tournament.plan import Contender, Plan
from parlour.tournament.results import Cost, Delivery, MatchPlayed
from parlour.tournament.schedules.blocks import Sitting


def sitting(number: int, model: str = "a") -> Sitting:
    return Sitting(number, 0, 0, (model, "greedy (panel)"), 7)


def test_the_first_match_of_a_model_has_all_that_is_left() -> None:
    cap = SpendingCap(1.0, calls={"a": 0.01, "b": 0.01})
    assert cap.hold(sitting(0)) == 1.0
    assert not cap.allows(1)
    cap.add(played(0, 0.02), sitting(0).players)
    assert cap.allows(0)
    assert cap.hold(sitting(1)) == pytest.approx(0.1)
    assert cap.hold(sitting(2, "b")) == pytest.approx(0.88)


def test_no_match_begins_that_may_starve() -> None:
    cap = SpendingCap(1.0, calls={"a": 0.05})
    cap.hold(sitting(0))
    cap.add(played(0, 0.5), sitting(0).players)
    assert not cap.allows(0)


def test_models_without_a_price_and_evaluations_without_a_cap_are_not_held_back() -> None:
    assert SpendingCap(1.0, calls={"a": 0.1}).hold(sitting(0, "local")) is None
    free = SpendingCap(None, calls={"a": 0.1})
    assert free.hold(sitting(0)) is None
    free.add(played(0, 5.0), sitting(0).players)
    assert free.allows(0)
    assert free.spent_usd == 5.0


def test_a_model_that_costs_nothing_is_never_short_of_money() -> None:
    cap = SpendingCap(1.0, calls={"a": 0.0})
    for number in range(3):
        cap.hold(sitting(number))
        cap.add(played(number, 0.0), sitting(number).players)
        assert cap.allows(0)


def test_seats_of_one_match_share_what_it_has() -> None:
    cap = SpendingCap(1.0, calls={"a": 0.01, "b": 0.01})
    assert cap.hold(Sitting(0, 0, 0, ("a", "b", "a", "random"), 7)) == pytest.approx(1 / 3)


def test_tokens_of_void_matches_count() -> None:
    cap = SpendingCap(tokens=100)
    assert cap.allows(0)
    cap.add(played(0, tokens=60, void="HTTP 500"), sitting(0).players)
    assert cap.spent_tokens == 60
    assert not cap.allows(0)
    cap = SpendingCap(tokens=120)
    cap.add(played(0, tokens=60), sitting(0).players)
    assert cap.allows(0), "one more match may spend the rest"
    assert not cap.allows(1)


class ScriptedEngine:
    """Gives back what it is told, and keeps what was submitted."""

    places, depth, task_time = 2, 4, 0.1

    def __init__(self, *happenings: Happening) -> None:
        self.submitted: list[Sitting] = []
        self._happenings = list(happenings)

    def submit(self, sittings: Sequence[Sitting]) -> None:
        self.submitted += sittings

    def wait(self, seconds: float) -> Happening:
        return self._happenings.pop(0)

    def close(self) -> None:
        pass


def played(number: int, usd: float = 0.0, tokens: int = 0, void: str = "") -> MatchPlayed:
    return MatchPlayed(number=number, block=0, table=0, seed=7, cost=Cost(usd, tokens), void=void)


def over(number: int, usd: float, void: str = "") -> Happening:
    return Happening((Delivery(played(number, usd, void=void)),), idle=1)


def test_a_match_that_does_not_count_has_cost_its_money() -> None:
    cap = SpendingCap(1.0, calls={"a": 0.01})
    engine = CappedEngine(ScriptedEngine(over(0, 0.9, "HTTP 500")), cap)
    engine.submit([sitting(0)])
    assert engine.depth == 0
    engine.wait(0)
    assert cap.spent_usd == 0.9
    with pytest.raises(BudgetSpent):
        engine.wait(0)


def test_a_match_knows_its_part_and_one_whose_process_died_counts_as_the_dearest() -> None:
    inner = ScriptedEngine(over(0, 0.1), Happening((), (Failure((1,), "killed"),), 1))
    cap = SpendingCap(1.0, calls={"a": 0.01})
    engine = CappedEngine(inner, cap)
    engine.submit([sitting(0)])
    engine.wait(0)
    engine.submit([sitting(1)])
    engine.wait(0)
    assert [one.usd for one in inner.submitted] == [1.0, pytest.approx(0.42)]
    assert cap.spent_usd == pytest.approx(0.2)
    assert engine.depth == inner.depth


def test_the_part_of_a_match_is_never_more_than_the_bank_of_a_seat() -> None:
    terms = Terms(preset("strict"), Clock(usd=0.2))
    contenders = (Contender("a", "greedy"), Contender("b", "random"))
    plan = Plan(
        tournament="t", game="fish", config={}, terms=terms, format="round-robin", seats=2, contenders=contenders,
        blocks=1, seed=7, score="win share", anchor="b",
    )  # fmt: skip
    first = next(iter(plan.schedule().block(0, ())))
    one = Sitting(0, 0, 0, first.seatings[0], 7)
    banks = [spec_of(plan, msgspec.structs.replace(one, usd=usd)).terms.clock.usd for usd in (None, 0.1, 0.5)]
    assert banks == [0.2, 0.1, 0.2]
