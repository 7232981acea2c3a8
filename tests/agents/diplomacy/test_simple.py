"""Players that do not think ahead: legal orders always, and each what its name says."""

from __future__ import annotations

import random

import pytest

from parlour.agents import make_agent
from parlour.core.game import Seat, View
from parlour.errors import ConfigError
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.testing import check_player
from support.press.stories import at

FRANCE = Seat("FRANCE")


@pytest.mark.parametrize("name", ["hold", "random", "greedy"])
def test_plays_without_a_foul(name: str) -> None:
    check_player(Diplomacy(), lambda: make_agent("diplomacy", name, 1), {"last_year": 1903}, matches=1)


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


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "sbr:draws=0",
            "agent: sbr:draws: expected a whole number from 1 to 100000 (own order sets",
        ),
        ("sbr:samples=-1", "agent: sbr:samples: expected a whole number from 1 to 100000"),
        ("sbr:budget=9", "agent: sbr has no option 'budget', expected draws, samples"),
        ("sbr3", "agent: 'sbr' takes no number"),
        ("hold:budget=1", "agent: hold has no option 'budget', it takes none"),
        ("dumbbot:port=mine", "agent: dumbbot:port: expected original or parlance or dipnet"),
        ("dumbbot:stray=101", "agent: dumbbot:stray: expected a whole number from 0 to 100"),
    ],
)
def test_options_that_cannot_be_are_told_what_is_allowed(spec: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_agent("diplomacy", spec, 0)
    assert message in str(caught.value)
