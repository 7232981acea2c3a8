"""The package's rules of games: which hold, which are names only, and which are refused."""

from __future__ import annotations

import asyncio
from itertools import permutations
from pathlib import Path

import pytest

from mila_house import HOST, mila_server
from parlour.games.diplomacy.map import standard
from parlour.net.client import connect
from parlour.net.mila.faults import GameCreationException
from parlour.net.mila.rules import KNOWN, NOT_PLAYED, house_rules, not_played, resolved, rules_of, terms_of

ALL = [
    *("POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER", "NO_OBSERVATIONS", "SOLITAIRE", "START_MASTER", "NO_PRESS"),
    *("PUBLIC_PRESS", "DONT_SKIP_PHASES", "IGNORE_ERRORS", "BUILD_ANY", "CIVIL_DISORDER", "CD_DUMMIES", "NO_DEADLINE"),
    *("REAL_TIME", "ALWAYS_WAIT", "PROPOSE_DIAS", "NO_DIAS", "HOLD_WIN", "SHARED_VICTORY", "NO_CHECK"),
    "DIFFERENT_ADJUDICATION",
]


def test_every_rule_of_the_package_is_played_or_refused() -> None:
    assert sorted([*KNOWN, *NOT_PLAYED]) == sorted(ALL)


@pytest.mark.parametrize("rule", sorted(NOT_PLAYED))
def test_what_is_not_played_is_refused_with_a_sentence(tmp_path: Path, rule: str) -> None:
    async def scenario() -> None:
        async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
            channel = await connection.authenticate("anna", "password")
            with pytest.raises(GameCreationException, match=f"{rule} is not played here: "):
                await channel.create_game(rules=["POWER_CHOICE", rule])
            assert await channel.list_games() == []

    asyncio.run(scenario())


def test_what_nobody_knows_is_passed_over() -> None:
    assert not not_played(["POWER_CHOICE", "FLYING_PIGS"])
    assert not not_played(None)
    assert resolved(["FLYING_PIGS", "POWER_CHOICE"]) == ("POWER_CHOICE",)


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
    found = rules_of(terms_of(house, deadline))
    assert set(found.rules) - {"NO_DEADLINE"} == set(house.rules)
    assert ("NO_DEADLINE" in found.rules) is (deadline == 0)
    assert found.n_controls == 3


@pytest.mark.parametrize(("asked", "wanted"), [(None, 7), (0, 0), (3, 3), (99, 7)])
def test_how_many_must_play(asked: int | None, wanted: int) -> None:
    assert house_rules(None, asked, standard()).n_controls == wanted
    assert house_rules(["SOLITAIRE"], asked, standard()).n_controls == 0
