"""The table of a tournament between agents, computed from the matches that count alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from parlour.core import seeds
from parlour.games import load_contest, load_game
from parlour.tournament.plan import Plan
from parlour.tournament.results import Calls, Kept, MatchPlayed
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.formats import by_score
from parlour.tournament.statistics.comparisons import PairedDifference, compare_all
from parlour.tournament.statistics.means import (
    Estimate,
    Floats,
    block_means,
    cells_of,
    drawn_interval,
    mean_of,
    seat_means,
)
from parlour.tournament.statistics.ratings import Fit, RankedMatch, Rating, fit
from parlour.tournament.statistics.stopping import Evidence, sentence

SCORES_ALIKE = 12
"""Digits to which scores are compared, so that equal scores share a place whatever the order of their sums."""
RATINGS_ALIKE = 6
"""Digits to which strengths are compared; the fit is not more exact."""

Summed = TypeVar("Summed", Kept, Calls)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one agent."""

    place: int
    """The place, from 1; equals share one."""
    name: str
    agent: str
    score: Estimate | None
    drawn: tuple[float, float] | None
    """The bootstrap interval over blocks; None for too few of them."""
    rating: Rating
    rating_played: Rating
    """Rating without the matches that this agent, or another, lost by a foul."""
    moved: int
    """Number of places that the agent gains by ratings if matches lost by fouls do not count."""
    seats: dict[str, Estimate | None]
    """The mean score on each seat."""
    scores: dict[str, Estimate | None]
    """Mean scores by every scoring system."""
    played: int
    """Number of seats played; an agent may have several in one match."""
    lost_by_foul: int
    void: int
    fouls: int
    press: Kept | None = None
    calls: Calls | None = None
    """Model calls; their cost is divided by played."""


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """The table of a tournament, with its comparisons and remarks."""

    tournament: str
    game: str
    format: str
    score: str
    anchor: str
    blocks: int
    """Number of blocks that count."""
    cap: int
    matches: int
    void: int
    over: bool
    stop: str = ""
    evidence: Evidence | None = None
    verdict: str = ""
    lines: tuple[Line, ...]
    seats: dict[str, Rating]
    """Rating of each seat, in points above the mean of all seats."""
    spread: float
    """The variance of blocks, as a multiple of that of independent matches."""
    better: dict[str, dict[str, float]]
    """Probability that the first agent of a pair is stronger than the second."""
    against: dict[str, dict[str, float]]
    """Mean score of the first agent of a pair in matches with the second."""
    differences: tuple[PairedDifference, ...]
    differing: tuple[int, ...] = ()
    """Matches with a different result when they were played again: something in them is not reproducible."""

    @property
    def winners(self) -> list[str]:
        """All who share the first place."""
        return [line.name for line in self.lines if line.place == 1]


def standings(series: ResultsState) -> Standings:
    """Return the table as it is now."""
    plan, found = series.plan, _Reckoning(series)
    names, results, whole = plan.names, found.results, found.whole
    lines: list[Line] = []
    for tied in series.places() or found.ladder():
        place = len(lines) + 1
        lines += [found.line(name, place) for name in tied]
    over = series.over
    return Standings(
        tournament=plan.tournament,
        game=plan.game,
        format=plan.format,
        score=plan.score,
        anchor=plan.anchor,
        blocks=series.counted,
        cap=series.cap,
        matches=len(results),
        void=sum(bool(result.void) for result in results),
        over=over,
        stop=str(plan.stop or ""),
        evidence=series.evidence,
        verdict=sentence(plan.stop, series.evidence, over=over) if plan.stop and series.evidence else "",
        lines=tuple(lines),
        seats={label: whole.seat_points(number) for number, label in enumerate(found.columns.labels)},
        spread=whole.spread,
        better={one: {other: found.superiority(one, other) for other in names if other != one} for one in names},
        against=_against(names, results, plan.score),
        differences=tuple(compare_all(found.means)),
        differing=tuple(sorted(series.differing)),
    )


