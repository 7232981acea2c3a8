"""Integer actions and their table, against published values and against a plain walk over all sea routes."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from parlour.errors import ConfigError
from parlour.games.diplomacy.maps.map import Ground, Map, named, read_map, standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table

PUBLISHED = "7119905c9e9e5ada690028961d5ba3d7aa2842458eaa05fd7f391d26ba122551"


def test_table_of_the_standard_map_is_the_published_one() -> None:
    table = action_table(standard())
    assert len(table) == 18584
    assert hashlib.sha256(table.actions.astype("<i8").tobytes()).hexdigest() == PUBLISHED


def test_table_has_the_published_number_of_each_kind() -> None:
    kinds = a.kind_of(action_table(standard()).actions)
    counts = {kind.name: int((kinds == kind).sum()) for kind in OrderKind}
    assert counts == {
        "CONVOY_TO": 1194,
        "CONVOY": 9022,
        "HOLD": 75,
        "MOVE_TO": 419,
        "SUPPORT_HOLD": 412,
        "SUPPORT_MOVE_TO": 6853,
        "DISBAND": 75,
        "RETREAT_TO": 419,
        "BUILD_ARMY": 22,
        "BUILD_FLEET": 17,
        "REMOVE": 75,
        "WAIVE": 1,
    }


@pytest.mark.parametrize(
    ("action", "kind", "ordered", "target", "third", "flag"),
    [
        (0x002E000000001403, OrderKind.HOLD, "PAR", None, None, 0),
        (0x011E000000021404, OrderKind.MOVE_TO, "PAR", "BUR", None, 0),
        (0x0BB6000014027806, OrderKind.SUPPORT_MOVE_TO, "MAR", "BUR", "PAR", 0),
        (0x30800000747C3802, OrderKind.CONVOY, "NTH", "NWY", "LON", 0),
        (0x08640000007C7401, OrderKind.CONVOY_TO, "LON", "NWY", None, 0),
        (0x0A6C000000933404, OrderKind.MOVE_TO, "MAO", "SPA", None, 1),
        (0x0A3C000000923404, OrderKind.MOVE_TO, "MAO", "SPA", None, 0),
        (0x0A45000000924C05, OrderKind.SUPPORT_HOLD, "GAS", "SPA", None, 0),
        (0x011700000000950B, OrderKind.BUILD_FLEET, "STP", None, None, 1),
        (0x011400000000940A, OrderKind.BUILD_ARMY, "STP", None, None, 0),
        (0x0020000000000E08, OrderKind.DISBAND, "BUD", None, None, 0),
        (0x0022000000000E0C, OrderKind.REMOVE, "BUD", None, None, 0),
        (0x01DB000000160E09, OrderKind.RETREAT_TO, "BUD", "SER", None, 0),
    ],
)
def test_published_examples(
    action: int, kind: OrderKind, ordered: str, target: str | None, third: str | None, flag: int
) -> None:
    board, table = standard(), action_table(standard())
    numbers = [0 if tag is None else board.spellings[tag] for tag in (ordered, target, third)]
    assert table.find(kind, numbers[0], numbers[1], numbers[2], flag) == action
    assert [a.kind_of(action), a.ordered(action), a.target(action), a.third(action)] == [kind, *numbers]
    assert a.ordered_flag(action) | a.target_flag(action) == flag
    assert table.actions[a.index_of(action)] == action
    assert action in table


def test_waive_has_no_province() -> None:
    assert action_table(standard()).find(OrderKind.WAIVE) == 0x000300000000000D


def test_a_map_with_more_actions_than_have_an_index_is_refused() -> None:
    tags = [f"{x}{y}{z}" for x in "PQ" for y in "ABCDEFGH" for z in "012345"][:40]
    lines = [f"coast {tag} Land of {tag}" for tag in tags]
    for here in tags:
        others = " ".join(there for there in tags if there != here)
        lines += [f"army {here} {others}", f"fleet {here} {others}"]
    head = "map crowd\ntitle OpponentSampler\nbegin 1\nvictory 1\npower EAST EST East\npower WEST WST West\n"
    board = read_map(head + "\n".join(lines) + f"\nneutral {tags[0]}\n")
    with pytest.raises(ConfigError, match="crowd has more than 32,767 actions"):
        action_table(board)


def test_what_the_map_does_not_admit_has_no_action() -> None:
    board, table = standard(), action_table(standard())
    assert table.find(OrderKind.MOVE_TO, board.spellings["PAR"], board.spellings["MOS"]) is None
    assert 0x011E000000021405 not in table
    assert -1 not in table


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_fields_of_an_array_are_those_of_its_members(name: str) -> None:
    table = action_table(named(name))
    some = table.actions[:: max(1, len(table) // 500)]
    for field in (a.kind_of, a.ordered, a.ordered_flag, a.target, a.target_flag, a.third, a.index_of, a.without_index):
        assert field(some).tolist() == [field(action) for action in some.tolist()]
    assert np.all(np.diff(table.actions) > 0)
    assert np.all(np.diff(table.low) > 0)


def walk(board: Map) -> dict[tuple[int, int], set[frozenset[int]]]:
    """Return the seas of every simple route between two shores, by walking them all."""
    province = [area.province for area in board.areas]
    near: dict[int, set[int]] = {}
    for here, ends in enumerate(board.fleet):
        near.setdefault(province[here], set()).update(province[end] for end in ends)
    seas = {p.id for p in board.provinces if p.kind is Ground.SEA}
    shores = {p.id for p in board.provinces if p.kind is Ground.COAST}
    found: dict[tuple[int, int], set[frozenset[int]]] = {}
    seen: set[tuple[int, int, frozenset[int]]] = set()

    def sail(first: int, here: int, passed: frozenset[int]) -> None:
        if (first, here, passed) in seen:
            return
        seen.add((first, here, passed))
        for start in near[first] & shores:
            for end in (near[here] & shores) - {start}:
                found.setdefault((start, end), set()).add(passed)
        for following in (near[here] & seas) - passed:
            sail(first, following, passed | {following})

    for sea in seas:
        sail(sea, sea, frozenset({sea}))
    return found


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_convoys_and_supports_of_convoys_are_those_along_some_simple_route(name: str) -> None:
    board = named(name)
    table, routes = action_table(board), walk(board)
    kinds = a.kind_of(table.actions)
    listed = {kind: table.actions[kinds == kind].tolist() for kind in OrderKind}
    assert {(a.ordered(x), a.target(x)) for x in listed[OrderKind.CONVOY_TO]} == set(routes)
    assert {(a.ordered(x), a.third(x), a.target(x)) for x in listed[OrderKind.CONVOY]} == {
        (sea, *ends) for ends, ways in routes.items() for way in ways for sea in way
    }
    province = [area.province for area in board.areas]
    reach = {(province[here], province[there]) for here, there in a.borders(board)}
    expected = {
        (supporter, third, target)
        for supporter, target in reach
        for third in range(len(board.provinces))
        if third not in (supporter, target)
        and ((third, target) in reach or any(supporter not in way for way in routes.get((third, target), ())))
    }
    assert {(a.ordered(x), a.third(x), a.target(x)) for x in listed[OrderKind.SUPPORT_MOVE_TO]} == expected
