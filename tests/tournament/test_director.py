"""The director: whose fault it is that a match was not played, and how often it is tried."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import pytest

from parlour.tournament.director import ATTEMPTS, Director
from parlour.tournament.engines.base import Failure, Happening
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.plan import Plan
from parlour.tournament.reports.standings import standings
from parlour.tournament.results import Delivery, Remark
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from support.tournament.plans import plan_of

PLAN = plan_of(["greedy", "random"], blocks=2)


Fails: TypeAlias = Callable[[list[int], Counter[int]], Failure | None]
"""Return the result of a task, by its matches and the number of times each came."""


class FailingEngine:
    """Plays in this process, and fails as it is told."""

    places, depth, task_time = 1, 2, 0.0

    _plan = PLAN

    def __init__(self, fails: Fails) -> None:
        self._fails, self._tasks = fails, deque[Sequence[Sitting]]()
        self.came: Counter[int] = Counter()

    def submit(self, sittings: Sequence[Sitting]) -> None:
        self._tasks.append(sittings)

    def wait(self, seconds: float) -> Happening:
        task = self._tasks.popleft()
        numbers = [sitting.number for sitting in task]
        self.came.update(numbers)
        if failure := self._fails(numbers, self.came):
            return Happening(failures=(failure,), idle=1)
        return Happening(tuple(play_sitting(self._plan, sitting) for sitting in task), idle=1)

    def close(self) -> None: ...


def directed(fails: Fails) -> tuple[ResultsState, FailingEngine]:
    series, engine = ResultsState(PLAN), FailingEngine(fails)
    Director(series, engine).run()
    return series, engine


def test_what_is_under_way_is_not_given_to_another() -> None:
    series, engine = directed(lambda numbers, came: None)
    assert series.over
    assert set(engine.came.values()) == {1}
    assert not engine._tasks


@pytest.mark.parametrize("form", ["swiss", "knock-out", "ladder"])
def test_no_match_of_a_round_is_twice_in_a_task_that_has_room_for_more(form: str) -> None:
    plan = plan_of(["greedy", "random", "lookahead1", "greedy"], form, blocks=3)
    series, engine = ResultsState(plan), SizingEngine(plan, 0)
    Director(series, engine).run()
    assert series.over
    assert set(engine.came.values()) == {1}


def test_a_match_that_always_fails_alone_is_void_after_three_attempts() -> None:
    series, engine = directed(lambda numbers, came: Failure((1,), "it died") if 1 in numbers else None)
    assert engine.came[1] == ATTEMPTS
    assert standings(series).void == 1
    assert series.over


def test_who_only_waited_is_not_blamed() -> None:
    series, engine = directed(
        lambda numbers, came: Failure((2,), "another died", begun=False) if 2 in numbers and came[2] < 9 else None
    )
    assert engine.came[2] == 9
    assert standings(series).void == 0


def test_of_several_that_failed_together_none_is_blamed_and_each_is_tried_alone() -> None:
    alone: list[int] = []

    def fails(numbers: list[int], came: Counter[int]) -> Failure | None:
        if came[0] <= ATTEMPTS and 0 in numbers:
            return Failure((0, 1), "one of them died")
        alone.extend(numbers if len(numbers) == 1 else [])
        return None

    series, _ = directed(fails)
    assert standings(series).void == 0
    assert {0, 1} <= set(alone)


@pytest.mark.parametrize("last", [3, 7])
def test_what_is_there_already_is_not_played_again_though_it_is_among_what_failed(last: int) -> None:
    series, engine = directed(
        lambda numbers, came: (
            Failure((0, *numbers), "one of them died") if numbers == [last] and came[last] == 1 else None
        )
    )
    assert (engine.came[0], engine.came[last]) == (1, 2)
    assert not engine._tasks, "nor is it given out again while it is tried again"
    assert standings(series).void == 0


def test_what_failed_with_others_is_tried_alone_though_tasks_are_long() -> None:
    plan = plan_of(["greedy", "random"], blocks=10)
    tried: list[list[int]] = []

    def fails(numbers: list[int], came: Counter[int]) -> Failure | None:
        tried.append(numbers)
        return Failure(tuple(numbers), "one of them died") if len(numbers) > 1 and len(tried) < 6 else None

    engine = SizingEngine(plan, 40, fails)
    Director(ResultsState(plan), engine).run()
    together = next(numbers for numbers in tried if len(numbers) > 1)
    assert all([number] in tried for number in together)


class SizingEngine(FailingEngine):
    """Writes down how many matches each task has, and how many nobody had begun before it."""

    places, depth, task_time = 1, 2, 1000.0

    def __init__(self, plan: Plan, matches: int, fails: Fails = lambda numbers, came: None) -> None:
        super().__init__(fails)
        self._plan, self._left = plan, matches
        self.sizes: list[tuple[int, int]] = []

    def submit(self, sittings: Sequence[Sitting]) -> None:
        self.sizes.append((len(sittings), self._left))
        self._left -= len(sittings)
        super().submit(sittings)


def test_towards_the_end_no_task_is_more_than_half_of_what_is_left() -> None:
    plan = plan_of(["greedy", "random"], blocks=10)
    series = ResultsState(plan)
    engine = SizingEngine(plan, 40)
    Director(series, engine).run()
    assert series.over
    assert engine.sizes[0] == (1, 40)
    assert all(size == max(1, left // 2) for size, left in engine.sizes[2:])


class RepeatingEngine(FailingEngine):
    """Gives the result of the first task again with that of the second, as if it had been played anew."""

    def __init__(self, again: Callable[[Delivery], Delivery]) -> None:
        super().__init__(lambda numbers, came: None)
        self._again, self._given = again, list[Delivery]()

    def wait(self, seconds: float) -> Happening:
        happening = super().wait(seconds)
        self._given += happening.deliveries
        if len(self._given) != 2:
            return happening
        return Happening((*happening.deliveries, self._again(self._given[0])), idle=1)


def _otherwise(delivery: Delivery) -> Delivery:
    return msgspec.structs.replace(delivery, played=msgspec.structs.replace(delivery.played, turns=99))


@pytest.mark.parametrize(("again", "differing"), [(_otherwise, [0]), (lambda same: same, [])])
def test_a_match_that_comes_again_stands_and_is_noted_if_it_ended_otherwise(
    again: Callable[[Delivery], Delivery], differing: list[int]
) -> None:
    series = ResultsState(PLAN)
    Director(series, RepeatingEngine(again)).run()
    assert series.differing == differing
    assert series.results()[0].turns != 99


class Reporter:
    """Writes down what it is told, and how many matches were over by then."""

    def __init__(self) -> None:
        self.finished: list[int] = []
        self.remarks: list[Remark] = []

    def changed(self, series: ResultsState) -> None:
        self.finished.append(series.finished)

    def remarked(self, remarks: Sequence[Remark]) -> None:
        self.remarks += remarks


class RemarkingEngine(FailingEngine):
    """Has something to say of each match."""

    def wait(self, seconds: float) -> Happening:
        happening = super().wait(seconds)
        told = tuple(
            msgspec.structs.replace(delivery, remarks=(Remark("greedy", f"match {delivery.played.number}"),))
            for delivery in happening.deliveries
        )
        return Happening(told, idle=happening.idle)


def test_onlookers_hear_of_every_change_and_of_every_remark() -> None:
    series, reporters = ResultsState(PLAN), [Reporter(), Reporter()]
    Director(series, RemarkingEngine(lambda numbers, came: None), onlookers=reporters).run()
    for reporter in reporters:
        assert (reporter.finished[0], reporter.finished[-1]) == (0, 8)
        assert reporter.finished == sorted(reporter.finished)
        assert sorted(remark.text for remark in reporter.remarks) == [f"match {number}" for number in range(8)]
