"""The action table is the published one, and its parts are read and put together as published."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from parlour.deepmind import actions as d
from parlour.deepmind.provinces import province_name_to_id
from parlour.errors import NotationError

IDS = province_name_to_id()
KNOWN = [
    (0x002E000000001403, 46, d.HOLD, "PAR", None, None),
    (0x011E000000021404, 286, d.MOVE_TO, "PAR", "BUR", None),
    (0x0BB6000014027806, 2998, d.SUPPORT_MOVE_TO, "MAR", "BUR", "PAR"),
    (0x30800000747C3802, 12416, d.CONVOY, "NTH", "NWY", "LON"),
    (0x08640000007C7401, 2148, d.CONVOY_TO, "LON", "NWY", None),
    (0x0A3C000000923404, 2620, d.MOVE_TO, "MAO", "SPA", None),
    (0x0A45000000924C05, 2629, d.SUPPORT_HOLD, "GAS", "SPA", None),
    (0x011400000000940A, 276, d.BUILD_ARMY, "STP", None, None),
    (0x011500000000940B, 277, d.BUILD_FLEET, "STP", None, None),
    (0x000300000000000D, 3, d.WAIVE, None, None, None),
    (0x0020000000000E08, 32, d.DISBAND, "BUD", None, None),
    (0x0022000000000E0C, 34, d.REMOVE, "BUD", None, None),
    (0x01DB000000160E09, 475, d.RETREAT_TO, "BUD", "SER", None),
]


def test_the_table_is_the_published_one() -> None:
    table = d.POSSIBLE_ACTIONS
    assert table.shape == (d.MAX_ACTION_INDEX,) == (18584,)
    assert table.dtype == np.int64
    digest = hashlib.sha256(table.astype("<i8").tobytes()).hexdigest()
    assert digest == "7119905c9e9e5ada690028961d5ba3d7aa2842458eaa05fd7f391d26ba122551"


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        d.POSSIBLE_ACTIONS[0] = 0


def test_each_kind_of_order_has_its_number_of_actions() -> None:
    counts = Counter((d.POSSIBLE_ACTIONS & 255).tolist())
    expected = {
        d.HOLD: 75, d.DISBAND: 75, d.REMOVE: 75, d.MOVE_TO: 419, d.RETREAT_TO: 419, d.SUPPORT_HOLD: 412,
        d.CONVOY_TO: 1194, d.CONVOY: 9022, d.SUPPORT_MOVE_TO: 6853, d.BUILD_ARMY: 22, d.BUILD_FLEET: 17, d.WAIVE: 1,
    }  # fmt: skip
    assert counts == expected


@pytest.mark.parametrize(("action", "index", "order", "ordered", "target", "third"), KNOWN)
def test_worked_examples(
    action: int, index: int, order: int, ordered: str | None, target: str | None, third: str | None
) -> None:
    places = tuple((IDS[tag] if tag else 0, 0) for tag in (ordered, target, third))
    assert d.action_breakdown(action) == (order, *places)
    assert d.action_index(action) == index
    assert d.POSSIBLE_ACTIONS[index] == action
    assert d.construct_action(order, *places) == action & 0xFFFFFFFF


def test_south_coasts_have_the_flag() -> None:
    assert d.action_breakdown(0x0A6C000000933404).target == (IDS["SPA"], 1)
    assert d.action_breakdown(0x011700000000950B).ordered == (IDS["STP"], 1)
    assert d.construct_action(d.BUILD_FLEET, (IDS["STP"], 1)) == 0x950B
    assert d.construct_action(d.MOVE_TO, (26, 0), (IDS["SPA"], 1)) == 0x933404


def test_every_action_is_put_together_from_its_parts() -> None:
    for action in d.POSSIBLE_ACTIONS.tolist():
        assert d.construct_action(*d.action_breakdown(action)) == action & 0xFFFFFFFF


def test_parts_that_are_not_given_are_left_empty_and_flags_that_no_order_uses_are_dropped() -> None:
    assert d.construct_action(d.WAIVE) == d.construct_action(d.WAIVE, None, None, None) == d.WAIVE
    assert d.construct_action(d.HOLD, (IDS["STP"], 1)) == d.construct_action(d.HOLD, (IDS["STP"], 0))
    assert d.construct_action(d.SUPPORT_HOLD, (10, 0), (IDS["SPA"], 1)) & 1 << 16 == 0


@pytest.mark.parametrize("wrong", [7, 0, 14, d.HOLD | 256, -1])
def test_what_is_no_order_code_is_refused(wrong: int) -> None:
    with pytest.raises(NotationError, match="expected an order code of 1, 2, 3"):
        d.construct_action(wrong, (10, 0))


@pytest.mark.parametrize("wrong", [(75, 0), (-1, 0), (10 + 128, 0), (10, 2)])
def test_what_is_no_province_is_refused(wrong: tuple[int, int]) -> None:
    with pytest.raises(NotationError, match="no province and coast flag"):
        d.construct_action(d.HOLD, wrong)


def test_order_codes_are_those_of_the_table() -> None:
    assert tuple(sorted(set((d.POSSIBLE_ACTIONS & 255).tolist()))) == d.ORDER_CODES


def test_bits_of_a_number_or_of_many() -> None:
    move = 0x011E000000021404
    assert (d.bits_between(move, 0, 8), d.bits_between(move, 9, 16), d.bits_between(move, 48, 64)) == (4, 10, 286)
    assert d.bits_between(d.POSSIBLE_ACTIONS, 48, 63).tolist() == list(range(18584))


def test_the_parts_of_a_number_or_of_many() -> None:
    move = 0x011E000000021404
    assert (d.action_index(move), d.remove_action_index(move), d.ordered_province(move)) == (286, 0x21404, IDS["PAR"])
    assert (d.action_index(d.POSSIBLE_ACTIONS) == np.arange(18584)).all()
    assert (d.remove_action_index(d.POSSIBLE_ACTIONS) == d.POSSIBLE_ACTIONS & 0xFFFFFFFF).all()
    assert (d.ordered_province(d.POSSIBLE_ACTIONS) == d.bits_between(d.POSSIBLE_ACTIONS, 9, 16)).all()


def test_shrinking_keeps_index_and_low_bits_and_comes_back() -> None:
    shrunk = d.shrink_actions(d.POSSIBLE_ACTIONS)
    assert shrunk.dtype == np.int32
    assert (shrunk >> 16 == np.arange(18584)).all()
    assert (shrunk & 0xFFFF == d.POSSIBLE_ACTIONS & 0xFFFF).all()
    assert (d.expand_actions(shrunk) == d.POSSIBLE_ACTIONS).all()


def test_padding_stays_padding() -> None:
    assert d.shrink_actions([-1, 0]).tolist() == [-1, 0]
    assert d.expand_actions([-1, 0]).tolist() == [-1, 0]
    assert d.shrink_actions(-1) == -1


@pytest.mark.parametrize("wrong", [-2, 18584 << 16 | 3, 46 << 16 | 0x1404])
def test_what_is_no_shrunk_action_is_refused(wrong: int) -> None:
    with pytest.raises(NotationError, match="no shrunk action"):
        d.expand_actions([wrong])


def test_actions_of_a_province_count_waives_under_bohemia() -> None:
    hold, move, waive = 0x002E000000001403, 0x011E000000021404, 0x000300000000000D
    assert d.actions_for_province([hold, move, waive, 0], IDS["PAR"]) == [hold, move]
    assert d.actions_for_province([hold, waive, 0], IDS["BOH"]) == [waive]
    assert d.find_action_with_area([waive, move, hold], IDS["PAR"]) == move
    assert d.find_action_with_area([move, waive], IDS["BOH"]) == waive
    assert d.find_action_with_area([move], IDS["BUR"]) == 0
    assert d.is_waive(waive)
    assert not d.is_waive(hold)