class _Reckoning:
    """The figures that all lines are computed from: means by block, and ratings with and without fouls."""

    def __init__(self, series: ResultsState) -> None:
        plan, results = series.plan, series.results()
        self.series, self.plan, self.results = series, plan, results
        self.columns = _Columns(plan, results)
        self._index = {name: number for number, name in enumerate(plan.names)}
        self._cells = {name: self.columns.cells(name, results, series.counted) for name in plan.names}
        self.means = {name: block_means(cells) for name, cells in self._cells.items()}
        self._scores = {name: mean_of(means) for name, means in self.means.items()}
        self.whole, self._played = (self.columns.fit(results, self._index, fouls) for fouls in (True, False))

    def ladder(self) -> list[list[str]]:
        """Return the places: by score if all met the same opponents, otherwise by rating."""
        if self.series.schedule.fair:
            scores = self._scores.items()
            by = {name: -np.inf if score is None else round(score.mean, SCORES_ALIKE) for name, score in scores}
        else:
            strengths = self.whole.strengths
            by = {name: round(float(strengths[number]), RATINGS_ALIKE) for name, number in self._index.items()}
        return by_score(self.plan.names, by)

    def line(self, name: str, place: int) -> Line:
        """Return the line of an agent."""
        plan, results, number = self.plan, self.results, self._index[name]
        anchor = self._index[plan.anchor]
        own = [seat for result in results for seat in result.seats if seat.player == name]
        return Line(
            place=place,
            name=name,
            agent=plan.agents[name],
            score=self._scores[name],
            drawn=drawn_interval(self.means[name], seeds.resampling(plan.seed)),
            rating=self.whole.rating(number, anchor),
            rating_played=self._played.rating(number, anchor),
            moved=_rank(self.whole, number) - _rank(self._played, number),
            seats=dict(zip(self.columns.labels, seat_means(self._cells[name]), strict=True)),
            scores=self.columns.all_scores(name, results, self.series.counted),
            played=len(own),
            lost_by_foul=sum(bool(seat.lost_by) for seat in own),
            void=sum(name in self.series.sitting(result.number).players for result in results if result.void),
            fouls=sum(seat.fouls for seat in own),
            press=_sum(Kept, [seat.press for seat in own if seat.press]) if plan.talks else None,
            calls=_sum(Calls, calls) if (calls := [seat.calls for seat in own if seat.calls]) else None,
        )

    def superiority(self, one: str, other: str) -> float:
        """Return the probability that the first agent is stronger than the second."""
        return self.whole.superiority(self._index[one], self._index[other])


class _Columns:
    """The seats of all tables that were played, as columns."""

    def __init__(self, plan: Plan, results: Sequence[MatchPlayed]) -> None:
        self._plan = plan
        sizes = sorted({len(result.seats) for result in results if result.seats} or {plan.seats})
        seats = [(size, seat) for size in sizes for seat in range(size)]
        self._columns = {key: number for number, key in enumerate(seats)}
        self.labels = [self._label(size, seat, sizes) for size, seat in self._columns]

    def _label(self, size: int, seat: int, sizes: Sequence[int]) -> str:
        contest, game = load_contest(self._plan.game), load_game(self._plan.game)
        names = game.seats(contest.deals(self._plan.config, size, self._plan.seed)[0])
        return str(names[seat]) if len(sizes) == 1 else f"{names[seat]} of {size}"

    def cells(self, name: str, results: Sequence[MatchPlayed], blocks: int, score: str = "") -> Floats:
        """Return the mean scores of an agent by block and seat.

        A block with a void match is not balanced, and left out.
        """
        rows = [
            (result.block, self._columns[len(result.seats), number], seat.scores[score or self._plan.score])
            for result in results
            for number, seat in enumerate(result.seats)
            if seat.player == name
        ]
        found = cells_of(blocks, len(self._columns), rows)
        found[[result.block for result in results if result.void]] = np.nan
        return found

    def all_scores(self, name: str, results: Sequence[MatchPlayed], blocks: int) -> dict[str, Estimate | None]:
        """Return the mean by every scoring system."""
        return {
            score: mean_of(block_means(self.cells(name, results, blocks, score)))
            for score in load_contest(self._plan.game).scores
        }

    def fit(self, results: Sequence[MatchPlayed], index: Mapping[str, int], fouls: bool) -> Fit:
        """Return the ratings. Without fouls, players who lost a match by a foul are left out of it."""
        matches = []
        for result in results:
            there = [(number, seat) for number, seat in enumerate(result.seats) if fouls or not seat.lost_by]
            if len(there) > 1:
                matches.append(
                    RankedMatch(
                        tuple(index[seat.player] for _, seat in there),
                        tuple(self._columns[len(result.seats), number] for number, _ in there),
                        tuple(seat.place for _, seat in there),
                        result.block,
                    )
                )
        return fit(matches, len(index), len(self._columns))


def _rank(found: Fit, number: int) -> int:
    """Return the number of stronger agents."""
    return sum(round(float(strength - found.strengths[number]), RATINGS_ALIKE) > 0 for strength in found.strengths)


def _sum(form: type[Summed], parts: Sequence[Summed]) -> Summed:
    """Return the sums of all fields."""
    return form(*(sum(getattr(part, field) for part in parts) for field in form.__struct_fields__))


def _against(names: Sequence[str], results: Sequence[MatchPlayed], score: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for result in results:
        there = {seat.player for seat in result.seats}
        for seat in result.seats:
            for other in there - {seat.player}:
                found[seat.player].setdefault(other, []).append(seat.scores[score])
    return {
        one: {other: float(np.mean(scores[other])) for other in names if other in scores}
        for one, scores in found.items()
    }
