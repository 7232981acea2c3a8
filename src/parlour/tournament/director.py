"""Runs the matches of any tournament: keeps an engine busy, and stores results before they count."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, cast

from parlour.tournament.engines.base import AnyEngine, AsyncEngine, Engine, Failure, Happening
from parlour.tournament.results import Delivery, MatchPlayed, Remark, void
from parlour.tournament.schedules.blocks import Sitting

ATTEMPTS = 3
"""Number of attempts at a match that fails without a fault of a player, before it is void."""
MAX_TASK = 5.0
"""Maximum seconds of play in one task, which are lost if its machine fails."""
_TICK = 0.25


class Matches(Protocol):
    """The matches of a tournament, or of any known list: those still to be played and those with a result."""

    @property
    def over(self) -> bool:
        """True if nothing is left to be played that would count."""

    def wanted(self) -> Iterator[Sitting]:
        """Yield the matches that have no result yet, as far as they are known now."""

    def left(self) -> int | None:
        """Return the number of matches that have no result yet; None if it depends on results."""

    def has(self, number: int) -> bool:
        """Return True if a match has a result."""

    def add(self, played: MatchPlayed) -> Any:
        """Add a result."""


class ResultsKeeper(Protocol):
    """A place in which results are kept before they count; TournamentStore is one in a store."""

    def keep(self, deliveries: Sequence[Delivery], series: Any) -> None:
        """Store the results of some matches."""


class AsyncResultsKeeper(Protocol):
    """A place in which results are kept before they count, on the running event loop."""

    async def keep_on_loop(self, deliveries: Sequence[Delivery], series: Any) -> None:
        """Store the results of some matches without blocking the event loop."""


class Onlooker(Protocol):
    """An observer of a tournament. None of its methods may wait."""

    def changed(self, series: Any) -> Any:
        """Take note that results arrived, or that time has passed."""

    def remarked(self, remarks: Sequence[Remark]) -> Any:
        """Receive remarks for the logs of players."""


class Director:
    """Runs the matches of a series to its end: in this process, in others, on a cluster, or in a hall.

    Four parts combine freely here: the schedule (of the series), the place of play (the engine), the store of results
    (the results store), and the audience (the onlookers).
    """

    def __init__(
        self,
        series: Matches,
        engine: AnyEngine,
        *,
        results_store: ResultsKeeper | AsyncResultsKeeper | None = None,
        onlookers: Sequence[Onlooker] = (),
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.series, self._engine, self._results_store = series, engine, results_store
        self._onlookers = onlookers
        self._clock = clock
        self._source: Iterator[Sitting] = iter(())
        self._again: deque[Sitting] = deque()
        """Matches that failed and are tried again, each in a task of its own."""
        self._under_way: dict[int, Sitting] = {}
        self._tasks = 0
        self._attempts: Counter[int] = Counter()
        self._seconds, self._measured = 0.0, 0

    def run(self) -> None:
        """Play until no remaining match would count."""
        engine = cast(Engine, self._engine)
        self._tell()
        while not self.series.over:
            self._fill()
            fresh = self._arrived(happening := engine.wait(_TICK))
            if self._results_store is not None:
                cast(ResultsKeeper, self._results_store).keep(fresh, self.series)
            self._count(happening, fresh)

    async def run_on_loop(self) -> None:
        """Play until no remaining match would count, with an engine on the running event loop."""
        engine = cast(AsyncEngine, self._engine)
        self._tell()
        while not self.series.over:
            self._fill()
            fresh = self._arrived(happening := await engine.happened())
            if self._results_store is not None:
                await cast(AsyncResultsKeeper, self._results_store).keep_on_loop(fresh, self.series)
            self._count(happening, fresh)

    def _fill(self) -> None:
        """Keep as many tasks under way as the engine wants."""
        while self._tasks < self._engine.depth and (task := self._next_task()):
            self._tasks += 1
            self._engine.submit(task)

    def _next_task(self) -> list[Sitting]:
        if self._again:
            sitting = self._again.popleft()
            self._under_way[sitting.number] = sitting
            return [sitting]
        task: list[Sitting] = []
        size = self._task_size()
        while len(task) < size and (fresh := self._next()) is not None:
            self._under_way[fresh.number] = fresh  # at once, so that _next does not return it again
            task.append(fresh)
        return task

    def _next(self) -> Sitting | None:
        for _ in range(2):
            for sitting in self._source:
                if sitting.number not in self._under_way and not self.series.has(sitting.number):
                    return sitting
            # More results may have arrived since the last look.
            self._source = self.series.wanted()
        return None

    def _task_size(self) -> int:
        """Return the number of matches per task, by the time that matches took so far."""
        if not self._measured:
            return 1
        each = max(self._seconds / self._measured, 1e-6)
        wanted = max(1, int(min(self._engine.task_time, MAX_TASK) / each))
        left = self.series.left()
        if left is not None:
            # Towards the end tasks are smaller, so that no worker has all matches that are left.
            wanted = min(wanted, max(1, (left - len(self._under_way)) // (2 * self._engine.places)))
        return wanted

    def _arrived(self, happening: Happening) -> list[Delivery]:
        """Return the new results, which are stored before they count."""
        self._tasks -= happening.idle
        fresh = [delivery for delivery in happening.deliveries if not self.series.has(delivery.played.number)]
        for delivery in happening.deliveries:
            self._under_way.pop(delivery.played.number, None)
            self._seconds += delivery.played.took
            self._measured += 1
        return fresh + [delivery for failure in happening.failures for delivery in self._failed(failure)]

    def _count(self, happening: Happening, fresh: Sequence[Delivery]) -> None:
        """Count results that were stored, and report them."""
        for delivery in fresh:
            self.series.add(delivery.played)
        for delivery in happening.deliveries:
            if delivery not in fresh:
                self.series.add(delivery.played)  # the match has a result already: the series compares both
        remarks = [remark for delivery in fresh for remark in delivery.remarks]
        if remarks:
            for onlooker in self._onlookers:
                onlooker.remarked(remarks)
        self._tell()

    def _failed(self, failure: Failure) -> list[Delivery]:
        """Try matches again, and return the results of those that failed alone and too often: they are void.

        When several fail together, it is not known which of them is at fault.
        """
        if failure.begun and len(failure.numbers) == 1:
            self._attempts[failure.numbers[0]] += 1
        found = []
        for number in failure.numbers:
            sitting = self._under_way.pop(number, None)
            if sitting is None or self.series.has(number):
                continue
            if self._attempts[number] >= ATTEMPTS:
                found.append(Delivery(void(sitting, failure.reason)))
            else:
                self._again.append(sitting)
        return found

    def _tell(self) -> None:
        for onlooker in self._onlookers:
            onlooker.changed(self.series)
