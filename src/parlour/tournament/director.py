"""Runs a tournament between agents: keeps an engine busy, and results on disk before anybody sees them."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from parlour.tournament.blocks import Sitting
from parlour.tournament.docket import Docket
from parlour.tournament.engines.base import Engine, Failure, Happening
from parlour.tournament.playing import Delivery, Remark, void
from parlour.tournament.series import Series

ATTEMPTS = 3
"""How often a match is tried that fails for no fault of a player, before it is void."""
MAX_TASK = 5.0
"""Seconds of play that are lost at most when a machine is."""
_TICK = 0.25


class Onlooker(Protocol):
    """Whoever watches a tournament between agents. None of its methods may wait."""

    def changed(self, series: Series) -> Any:
        """Results came in, or time has passed."""
        ...

    def remarked(self, remarks: Sequence[Remark]) -> Any:
        """There is something for the logs of players."""
        ...


class Director:
    """Has the matches of a series played until it is over."""

    def __init__(
        self,
        series: Series,
        engine: Engine,
        *,
        docket: Docket | None = None,
        onlookers: Sequence[Onlooker] = (),
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.series, self._engine, self._docket = series, engine, docket
        self._onlookers = onlookers
        self._clock = clock
        self._source: Iterator[Sitting] = iter(())
        self._again: deque[int] = deque()
        """Matches that failed and are tried again, each in a task of its own."""
        self._under_way: set[int] = set()
        self._tasks = 0
        self._attempts: Counter[int] = Counter()
        self._seconds, self._measured = 0.0, 0

    def run(self) -> None:
        """Play until nothing is left that would count."""
        self._tell()
        while not self.series.over:
            self._fill()
            happening = self._engine.wait(_TICK)
            self._tasks -= happening.idle
            self._take(happening)
            self._tell()

    def _fill(self) -> None:
        """Keep as many tasks under way as the engine wants."""
        while self._tasks < self._engine.depth and (task := self._next_task()):
            self._under_way.update(sitting.number for sitting in task)
            self._tasks += 1
            self._engine.submit(task)

    def _next_task(self) -> list[Sitting]:
        if self._again:
            return [self.series.sitting(self._again.popleft())]
        task: list[Sitting] = []
        size = self._task_size()
        while len(task) < size and (sitting := self._next()) is not None:
            task.append(sitting)
        return task

    def _next(self) -> Sitting | None:
        for _ in range(2):
            for sitting in self._source:
                if sitting.number not in self._under_way and not self.series.has(sitting.number):
                    return sitting
            # What is known may have grown since we looked.
            self._source = self.series.wanted()
        return None

    def _task_size(self) -> int:
        """So many matches that a task takes as long as the engine likes it, by the time they took so far."""
        if not self._measured:
            return 1
        each = max(self._seconds / self._measured, 1e-6)
        wanted = max(1, int(min(self._engine.task_time, MAX_TASK) / each))
        expected = self.series.expected()
        if expected is not None:
            # Towards the end tasks are smaller, so that nobody waits for one who has all that is left.
            left = expected - self.series.finished - len(self._under_way)
            wanted = min(wanted, max(1, left // (2 * self._engine.places)))
        return wanted

    def _take(self, happening: Happening) -> None:
        fresh = [delivery for delivery in happening.deliveries if not self.series.has(delivery.played.number)]
        for delivery in happening.deliveries:
            self._under_way.discard(delivery.played.number)
            self._seconds += delivery.played.took
            self._measured += 1
        fresh += [delivery for failure in happening.failures for delivery in self._failed(failure)]
        if self._docket is not None:
            self._docket.keep(fresh, self.series)
        for delivery in fresh:
            self.series.add(delivery.played)
        for delivery in happening.deliveries:
            if delivery not in fresh:
                self.series.add(delivery.played)  # it was there already: is it the same?
        remarks = [remark for delivery in fresh for remark in delivery.remarks]
        if remarks:
            for onlooker in self._onlookers:
                onlooker.remarked(remarks)

    def _failed(self, failure: Failure) -> list[Delivery]:
        """Try again; what failed alone and too often is void. Of several that failed together nobody knows which."""
        self._under_way.difference_update(failure.numbers)
        if failure.begun and len(failure.numbers) == 1:
            self._attempts[failure.numbers[0]] += 1
        found = []
        for number in failure.numbers:
            if self.series.has(number):
                continue
            if self._attempts[number] >= ATTEMPTS:
                found.append(Delivery(void(self.series.sitting(number), failure.reason)))
            else:
                self._again.append(number)
        return found

    def _tell(self) -> None:
        for onlooker in self._onlookers:
            onlooker.changed(self.series)
