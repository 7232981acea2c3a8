"""The table of a tournament between agents, computed from the matches that count and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from parlour.games import load_contest, load_game
from parlour.tournament.plan import Plan
from parlour.tournament.results import Calls, Kept, MatchPlayed
from parlour.tournament.schedules import by_score
from parlour.tournament.series import Series
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
"""Digits in which scores must differ, so that those who share a place do so though they were added up otherwise."""
RATINGS_ALIKE = 6
"""The same of strengths, whose fit is not closer."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one agent."""

    place: int
    """From 1; equals share one."""
    name: str
    agent: str
    score: Estimate | None
    drawn: tuple[float, float] | None
    """The interval by drawing blocks again, of enough of them."""
    rating: Rating
    rating_played: Rating
    """Without the matches that it, or another, lost by a foul."""
    moved: int
    """How many places it gains by ratings if those do not count; flagged if it is not 0."""
    seats: dict[str, Estimate | None]
    """The mean score on each seat."""
    scores: dict[str, Estimate | None]
    """By every way to score."""
    played: int
    """Seats in matches; one may have several in one match."""
    lost_by_foul: int
    void: int
    fouls: int
    press: Kept | None = None
    calls: Calls | None = None
    """Of language models; what matches cost is by played."""


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """The table, and all that stands around it."""

    tournament: str
    game: str
    format: str
    score: str
    anchor: str
    blocks: int
    """That count."""
    cap: int
    matches: int
    void: int
    over: bool
    stop: str = ""
    evidence: Evidence | None = None
    verdict: str = ""
    lines: tuple[Line, ...]
    seats: dict[str, Rating]
    """What each seat is worth, in points against the mean of all seats."""
    spread: float
    """The variance of blocks, as a multiple of that of independent matches."""
    better: dict[str, dict[str, float]]
    """The chance that one (first) is the stronger of the two."""
    against: dict[str, dict[str, float]]
    """The mean score of one (first) in matches with the other."""
    differences: tuple[PairedDifference, ...]
    differing: tuple[int, ...] = ()
    """Matches that ended otherwise when they were played again: something in them is not reproducible."""

    @property
    def winners(self) -> list[str]:
        """All who share the first place."""
        return [line.name for line in self.lines if line.place == 1]


def standings(series: Series) -> Standings:
    """The table as it is now."""
    plan, results = series.plan, series.results()
    index = {name: number for number, name in enumerate(plan.names)}
    columns = _Columns(plan, results)
    cells = {name: columns.cells(name, results, series.counted) for name in plan.names}
    means = {name: block_means(found) for name, found in cells.items()}
    whole, played = (columns.fit(results, index, fouls) for fouls in (True, False))
    anchor = index[plan.anchor]
    estimates = {name: mean_of(found) for name, found in means.items()}
    ladder = series.places() or _ladder(series, plan, estimates, whole, index)
    moved = _moved(plan.names, index, whole, played)
    seconds = {name: _totals(name, results) for name in plan.names}
    lines = []
    place = 1
    for tied in ladder:
        for name in tied:
            counts = seconds[name]
            lines.append(
                Line(
                    place=place,
                    name=name,
                    agent=plan.agents[name],
                    score=estimates[name],
                    drawn=drawn_interval(means[name], plan.seed & 0xFFFF),
                    rating=whole.rating(index[name], anchor),
                    rating_played=played.rating(index[name], anchor),
                    moved=moved[name],
                    seats=dict(zip(columns.labels, seat_means(cells[name]), strict=True)),
                    scores=columns.all_scores(name, results, series.counted),
                    played=counts["played"],
                    lost_by_foul=counts["lost"],
                    void=sum(name in series.sitting(result.number).players for result in results if result.void),
                    fouls=counts["fouls"],
                    press=_press(name, results) if plan.talks else None,
                    calls=_calls(name, results),
                )
            )
        place += len(tied)
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
        over=series.over,
        stop=str(plan.stop or ""),
        evidence=series.evidence,
        verdict="" if plan.stop is None or series.evidence is None else sentence(
            plan.stop, series.evidence, over=series.over
        ),
        lines=tuple(lines),
        seats={label: whole.seat_points(number) for number, label in enumerate(columns.labels)},
        spread=whole.spread,
        better={
            one: {other: whole.superiority(index[one], index[other]) for other in plan.names if other != one}
            for one in plan.names
        },
        against=_against(plan.names, results, plan.score),
        differences=tuple(compare_all(means)),
        differing=tuple(sorted(series.differing)),
    )  # fmt: skip


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
        """The mean scores of an agent by block and seat; a block with a void match is not balanced, and left out."""
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
        """The mean by every way to score."""
        return {
            score: mean_of(block_means(self.cells(name, results, blocks, score)))
            for score in load_contest(self._plan.game).scores
        }

    def fit(self, results: Sequence[MatchPlayed], index: Mapping[str, int], fouls: bool) -> Fit:
        """Ratings; without fouls those who lost by one are left out of their matches."""
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


def _ladder(
    series: Series, plan: Plan, scores: Mapping[str, Estimate | None], found: Fit, index: Mapping[str, int]
) -> list[list[str]]:
    """Places by score where all met the same others, by rating elsewhere."""
    if series.schedule.fair:
        return by_score(
            plan.names,
            {name: -np.inf if score is None else round(score.mean, SCORES_ALIKE) for name, score in scores.items()},
        )
    return by_score(
        plan.names, {name: round(float(found.strengths[number]), RATINGS_ALIKE) for name, number in index.items()}
    )


def _moved(names: Sequence[str], index: Mapping[str, int], whole: Fit, played: Fit) -> dict[str, int]:
    """How many places one gains by ratings if fouls do not count."""

    def rank(found: Fit, name: str) -> int:
        return sum(
            round(float(strength - found.strengths[index[name]]), RATINGS_ALIKE) > 0 for strength in found.strengths
        )

    return {name: rank(whole, name) - rank(played, name) for name in names}


def _totals(name: str, results: Sequence[MatchPlayed]) -> dict[str, int]:
    own = [seat for result in results for seat in result.seats if seat.player == name]
    return {
        "played": len(own),
        "lost": sum(bool(seat.lost_by) for seat in own),
        "fouls": sum(seat.fouls for seat in own),
    }


def _press(name: str, results: Sequence[MatchPlayed]) -> Kept:
    own = [seat.press for result in results for seat in result.seats if seat.player == name and seat.press]
    return Kept(*(sum(getattr(each, field) for each in own) for field in Kept.__struct_fields__))


def _calls(name: str, results: Sequence[MatchPlayed]) -> Calls | None:
    own = [seat.calls for result in results for seat in result.seats if seat.player == name and seat.calls]
    return Calls(*(sum(getattr(each, field) for each in own) for field in Calls.__struct_fields__)) if own else None


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
