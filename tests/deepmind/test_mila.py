"""MILA names: the 13,006 strings, all 18,584 actions both ways, and what is refused."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from enum import Enum
from typing import Any

import numpy as np
import pytest

from parlour.deepmind.actions import POSSIBLE_ACTIONS
from parlour.deepmind.mila import (
    action_to_mila_action,
    action_to_mila_actions,
    mila_action_to_action,
    mila_action_to_possible_actions,
)
from parlour.deepmind.mila_list import mila_actions
from parlour.deepmind.readable import human_readable_action
from parlour.deepmind.season import Season
from parlour.errors import IllegalAction, NotationError
from parlour.games.diplomacy.formats import fen

ALL = POSSIBLE_ACTIONS.tolist()
SEASONS = (Season.SPRING_MOVES, Season.AUTUMN_RETREATS, Season.BUILDS)
EXAMPLES = [
    ("A PAR H", 0, 0x002E000000001403, ["A PAR H"]),
    ("A PAR - BUR", 0, 0x011E000000021404, ["A PAR - BUR"]),
    ("A MAR S A PAR - BUR", 0, 0x0BB6000014027806, ["A MAR S A PAR - BUR"]),
    ("F NTH C A LON - NWY", 0, 0x30800000747C3802, ["F NTH C A LON - NWY"]),
    ("A LON - NWY VIA", 0, 0x08640000007C7401, ["A LON - NWY VIA"]),
    ("F MAO - SPA/SC", 0, 0x0A6C000000933404, ["F MAO - SPA/SC"]),
    ("A GAS - SPA", 0, 0x0A44000000924C04, ["A GAS - SPA", "F GAS - SPA/NC"]),
    ("A MAR - SPA", 0, 0x0A59000000927804, ["A MAR - SPA"]),
    ("F MAR - SPA/SC", 0, 0x0A70000000937804, ["F MAR - SPA/SC"]),
    ("A POR - SPA", 0, 0x0A5F000000927E04, ["A POR - SPA", "F POR - SPA/NC"]),
    ("F BUL/EC - CON", 0, 0x067F000000689004, ["A BUL - CON", "F BUL/EC - CON", "F BUL/SC - CON"]),
    ("F SPA/SC - MAO", 0, 0x02F4000000349204, ["F SPA/NC - MAO", "F SPA/SC - MAO"]),
    ("A VIE S F TRI", 0, 0x09710000008A1805, ["A VIE S A TRI", "A VIE S F TRI"]),
    (
        "A GAS S F SPA/SC",
        0,
        0x0A45000000924C05,
        [f"{x} GAS S {y}" for x in "AF" for y in ("A SPA", "F SPA/NC", "F SPA/SC")],
    ),
    ("F CON S F GRE - BUL", 0, 0x2B9400006E906806, [f"{x} CON S {y} GRE - BUL" for x in "AF" for y in "AF"]),
    ("F LYO S A MAR - SPA", 0, 0x342B000078922C06, ["F LYO S A MAR - SPA", "F LYO S F MAR - SPA"]),
    ("A GAS S F SPA/SC - MAR", 0, 0x4626000092784C06, ["A GAS S A SPA - MAR", "A GAS S F SPA/SC - MAR"]),
    ("F ENG C A BRE - WAL", 0, 0x23410000665C2802, ["F ENG C A BRE - WAL"]),
    ("F BOT - STP/SC", 0, 0x0AA9000000952A04, ["F BOT - STP/SC"]),
    ("F STP/SC H", 0, 0x0112000000009403, ["A STP H", "F STP/NC H", "F STP/SC H"]),
    ("A NWY R STP", 1, 0x0A9F000000947C09, ["A NWY R STP", "F NWY R STP/NC"]),
    ("A BUD D", 1, 0x0020000000000E08, ["A BUD D"]),
    ("A BUD D", 3, 0x0020000000000E08, ["A BUD D"]),
    ("A BUD D", 4, 0x0022000000000E0C, ["A BUD D"]),
    ("A BUD D", 0, 0x0022000000000E0C, ["A BUD D"]),
    ("F STP/SC B", 4, 0x011700000000950B, ["F STP/SC B"]),
    ("WAIVE", 4, 0x000300000000000D, ["WAIVE"]),
    ("F ADR C A ALB - TUN", 0, 0x0FB00000428C1C02, ["F ADR C A ALB - TUN"]),
    ("F NAO S A STP - LVP", 0, 0x47DB000094763606, ["F NAO S A STP - LVP"]),
]


@pytest.fixture(scope="module")
def names() -> dict[int, list[str]]:
    return {action: action_to_mila_actions(action) for action in ALL}


def test_the_list_is_milas_in_order() -> None:
    listed = mila_actions()
    assert len(listed) == 13006
    digest = hashlib.sha256("\n".join(listed).encode()).hexdigest()
    assert digest == "c653452baabdad4cb5d0b06c8fffc625c16875f700ce4f093008d292b00b5e7a"


@pytest.mark.parametrize(("name", "season", "action", "back"), EXAMPLES)
def test_worked_examples(name: str, season: int, action: int, back: list[str]) -> None:
    assert mila_action_to_action(name, season) == action
    assert action_to_mila_actions(action) == back


def test_every_action_comes_back_from_each_of_its_names(names: dict[int, list[str]]) -> None:
    for action, its in names.items():
        season = Season.SPRING_RETREATS if action & 255 == 8 else Season.BUILDS
        assert all(mila_action_to_action(name, season) == action for name in its)


def test_every_listed_name_comes_back_from_its_action(names: dict[int, list[str]]) -> None:
    for name in mila_actions():
        found = {mila_action_to_action(name, season) for season in SEASONS}
        assert all(name in names[action] for action in found)
        # Only disbanding and removal share a name.
        assert len(found) == 1 or {action & 255 for action in found} == {8, 12}


def test_all_actions_of_a_name(names: dict[int, list[str]]) -> None:
    assert mila_action_to_possible_actions("A PAR - BUR") == [0x011E000000021404]
    assert mila_action_to_possible_actions("A BUD D") == [0x0020000000000E08, 0x0022000000000E0C]
    by_name: dict[str, list[int]] = {}
    for action, its in names.items():
        for name in its:
            by_name.setdefault(name, []).append(action)
    assert all(mila_action_to_possible_actions(name) == actions for name, actions in by_name.items())


def test_how_many_names_actions_have(names: dict[int, list[str]]) -> None:
    assert Counter(map(len, names.values())) == {1: 15158, 2: 3146, 3: 94, 4: 171, 6: 15}


def test_names_outside_milas_list_are_long_or_idle_convoys(names: dict[int, list[str]]) -> None:
    listed = set(mila_actions())
    causes: Counter[str] = Counter()
    for name in {name for its in names.values() for name in its} - listed:
        carried = re.search(r"(A \w+) - (\w+)", name)
        assert carried is not None
        far = f"{carried[0]} VIA" not in listed
        causes[f"{'far' if far else 'near'} {'via' if name.endswith('VIA') else name.split()[2]}"] += 1
    assert causes == {"far via": 374, "far C": 4238, "near C": 2176, "far S": 2565, "near S": 27}


@pytest.mark.parametrize(
    ("name", "plain"),
    [("F POR S F MAO - SPA/NC", "F POR S F MAO - SPA"), ("A GAS S F MAR - SPA/SC", "A GAS S F MAR - SPA")],
)
def test_a_coast_on_the_destination_of_a_support_is_ignored(name: str, plain: str) -> None:
    assert mila_action_to_action(name, 0) == mila_action_to_action(plain, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        "", "A PAR", "A PAR - BER", "F PAR H", "A ECH H", "A NTH H", "F SPA H", "A STP/NC H", "A PAR  H", "a par h",
        "A PAR H ", "A PAR R BUR VIA", "F NTH C A LON", "A SPA B", "A PAR - BUR VIA", "F MAO - SPA", "A MAO - SPA/SC",
        "F STP B", "A PAR S A PAR - BUR", "F NTH C F LON - NWY", "A GAS - SPA/SC", "WAIVE D", "A PAR H" * 9999,
    ],
)  # fmt: skip
def test_other_strings_are_refused_in_words(wrong: str) -> None:
    with pytest.raises(NotationError, match="MILA action") as caught:
        mila_action_to_action(wrong, 0)
    assert len(str(caught.value)) < 140


PRESS_EXAMPLES = [
    ("A PAR - BUR", 0, 0x011E000000021404),
    ("A PAR H", 0, 0x002E000000001403),
    ("A PAR S A MAR - BUR", 0, 0x32C6000078021406),
    ("A BUR S A PAR", 0, 0x01CE000000140205),
    ("F LON - NTH", 0, 0x0321000000387404),
    ("F NTH C A YOR - NWY", 0, 0x200900005E7C3802),
    ("A YOR - NWY VIA", 0, 0x085B0000007C5E01),
    ("F MAO - SPA/NC", 0, 0x0A3C000000923404),
    ("F MAO - SPA/SC", 0, 0x0A6C000000933404),
    ("F CON - BUL/EC", 0, 0x0A17000000906804),
    ("F CON - BUL/SC", 0, 0x0A37000000916804),
    ("A STP B", 4, 276 << 48 | 0x0000940A),
    ("F STP/NC B", 4, 277 << 48 | 0x0000940B),
    ("F STP/SC B", 4, 279 << 48 | 0x0000950B),
    ("A PAR D", 1, 47 << 48 | 0x00001408),
    ("A PAR D", 4, 49 << 48 | 0x0000140C),
    ("A PAR R GAS", 1, 0x04250000004C1409),
    ("WAIVE", 4, 0x000300000000000D),
]


@pytest.mark.parametrize(("name", "season", "action"), PRESS_EXAMPLES)
def test_more_worked_examples(name: str, season: int, action: int) -> None:
    assert mila_action_to_action(name, season) == action
    assert name in action_to_mila_actions(action)


def test_actions_may_come_straight_from_the_table_or_without_their_index() -> None:
    for action in (POSSIBLE_ACTIONS[46], np.uint64(0x002E000000001403), 0x1403, np.int32(0x1403)):
        assert action_to_mila_actions(action) == ["A PAR H"]
        assert human_readable_action(action) == "PAR H"


class Published(Enum):
    """Seasons as the published code has them: no numbers, and no relation to ours."""

    AUTUMN_RETREATS = 3
    BUILDS = 4


def test_the_season_may_be_the_published_one() -> None:
    assert mila_action_to_action("A BUD D", Published.AUTUMN_RETREATS) == 0x0020000000000E08  # type: ignore[arg-type]
    assert mila_action_to_action("A BUD D", Published.BUILDS) == 0x0022000000000E0C  # type: ignore[arg-type]
    assert mila_action_to_action("A BUD D", np.int64(1)) == 0x0020000000000E08  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [5, -1, None, "BUILDS", float("nan")])
def test_what_is_no_season_is_refused(wrong: Any) -> None:
    with pytest.raises(NotationError, match="season: expected 0 to 4"):
        mila_action_to_action("A BUD D", wrong)


@pytest.mark.parametrize(
    "wrong", [0, -1, 1 << 70, 0x1403 | 47 << 48, 0x1403 | 46 << 48 | 1 << 40, "A PAR H", None, float("nan"), [], 5123.0]
)
def test_other_numbers_are_refused(wrong: Any) -> None:
    for reader in (human_readable_action, action_to_mila_actions):
        with pytest.raises(NotationError, match="no possible action"):
            reader(wrong)
    with pytest.raises(NotationError, match="no possible action"):
        action_to_mila_actions(wrong)


def test_the_one_name_that_is_legal_in_a_position() -> None:
    state = fen.read("standard S1901M FRA=AGAS,FMAO;ITA=FSPA/SC;RUS=FSTP/SC FRA=PAR").state
    gas_supports_spa = 0x0A45000000924C05
    assert action_to_mila_action(gas_supports_spa, state) == "A GAS S F SPA/SC"
    assert action_to_mila_action(0x0112000000009403, state) == "F STP/SC H"
    assert action_to_mila_action(0x0A3C000000923404, state) == "F MAO - SPA/NC"
    with pytest.raises(IllegalAction, match="PAR: no unit"):
        action_to_mila_action(0x002E000000001403, state)
    with pytest.raises(IllegalAction, match="MAR: no unit"):
        action_to_mila_action(mila_action_to_action("A GAS S A MAR - SPA", 0), state)


def test_the_name_of_a_retreat_is_that_of_the_dislodged_unit() -> None:
    state = fen.read("standard F1901R FRA=ASPA FRA=SPA ITA=FSPA/NC<GAS").state
    action = mila_action_to_action("F SPA/NC R POR", Season.AUTUMN_RETREATS)
    assert action_to_mila_action(action, state) == "F SPA/NC R POR"
