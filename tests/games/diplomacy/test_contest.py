"""Diplomacy for tournaments: every power once, and points by all systems."""

from __future__ import annotations

import pytest

from parlour.core.game import Outcome, Seat
from parlour.games import load_contest
from parlour.games.diplomacy import GAME
from parlour.games.diplomacy.contest import CONTEST
from parlour.games.diplomacy.position import Position

SEATS = GAME.seats({})


def test_every_player_is_on_every_power_once() -> None:
    orders = CONTEST.orders(7)
    assert len(orders) == 7
    for seat in range(7):
        assert sorted(order[seat] for order in orders) == list(range(7))
    assert CONTEST.sizes({}) == (7, 7)
    assert CONTEST.deals({"last_year": 1905}, 7, 3) == ({"last_year": 1905},)


def test_points_by_all_systems() -> None:
    position = Position.start(last_year=1901).stopped()
    outcome = position.outcome()
    assert outcome is not None
    points = CONTEST.points(position, outcome, ())
    assert set(points) == set(load_contest("diplomacy").scores)
    assert points["sum of squares"] == outcome.scores
    assert points["draw size"]["FRANCE"] == pytest.approx(1 / 7)
    assert points["centre share"]["RUSSIA"] == pytest.approx(4 / 22)
    assert points["solo"] == dict.fromkeys(SEATS, 0.0)
    assert CONTEST.points(position, outcome, (Seat("RUSSIA"),))["centre share"]["RUSSIA"] == 0


def test_a_draw_that_was_agreed_counts_for_those_who_agreed() -> None:
    position = Position.start(last_year=1905)
    outcome = position.drawn((Seat("FRANCE"), Seat("ENGLAND")))
    points = CONTEST.points(position, outcome, ())
    assert points["draw size"]["FRANCE"] == 0.5
    assert points["draw size"]["RUSSIA"] == 0
    nothing = Outcome(dict.fromkeys(SEATS, 0.0), (), "cancelled")
    assert sum(CONTEST.points(position, nothing, ())["sum of squares"].values()) == 0
