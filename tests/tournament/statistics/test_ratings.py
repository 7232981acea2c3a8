"""Ratings: intervals that cover, draws that nobody loses by, fields of every kind, beside another implementation."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product

import choix
import numpy as np
import pytest

from parlour.tournament.statistics.ratings import LEAST_SPREAD, POINTS, PRIOR, Fit, RankedMatch, fit

SEATS = 7


class Simulation:
    """Matches of agents whose strength is known."""

    def __init__(self, seed: int, *, agents: int, seats: int = SEATS) -> None:
        self.rng = np.random.default_rng(seed)
        self.strengths = self.rng.normal(0, 0.8, agents)
        self.advantages = self.rng.normal(0, 0.6, seats)

    def matches(self, count: int, *, several: bool, ties: str = "") -> list[RankedMatch]:
        """So many matches; agents may sit on several seats, or on one each; ties as they come about in games."""
        rng, seats, agents = self.rng, len(self.advantages), len(self.strengths)
        sit = (
            rng.integers(0, agents, (count, seats))
            if several
            else rng.permuted(np.tile(np.arange(agents), (count, 1)), axis=1)[:, :seats]
        )
        worth = self.strengths[sit] + self.advantages
        play = worth + rng.gumbel(size=worth.shape)
        if ties == "close":  # equal centres
            play = np.floor(play / 0.3)
        places = (play[:, None, :] > play[:, :, None]).sum(axis=2)
        if ties == "out":  # all but the first four are eliminated
            places = np.minimum(places, 4)
        elif ties == "drawn":  # the leaders share
            shared = np.where(rng.random(count) < 0.3, rng.integers(2, 4, count), 0)
            places[places < shared[:, None]] = 0
        elif ties == "half":  # of two, a draw where another play of it would have ended otherwise
            again = worth + rng.gumbel(size=worth.shape)
            places[(again[:, 0] > again[:, 1]) != (play[:, 0] > play[:, 1])] = 0
        order = tuple(range(seats))
        return [
            RankedMatch(tuple(who), order, tuple(found), number // (2 * seats))
            for number, (who, found) in enumerate(zip(sit.tolist(), places.tolist(), strict=True))
        ]


def covered(count: int, runs: int, *, several: bool, ties: str, seats: int = SEATS, seed: int = 0) -> list[bool]:
    """Return True if the intervals of ratings cover the truth."""
    agents = 4 if several or seats < 4 else 7
    found = []
    for run in range(runs):
        simulation = Simulation(seed + 1000 * run, agents=agents, seats=seats)
        fitted = fit(simulation.matches(count, several=several, ties=ties), agents, seats)
        for agent in range(1, agents):
            rating = fitted.rating(agent, 0)
            truth = POINTS * (simulation.strengths[agent] - simulation.strengths[0])
            found.append(bool(abs(rating.points - truth) <= rating.half))
    return found


@pytest.mark.parametrize("ties", ["", "close", "out", "drawn"])
def test_intervals_cover_as_often_as_they_say(ties: str) -> None:
    found = [covered(70, 150, several=several, ties=ties, seed=7) for several in (False, True)]
    assert 0.93 <= np.mean([one for run in found for one in run]) <= 0.97


@pytest.mark.long
def test_intervals_cover_as_often_as_they_say_of_350_matches() -> None:
    found = [
        covered(350, 50, several=several, ties=ties, seed=1) for several in (False, True) for ties in ("", "close")
    ]
    assert 0.93 <= np.mean([one for run in found for one in run]) <= 0.97


def test_intervals_of_games_for_two_with_draws_cover_as_often_as_they_say() -> None:
    assert 0.93 <= np.mean(covered(160, 200, several=False, ties="half", seats=2, seed=3)) <= 0.97


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("ties", ["", "close", "out", "drawn"])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("count", [70, 350])
def test_intervals_cover_as_often_as_they_say_in_many_runs(count: int, several: bool, ties: str) -> None:
    assert 0.93 <= np.mean(covered(count, 400, several=several, ties=ties, seed=11)) <= 0.97


def test_blocks_whose_matches_agree_widen_the_intervals() -> None:
    simulation = Simulation(1, agents=4)
    alone = simulation.matches(70, several=True)
    repeated = [
        RankedMatch(match.agents, match.seats, match.places, number)
        for number, match in enumerate(alone)
        for _ in range(4)
    ]
    once, four_times = fit(alone, 4, SEATS), fit(repeated, 4, SEATS)
    assert four_times.spread == pytest.approx(4, rel=0.35)
    assert four_times.rating(1, 0).half == pytest.approx(once.rating(1, 0).half, rel=0.25)


def in_blocks(wins: int, blocks: int, times: int) -> list[RankedMatch]:
    """Return two who meet so many times in each block, which one of them wins or loses altogether."""
    results = [(0, 1) if block < wins else (1, 0) for block in range(blocks)]
    return [RankedMatch((0, 1), (0, 0), places, at) for at, places in enumerate(results) for _ in range(times)]


@pytest.mark.parametrize(("wins", "blocks"), [(3, 5), (7, 10), (2, 30)])
def test_the_spread_is_how_much_blocks_vary_beside_independent_matches(wins: int, blocks: int) -> None:
    found = fit(in_blocks(wins, blocks, 3), 2, 1)
    chance = 1 / (1 + math.exp(found.strengths[1] - found.strengths[0]))
    surprises = [3 * (1 - chance)] * wins + [3 * -chance] * (blocks - wins)
    seen = sum(one**2 for one in surprises) / (blocks - 1)
    assert found.spread == pytest.approx(seen / (3 * chance * (1 - chance)))


def test_few_blocks_say_nothing_of_how_they_vary() -> None:
    assert fit(in_blocks(2, 4, 3), 2, 1).spread == 1.0
    assert fit(in_blocks(2, 5, 3), 2, 1).spread > 2.0


def test_blocks_that_vary_less_are_believed_when_they_are_many() -> None:
    for blocks, spread in ((19, 1.0), (20, LEAST_SPREAD)):
        drawn = [RankedMatch((0, 1), (0, 0), (0, 0), block) for block in range(blocks)]
        assert fit(drawn, 2, 1).spread == spread


def test_blocks_whose_matches_agree_widen_ratings_by_what_is_not_the_priors() -> None:
    matches = in_blocks(7, 10, 4)
    found = fit(matches, 2, 1)
    chance = 1 / (1 + math.exp(found.strengths[1] - found.strengths[0]))
    curvature = 2 * len(matches) * chance * (1 - chance)
    prior = 1 / PRIOR**2
    variance = 2 * (found.spread * curvature + prior) / (curvature + prior) ** 2
    assert found.rating(0, 1).half == pytest.approx(POINTS * 1.959964 * math.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize("several", [False, True])
def test_who_shares_a_draw_is_above_who_lost(several: bool) -> None:
    match = RankedMatch(tuple(range(7)), tuple(range(7)), (0, 0, 0, 3, 4, 5, 5))
    found = fit([match] * (9 if several else 1), 7, 7).strengths
    assert found[0] == pytest.approx(found[1])
    assert found[1] == pytest.approx(found[2])
    assert found[2] > found[3] > found[4] > found[5]
    assert found[5] == pytest.approx(found[6])


def test_a_draw_of_two_is_half_a_win_of_each() -> None:
    won, lost, drawn = (RankedMatch((0, 1), (0, 0), places) for places in ((0, 1), (1, 0), (0, 0)))
    assert fit([won, lost, won], 2, 1).strengths == pytest.approx(fit([won, drawn, drawn], 2, 1).strengths)


@pytest.mark.parametrize(
    "matches",
    [
        [],
        [RankedMatch((0,), (0,), (0,))],
        [RankedMatch((0, 0), (0, 1), (0, 1))] * 5,
        [RankedMatch((0, 1), (0, 1), (0, 0))] * 100,
        [RankedMatch((0, 1), (0, 1), (0, 1))] * 1000,
        [RankedMatch(tuple(range(7)), tuple(range(7)), (0,) * 7, block) for block in range(30)],
        [RankedMatch((0, 1, 2), (0, 1, 2), (0, 1, 2)), RankedMatch((0, 1), (0, 1), (1, 0))],
    ],
    ids=["none", "one agent alone", "against itself", "all draws", "all wins", "seven all draws", "two sizes"],
)
def test_degenerate_fields_have_finite_ratings(matches: list[RankedMatch]) -> None:
    found = fit(matches, 7, 7)
    for agent in range(7):
        rating = found.rating(agent, 0)
        assert math.isfinite(rating.points)
        assert math.isfinite(rating.half)
        assert 0 <= found.superiority(agent, 0) <= 1
    assert all(math.isfinite(found.seat_points(seat).half) for seat in range(7))


def test_agents_that_only_draw_are_equal_and_known_to_be() -> None:
    found = fit([RankedMatch((0, 1), (block % 2, 1 - block % 2), (0, 0), block) for block in range(100)], 2, 2)
    assert found.rating(0, 1).points == pytest.approx(0, abs=1e-6)
    assert found.spread == LEAST_SPREAD
    assert 5 < found.rating(0, 1).half < 60
    assert found.superiority(0, 1) == pytest.approx(0.5)


def test_nobody_is_certain_to_win_because_he_always_did() -> None:
    found = fit([RankedMatch((0, 1), (0, 0), (0, 1), block) for block in range(30)], 2, 1)
    assert found.rating(0, 1).points > found.rating(0, 1).half > 200
    assert found.superiority(0, 1) > 0.99
    assert found.rating(1, 1) == found.rating(0, 0)


def test_the_order_of_matches_does_not_matter() -> None:
    simulation = Simulation(5, agents=5)
    matches = simulation.matches(100, several=True, ties="close")
    forwards, backwards = fit(matches, 5, SEATS), fit(matches[::-1], 5, SEATS)
    assert forwards.strengths == pytest.approx(backwards.strengths, abs=1e-6)
    assert forwards.covariance == pytest.approx(backwards.covariance, abs=1e-6)


def test_without_ties_and_seats_it_agrees_with_choix() -> None:
    simulation = Simulation(3, agents=6, seats=4)
    simulation.advantages[:] = 0
    matches = [RankedMatch(match.agents, (0,) * 4, match.places) for match in simulation.matches(60, several=False)]
    rankings = [tuple(match.agents[player] for player in np.argsort(match.places)) for match in matches]
    theirs = choix.opt_rankings(6, rankings, alpha=1 / (2 * PRIOR**2), method="Newton-CG", tol=1e-10)
    assert fit(matches, 6, 1).strengths == pytest.approx(theirs - theirs.mean(), abs=1e-4)


def test_seats_get_the_advantage_that_is_theirs() -> None:
    simulation = Simulation(9, agents=4)
    found = fit(simulation.matches(1000, several=True), 4, SEATS)
    for seat in range(SEATS):
        points = found.seat_points(seat)
        truth = POINTS * (simulation.advantages[seat] - simulation.advantages.mean())
        assert abs(points.points - truth) < 1.6 * points.half


def brute_force(matches: list[RankedMatch], strengths: list[float]) -> float:
    """Return the likelihood as its definition says it, one order of those who share a place after another."""
    total = 0.0
    for match in matches:
        levels = sorted(set(match.places))
        groups = [
            [a for a, place in zip(match.agents, match.places, strict=True) if place == level] for level in levels
        ]
        orders = list(product(*(permutations(group) for group in groups)))
        for order in orders:
            line = [agent for group in order for agent in group]
            last = len(groups[-1]) if len(groups) > 1 and len(groups[-1]) > 1 else 0
            for at in range(len(line) - last):
                field = sum(math.exp(strengths[agent]) for agent in line[at:])
                total += (strengths[line[at]] - math.log(field)) / len(orders)
    return total


def test_the_fit_is_the_maximum_of_what_it_says() -> None:
    matches = [
        RankedMatch((0, 1, 2, 3), (0,) * 4, (0, 0, 1, 2)),
        RankedMatch((3, 1, 0, 2), (0,) * 4, (0, 1, 1, 1)),
        RankedMatch((2, 3), (0, 0), (0, 0)),
        RankedMatch((1, 0, 2), (0, 0, 0), (2, 0, 1)),
        *[RankedMatch((0, 1, 2), (0, 0, 0), (0, 1, 1))] * 4,
    ]
    found: Fit = fit(matches, 4, 1)

    def value(strengths: list[float]) -> float:
        return brute_force(matches, strengths) - sum(one**2 for one in strengths) / (2 * PRIOR**2)

    best = [*found.strengths.tolist()]
    for one, other in combinations(range(4), 2):
        for step in (1e-3, -1e-3):
            moved = list(best)
            moved[one] += step
            moved[other] -= step
            assert value(moved) < value(best)


def test_intervals_follow_from_how_surely_strengths_are_known_together() -> None:
    found = Fit(np.array([0.5, 0.0]), np.array([0.3, 0.0, 0.0]), np.diag([0.04, 0.05, 0.09, 0.09, 0.09]))
    width = POINTS * 1.959964
    assert found.rating(0, 1).points == pytest.approx(POINTS * 0.5)
    assert found.rating(0, 1).half == pytest.approx(width * 0.3)
    assert found.rating(0, 1, level=0.99).half == pytest.approx(POINTS * 2.575829 * 0.3)
    assert found.superiority(0, 1) == pytest.approx(0.9522096, abs=1e-6)
    assert found.seat_points(0).points == pytest.approx(POINTS * 0.2)
    assert found.seat_points(0).half == pytest.approx(width * 0.3 * math.sqrt(2 / 3))
    assert found.seat_points(1).points == pytest.approx(-POINTS * 0.1)
