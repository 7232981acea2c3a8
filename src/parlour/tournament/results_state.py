"""The state of a tournament between agents: a fold over the results of its matches, in any order.

Only complete blocks count, from the first on without a gap. So the same results give the same table on any engine and
after any interruption. A short match has no advantage over a long one, and a stopping rule sees the blocks in the order
of the schedule. Results that come early wait.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from parlour.errors import RecordError
from parlour.games import load_contest
from parlour.tournament.plan import Plan
from parlour.tournament.results import MatchPlayed
from parlour.tournament.schedules.blocks import Seats, Sitting
from parlour.tournament.schedules.formats import Scores
from parlour.tournament.statistics.stopping import Decision, Evidence, judge


class ResultsState:
    """A tournament by a plan as it goes: its Matches for a Director, and their results. It never waits."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schedule = plan.schedule()
        self._seats = Seats(load_contest(plan.game), dict(plan.config), plan.seats, plan.seed)
        self._blocks: list[tuple[Sitting, ...]] = []
        """The known blocks: all that were requested, or that follow from results."""
        self._ended = False
        """True if the format has no further block."""
        self._results: dict[int, MatchPlayed] = {}
        self._sittings: dict[int, Sitting] = {}
        self._counted = 0
        self._past: list[list[Scores]] = []
        self._differences: list[float] = []
        self.evidence: Evidence | None = None if plan.stop is None else judge((), plan.stop.by)
        self.differing: list[int] = []
        """Matches that ended otherwise when they were played again."""

    # Matches to play

    @property
    def cap(self) -> int:
        """Maximum number of blocks."""
        return min(self.plan.blocks, self.schedule.length or self.plan.blocks)

    @property
    def over(self) -> bool:
        return self.stopped or self._counted >= self.cap or (self._ended and self._counted >= len(self._blocks))

    @property
    def stopped(self) -> bool:
        """True if the rule to stop has decided."""
        return self.evidence is not None and self.evidence.decision is not Decision.UNDECIDED

    def wanted(self) -> Iterator[Sitting]:
        """Yield the matches that have no result yet, in the order of the schedule, as far as they are known now."""
        block = self._counted
        while not self.over and block < self.cap and self._know(block):
            for sitting in self._blocks[block]:
                if sitting.number not in self._results:
                    yield sitting
            block += 1

    def _know(self, block: int) -> bool:
        """Return True if the matches of a block are known."""
        while len(self._blocks) <= block and not self._ended:
            number = len(self._blocks)
            if self.schedule.waits and number > self._counted:
                return False
            tables = self.schedule.block(number, self._past)
            self._ended = not tables
            if tables:
                sittings = self._seats.sittings(number, len(self._sittings), tables)
                self._blocks.append(sittings)
                self._sittings.update((sitting.number, sitting) for sitting in sittings)
        return block < len(self._blocks)

    # Matches played

    def add(self, played: MatchPlayed) -> int:
        """Add a result, and return the number of blocks that count because of it."""
        known = self._results.get(played.number)
        if known is not None:
            # A void match may have been played elsewhere meanwhile; a played match stands.
            if not known.void and not played.void and known.timeless() != played.timeless():
                self.differing.append(played.number)
            return 0
        self._results[played.number] = played
        return self._count()

    def _count(self) -> int:
        before = self._counted
        while not self.over and self._know(self._counted):
            results = [self._results.get(sitting.number) for sitting in self._blocks[self._counted]]
            complete = [result for result in results if result is not None]
            if len(complete) < len(results):
                break
            self._take(self._blocks[self._counted], complete)
            self._counted += 1
        self._know(self._counted)  # learn the tables of the next block, or that there is none
        return self._counted - before

    def _take(self, sittings: Sequence[Sitting], results: Sequence[MatchPlayed]) -> None:
        for sitting, result in zip(sittings, results, strict=True):
            if result.seed != sitting.seed or (result.seats and _players(result) != sitting.players):
                raise RecordError(f"match {result.number} is not the one of the plan", number=result.number + 1)
        self._past.append(table_scores(results, self.plan.score))
        if self.plan.stop is not None:
            means = block_scores(results, self.plan.score)
            better, worse = means.get(self.plan.stop.better), means.get(self.plan.stop.worse)
            # A block in which a match is void is not balanced, and proves nothing.
            if better is not None and worse is not None and not any(result.void for result in results):
                self._differences.append(better - worse)
            self.evidence = judge(self._differences, self.plan.stop.by)

    # Results that count

    @property
    def counted(self) -> int:
        """Number of blocks that count."""
        return self._counted

    @property
    def finished(self) -> int:
        """Number of matches with a result, whether it counts yet or not."""
        return len(self._results)

    def has(self, number: int) -> bool:
        return number in self._results

    def sitting(self, number: int) -> Sitting:
        """Return the match of this number, which must be known."""
        return self._sittings[number]

    def results(self) -> list[MatchPlayed]:
        """Return all results that count, in the order of the schedule."""
        return [self._results[sitting.number] for block in self._blocks[: self._counted] for sitting in block]

    def played(self) -> list[MatchPlayed]:
        """Return all results by number, also those that do not count yet."""
        return [result for _, result in sorted(self._results.items())]

    def places(self) -> list[list[str]] | None:
        """Return the names by place; None if the format does not decide the places."""
        return self.schedule.places(self._past)

    def expected(self) -> int | None:
        """Return the number of all matches; None if that depends on results."""
        if self.schedule.waits:
            return None
        self._know(0)
        return self.cap * len(self._blocks[0])

    def left(self) -> int | None:
        expected = self.expected()
        return None if expected is None else expected - self.finished


def _players(result: MatchPlayed) -> tuple[str, ...]:
    return tuple(seat.player for seat in result.seats)


def block_scores(results: Sequence[MatchPlayed], score: str) -> dict[str, float]:
    """Return the mean of each player's seat means in a block."""
    by_seat: dict[str, dict[int, list[float]]] = {}
    for result in results:
        for number, seat in enumerate(result.seats):
            by_seat.setdefault(seat.player, {}).setdefault(number, []).append(seat.scores[score])
    return {
        player: math.fsum(math.fsum(scores) / len(scores) for scores in seats.values()) / len(seats)
        for player, seats in by_seat.items()
    }


def table_scores(results: Sequence[MatchPlayed], score: str) -> list[Scores]:
    """Return the block_scores of each table of a block."""
    tables: dict[int, list[MatchPlayed]] = {}
    for result in results:
        tables.setdefault(result.table, []).append(result)
    return [block_scores(played, score) for _, played in sorted(tables.items())]
