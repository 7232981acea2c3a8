"""Plans of tournaments: what cannot be played is refused in a line, and what is not said is what is usual."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.agents import process_supervisor
from parlour.agents.process_supervisor import Limits
from parlour.core.terms import Clock, PressMode, PressTerms
from parlour.errors import ConfigError
from parlour.tournament.plan import Plan, named, seats_of
from support.tournament.plans import plan_of

PLAN = plan_of(["random", "greedy"])


def changed(plan: Plan = PLAN, **fields: Any) -> Plan:
    return msgspec.structs.replace(plan, **fields)


def timed(per_turn: float | None) -> Plan:
    return changed(terms=msgspec.structs.replace(PLAN.terms, clock=Clock(per_turn=per_turn)))


@pytest.mark.parametrize(
    ("plan", "said", "field"),
    [
        (changed(seats=5), "seats: a table of fish has 2 to 4, not 5", "seats"),
        (changed(seats=1), "seats: a table of fish has 2 to 4, not 1", "seats"),
        (
            changed(plan_of(["random", "greedy"], "1v6", game="diplomacy"), seats=6),
            "seats: a table of diplomacy has 7, not 6",
            "seats",
        ),
        (changed(score="beauty"), "score: expected win share, .*, got 'beauty'", "score"),
        (changed(anchor="nobody"), "anchor: nobody here is called 'nobody': random, greedy", "anchor"),
        (timed(-1.0), "per_turn", None),
        (changed(config={"rows": 1, "cols": 1}), "board: 8 penguins need as many tiles", None),
    ],
)
def test_what_cannot_be_played_is_refused(plan: Plan, said: str, field: str | None) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        plan.check()
    assert field is None or raised.value.field == field


def test_limits_that_this_system_cannot_keep_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_supervisor, "resource", None)
    PLAN.check()
    with pytest.raises(ConfigError, match="limits of programs need Linux"):
        changed(limits=Limits(cpu=1)).check()


def test_where_results_decide_who_meets_nothing_stops_early() -> None:
    with pytest.raises(ConfigError, match="stop: who meets in swiss depends on the results") as raised:
        plan_of(["random", "greedy", "lookahead1"], "swiss", stop="random > greedy by 0.05")
    assert raised.value.field == "stop"


def test_only_what_no_clock_decides_can_be_played_again_alike() -> None:
    assert PLAN.reproducible
    assert not timed(1.0).reproducible
    assert not changed(limits=Limits(cpu=1)).reproducible
    assert changed(limits=Limits(hidden=("/store.db",), passed=("KEY",))).reproducible, "what is hidden bounds nothing"
    for agent, alike in (("search:seconds=1", False), ("search:budget=9,seconds=1", False), ("search:budget=9", True)):
        contender = msgspec.structs.replace(PLAN.contenders[0], agent=agent)
        assert changed(contenders=(contender, PLAN.contenders[1])).reproducible is alike


def test_whether_there_is_press_and_whether_all_think_at_once() -> None:
    press = PressTerms(PressMode.ANYTIME)
    assert changed(terms=msgspec.structs.replace(PLAN.terms, press=press)).talks
    assert not PLAN.talks
    assert not PLAN.simultaneous
    assert plan_of(["random", "greedy"], "1v6", game="diplomacy").simultaneous


@pytest.mark.parametrize(
    ("game", "form", "wanted", "seats"),
    [
        ("fish", "round-robin", None, 2),
        ("fish", "round-robin", 3, 3),
        ("fish", "knock-out", None, 4),
        ("fish", "1v2", None, 3),
        ("diplomacy", "1v6", None, 7),
        ("diplomacy", "round-robin", None, 7),
    ],
)
def test_how_many_sit_at_a_table(game: str, form: str, wanted: int | None, seats: int) -> None:
    assert seats_of(game, {}, form, wanted) == seats


def test_an_agent_that_is_there_again_gets_a_number() -> None:
    assert named(["a", "b", "a", "a"]) == (("a", "a"), ("b", "b"), ("a#2", "a"), ("a#3", "a"))
