"""Players that do not think ahead: legal orders always, and each what its name says."""

from __future__ import annotations

import random

import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.plan import plan
from parlour.core.game import Seat, View
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.map import named
from parlour.games.diplomacy.position import Position
from parlour.testing import check_player
from press_stories import at

FRANCE = Seat("FRANCE")


@pytest.mark.parametrize("name", ["hold", "random", "greedy"])
def test_plays_without_a_foul(name: str) -> None:
    check_player(Diplomacy(), lambda: make_agent("diplomacy", name, 1), {"last_year": 1903}, matches=1)


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_does_far_better_than_random(seed: int) -> None:
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


def orders(name: str, position: Position, seat: Seat, seed: int = 0) -> list[str]:
    found = make_agent("diplomacy", name, seed).act(View(seat, position, 0))
    assert isinstance(found, list)
    return found


def test_hold_does_nothing() -> None:
    assert sorted(orders("hold", Position.start(), FRANCE)) == ["A MAR H", "A PAR H", "F BRE H"]
    winter = at("W1901A", "FRA=APAR;GER=AMUN,ABER,FKIE", "FRA=PAR,BRE,MAR;GER=MUN")
    assert orders("hold", winter, FRANCE) == ["WAIVE", "WAIVE"]
    assert len(orders("hold", winter, Seat("GERMANY"))) == 2


def test_greedy_takes_the_centre_beside_it_rather_an_empty_one() -> None:
    alone = at("S1901M", "FRA=ABUR;GER=AMUN,FBEL", "FRA=MAR;GER=MUN,BEL,PAR")
    assert {orders("greedy", alone, FRANCE, seed)[0] for seed in range(20)} == {"A BUR - PAR"}
    full = at("S1901M", "FRA=ABUR;GER=AMUN,FBEL,APAR", "FRA=MAR;GER=MUN,BEL,PAR")
    assert {orders("greedy", full, FRANCE, seed)[0] for seed in range(40)} == {
        "A BUR - PAR",
        "A BUR - MUN",
        "A BUR - BEL",
    }


def test_greedy_stays_on_what_it_is_taking_and_sends_no_two_to_one_place() -> None:
    position = at("F1901M", "FRA=ASPA", "FRA=MAR,POR;GER=MUN")
    assert {orders("greedy", position, FRANCE, seed)[0] for seed in range(20)} == {"A SPA H"}
    pair = at("S1901M", "FRA=AGAS,AMAR", "FRA=PAR,BRE,MAR;GER=MUN")
    for seed in range(20):
        targets = [order.split()[3] for order in orders("greedy", pair, FRANCE, seed) if " - " in order]
        assert len(targets) == len(set(targets))


def test_greedy_never_supports() -> None:
    position, rng = Position.start(), random.Random(1)
    for _ in range(12):
        actions = {seat: orders("greedy", position, seat, rng.getrandbits(30)) for seat in position.to_act()}
        assert not any(" S " in order or " C " in order for own in actions.values() for order in own)
        position, _ = position.apply(actions)


def test_the_sampled_response_plays_and_takes_what_its_draws_show() -> None:
    name = "sbr:draws=6,samples=2"
    check_player(Diplomacy(), lambda: make_agent("diplomacy", name, 1), {"last_year": 1903}, matches=1)
    autumn = at("F1901M", "FRA=AGAS;GER=AMUN", "FRA=PAR,MAR,BRE;GER=MUN")
    assert orders("sbr", autumn, FRANCE) == ["A GAS - SPA"]
