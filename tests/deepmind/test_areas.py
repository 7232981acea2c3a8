"""Areas read off a published board."""

from __future__ import annotations

import pytest

from parlour.deepmind import State, areas
from parlour.errors import NotationError
from parlour.games.diplomacy.position import Position

WINTER = "standard W1902A RUS=FSTP/SC,AMOS,AWAR;TUR=AANK RUS=MOS,WAR;TUR=ANK,CON,SMY,BUL"
RETREATS = "standard F1902R FRA=ASPA,FPOR FRA=SPA ITA=FSPA/NC<GAS,AGAS<BRE"


def test_a_fleet_on_a_coast_acts_by_its_coast() -> None:
    seen = State().observation()
    assert areas.order_relevant_areas(seen, 5) == [8, 13, 66, 80]
    assert areas.order_relevant_areas(seen, 5, topological=True) == [80, 8, 13, 66]
    assert areas.order_relevant_areas(seen, 2) == [10, 51, 60]


def test_an_army_in_a_split_province_acts_by_its_main_area() -> None:
    seen = State(Position.read("standard S1902M FRA=ASPA,FMAO FRA=SPA")).observation()
    assert areas.order_relevant_areas(seen, 2) == [26, 75]
    assert areas.area_of_unit(73, seen.board) == 75
    assert areas.area_of_unit(26, seen.board) == 26


def test_in_retreats_the_dislodged_act() -> None:
    seen = State(Position.read(RETREATS)).observation()
    assert areas.order_relevant_areas(seen, 4) == [38, 76]
    assert areas.order_relevant_areas(seen, 2) == []


def test_in_builds_there_is_one_pseudo_area_for_each_due() -> None:
    seen = State(Position.read(WINTER)).observation()
    assert areas.order_relevant_areas(seen, 6) == [-2, -2]
    assert areas.order_relevant_areas(seen, 5) == [-2]
    assert areas.build_areas(6, seen.board) == [52, 67]
    assert areas.removable_areas(5, seen.board) == [8, 13, 80]
    assert areas.removable_areas(6, seen.board) == []


def test_centres_are_counted_on_main_rows() -> None:
    board = State(Position.read(WINTER)).observation().board
    assert areas.sc_provinces(6, board) == [48, 52, 67, 72]
    assert areas.centre_counts(board).tolist() == [0, 0, 0, 0, 0, 2, 4]


def test_units_are_found_by_province() -> None:
    board = State().observation().board
    assert areas.area_of_unit(74, board) == 80
    with pytest.raises(NotationError, match="no unit in BUR"):
        areas.area_of_unit(1, board)


def test_two_units_in_one_province_are_refused() -> None:
    board = State().observation().board.copy()
    board[79, [1, 8]] = 1
    with pytest.raises(NotationError, match="two units"):
        areas.moves_phase_areas(5, board, False)
