"""Players that do not talk: legal orders always, and greedy beats random."""

from __future__ import annotations

import random

import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.plan import plan
from parlour.core.game import Seat
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.map import named
from parlour.games.diplomacy.position import Position
from parlour.testing import check_player
from press_stories import at

FRANCE = Seat("FRANCE")


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_plays_without_a_foul(name: str) -> None:
    check_player(Diplomacy(), lambda: make_agent("diplomacy", name, 1), {"last_year": 1903}, matches=1)


@pytest.mark.parametrize("seed", range(3))
def test_greedy_does_far_better_than_random(seed: int) -> None:
    position, rng = Position.start(last_year=1908), random.Random(seed)
    hero = position.alive()[seed]
    while not position.over and position.to_act():
        actions = {seat: position.sample(seat, rng) for seat in position.to_act()}
        if hero in actions:
            actions[hero] = plan(position, hero, rng)
            assert not position.check(hero, actions[hero])
        position, _ = position.apply(actions)
    assert len(position.centers[hero]) >= 8


def test_plan_knows_variants() -> None:
    position, rng = Position.start(named("lagoon")), random.Random(0)
    for _ in range(8):
        actions = {seat: plan(position, seat, rng) for seat in position.to_act()}
        assert not any(position.check(seat, action) for seat, action in actions.items())
        position, _ = position.apply(actions)


def test_fixed_orders_are_given_and_forbidden_ones_are_not() -> None:
    position = Position.start()
    for seed in range(10):
        orders = plan(
            position,
            FRANCE,
            random.Random(seed),
            fixed={"PAR": "A PAR - PIC"},
            allowed=lambda order: "BUR" not in order,
        )
        assert "A PAR - PIC" in orders
        assert not any("BUR" in order for order in orders)
        assert len(orders) == 3


def test_impossible_fixed_order_is_left_out() -> None:
    orders = plan(Position.start(), FRANCE, random.Random(0), fixed={"PAR": "A PAR - ROM"})
    assert "A PAR - ROM" not in orders


def test_builds_and_removals_are_as_many_as_due() -> None:
    winter = at("W1901A", "FRA=APAR;GER=AMUN,ABER,FKIE", "FRA=PAR,BRE,MAR;GER=MUN")
    rng = random.Random(0)
    assert len(plan(winter, FRANCE, rng)) == 2
    removals = plan(winter, Seat("GERMANY"), rng)
    assert len(removals) == 2
    assert all(order.endswith(" D") for order in removals)


def test_dislike_turns_the_units_there() -> None:
    position = at("S1902M", "FRA=ABUR", "FRA=PAR;GER=MUN;ITA=MAR")
    rng = random.Random(0)
    germans = plan(position, FRANCE, rng, dislike={Seat("GERMANY"): 3.0})
    italians = plan(position, FRANCE, rng, dislike={Seat("ITALY"): 3.0})
    assert (germans, italians) == (["A BUR - MUN"], ["A BUR - MAR"])
