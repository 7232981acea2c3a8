"""The package's rules of games: which hold, which are names only, and what they change."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from parlour.core.viewers import SPECTATOR
from parlour.games.diplomacy.maps.map import SHIPPED, named, standard
from parlour.games.diplomacy.variations import BY_PACKAGE, Variation
from parlour.net.client import connect
from parlour.net.mila.rules import KNOWN, excluded, house_rules, resolved, rules_of, terms_of
from support.mila.house import HOST, mila_server

ALL = [
    *("POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER", "NO_OBSERVATIONS", "SOLITAIRE", "START_MASTER", "NO_PRESS"),
    *("PUBLIC_PRESS", "DONT_SKIP_PHASES", "IGNORE_ERRORS", "BUILD_ANY", "CIVIL_DISORDER", "CD_DUMMIES", "NO_DEADLINE"),
    *("REAL_TIME", "ALWAYS_WAIT", "PROPOSE_DIAS", "NO_DIAS", "HOLD_WIN", "SHARED_VICTORY", "NO_CHECK"),
    "DIFFERENT_ADJUDICATION",
]


def test_every_rule_of_the_package_is_known() -> None:
    assert sorted(KNOWN) == sorted(ALL)


def test_what_nobody_knows_is_passed_over() -> None:
    assert resolved(["FLYING_PIGS", "POWER_CHOICE"]) == ("POWER_CHOICE",)


def test_nobody_can_share_a_victory_on_the_maps_that_ship() -> None:
    for name in SHIPPED:
        centres = sum(province.centre for province in named(name).provinces)
        assert 2 * named(name).victory > centres, "SHARED_VICTORY would mean something there"


async def test_rules_that_change_the_game_are_in_its_configuration(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        channel = await connection.authenticate("anna", "password")
        wanted = ["POWER_CHOICE", *BY_PACKAGE, "SHARED_VICTORY"]
        game = await channel.create_game(game_id="varied", rules=wanted)
        assert set(game.rules) == set(wanted)
        of_package = [variation for variation in Variation if variation is not Variation.FOG]
        assert list(game.position.board.variations) == of_package
        plain = await channel.create_game(game_id="plain")
        assert plain.position.board is standard()
        view = await house.hall.view("varied", SPECTATOR)
        assert view.config["rules"] == of_package
        assert "rules" not in (await house.hall.view("plain", SPECTATOR)).config


def test_a_match_of_another_door_tells_which_rules_it_has() -> None:
    found = rules_of(terms_of(house_rules([], 3, standard()), 0), {"rules": ["every-phase", "unchecked"]})
    assert {"DONT_SKIP_PHASES", "NO_CHECK"} <= set(found.rules)
    assert not {"BUILD_ANY", "HOLD_WIN"} & set(found.rules)


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        (None, ("POWER_CHOICE", "NO_PRESS", "IGNORE_ERRORS")),
        (["SOLITAIRE"], ("SOLITAIRE", "CD_DUMMIES", "NO_DEADLINE", "ALWAYS_WAIT")),
        (["CIVIL_DISORDER"], ("CIVIL_DISORDER", "CD_DUMMIES")),
        (["NO_PRESS", "PUBLIC_PRESS"], ("NO_PRESS",)),
        (["REAL_TIME", "ALWAYS_WAIT"], ("ALWAYS_WAIT",)),
        (["SOLITAIRE", "REAL_TIME"], ("SOLITAIRE", "CD_DUMMIES", "NO_DEADLINE", "ALWAYS_WAIT")),
        (["PROPOSE_DIAS", "NO_DIAS"], ("NO_DIAS",)),
    ],
)
def test_rules_resolve_the_same_way_in_whatever_order_they_come(asked: list[str] | None, held: tuple[str, ...]) -> None:
    for order in permutations(asked) if asked else [None]:
        assert resolved(order) == held


@pytest.mark.parametrize("rules", [["NO_PRESS"], ["PUBLIC_PRESS"], ["REAL_TIME"], ["CIVIL_DISORDER"], []])
@pytest.mark.parametrize("deadline", [0, 60])
def test_terms_amount_to_the_rules_that_they_were_made_of(rules: list[str], deadline: int) -> None:
    house = house_rules([*rules, "POWER_CHOICE", "IGNORE_ERRORS"], 3, standard())
    found = rules_of(terms_of(house, deadline), {})
    assert set(found.rules) - {"NO_DEADLINE"} == set(house.rules)
    assert ("NO_DEADLINE" in found.rules) is (deadline == 0)
    assert found.n_controls == 3


@pytest.mark.parametrize(("deadline", "per_turn"), [(-1, None), (0, None), (1, 1.0), (60, 60.0)])
def test_a_deadline_is_in_seconds_and_none_if_it_is_not_above_zero(deadline: int, per_turn: float | None) -> None:
    assert terms_of(house_rules([], 3, standard()), deadline).clock.per_turn == per_turn
    assert terms_of(house_rules(["NO_DEADLINE"], 3, standard()), deadline).clock.per_turn is None


def test_a_game_that_nobody_must_play_is_a_solitaire_without_deadlines() -> None:
    house = house_rules(["NO_PRESS"], 0, standard())
    assert house.rules == ("SOLITAIRE", "NO_PRESS", "CD_DUMMIES", "NO_DEADLINE", "ALWAYS_WAIT")
    assert terms_of(house, 300).clock.per_turn is None
    in_real_time = house_rules(["REAL_TIME"], 0, standard())
    assert {"SOLITAIRE", "REAL_TIME"} <= set(in_real_time.rules)
    assert not terms_of(in_real_time, 0).wait_flags_up
    assert "SOLITAIRE" not in house_rules(["NO_PRESS"], 1, standard()).rules


@pytest.mark.parametrize(
    ("rules", "out"),
    [
        (["REAL_TIME"], ["ALWAYS_WAIT"]),
        (["SOLITAIRE"], ["REAL_TIME"]),
        (["PROPOSE_DIAS", "ALWAYS_WAIT"], ["REAL_TIME", "NO_DIAS"]),
        (["NO_DIAS"], ["PROPOSE_DIAS"]),
        (["NO_PRESS", "POWER_CHOICE"], []),
        (["PUBLIC_PRESS"], []),
    ],
)
def test_rules_keep_others_out_as_in_the_package(rules: list[str], out: list[str]) -> None:
    assert sorted(excluded(resolved(rules))) == sorted(out)


@pytest.mark.parametrize(("asked", "wanted"), [(None, 7), (0, 0), (3, 3), (99, 7)])
def test_how_many_must_play(asked: int | None, wanted: int) -> None:
    assert house_rules(None, asked, standard()).n_controls == wanted
    assert house_rules(["SOLITAIRE"], asked, standard()).n_controls == 0
