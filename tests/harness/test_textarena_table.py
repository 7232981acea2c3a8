"""Errors of TextArena's own Diplomacy and the right rules: the table of docs/how-to/use-textarena.md, row by row."""

from __future__ import annotations

from parlour.core.game import Seat
from parlour.games.diplomacy.maps.map import Ground, standard
from parlour.games.diplomacy.position import Position


def after(position: str, **orders: list[str]) -> Position:
    """Return the position after a movement phase."""
    return Position.read(f"standard S1901M {position}").resolve(orders)


def units(position: Position) -> dict[str, list[str]]:
    return {power: own for power, own in position.units.items() if own}


def legal(position: str, power: str, phase: str = "S1901M") -> set[str]:
    return set(Position.read(f"standard {phase} {position}").legal(Seat(power)))


def test_every_province_and_border_is_there() -> None:
    board = standard()
    assert len(board.provinces) == 75
    assert "NAF" in {province.tag for province in board.provinces}
    land = [province for province in board.provinces if province.kind is not Ground.SEA]
    assert sum(len(board.army[province.area]) for province in land) == 2 * 111


def test_there_are_no_borders_that_the_map_does_not_have() -> None:
    assert "A SWE - STP" not in legal("RUS=ASWE", "RUSSIA")
    assert "F SKA - BAL" not in legal("GER=FSKA", "GERMANY")


def test_coasts_have_neighbours_of_their_own() -> None:
    north, south = legal("RUS=FSTP/NC", "RUSSIA"), legal("RUS=FSTP/SC", "RUSSIA")
    assert "F STP/NC - BAR" in north
    assert "F STP/NC - BOT" not in north
    assert "F STP/SC - BOT" in south
    assert "F STP/SC - BAR" not in south


def test_units_do_not_change_places() -> None:
    found = after("FRA=APAR;GER=ABUR", FRANCE=["A PAR - BUR"], GERMANY=["A BUR - PAR"])
    assert units(found) == {"FRANCE": ["A PAR"], "GERMANY": ["A BUR"]}


def test_support_to_hold_does_not_help_an_attack() -> None:
    orders = ["A MAR - BUR", "A GAS S A MAR"]
    found = after("FRA=AMAR,AGAS;GER=ABUR", FRANCE=orders, GERMANY=["A BUR H"])
    assert units(found)["GERMANY"] == ["A BUR"]


def test_a_supporter_needs_to_reach_the_target_only() -> None:
    orders = ["A PAR S A MUN - BUR", "A MUN - BUR"]
    found = after("FRA=APAR,AMUN;GER=ABUR", FRANCE=orders, GERMANY=["A BUR H"])
    assert "A BUR" in units(found)["FRANCE"]


def test_an_own_unit_is_not_dislodged() -> None:
    orders = ["A PAR - BUR", "A MAR S A PAR - BUR", "A BUR H"]
    assert set(units(after("FRA=APAR,AMAR,ABUR", FRANCE=orders))["FRANCE"]) == {"A PAR", "A MAR", "A BUR"}


def test_a_province_whose_unit_bounced_stays_occupied() -> None:
    found = after("FRA=AMAR,ABUR;GER=ARUH", FRANCE=["A MAR - BUR", "A BUR - BEL"], GERMANY=["A RUH - BEL"])
    assert units(found) == {"FRANCE": ["A BUR", "A MAR"], "GERMANY": ["A RUH"]}


def test_the_attacker_stands_where_it_dislodged_and_only_then_is_there_a_retreat() -> None:
    orders = ["A PAR - BUR", "A MAR S A PAR - BUR"]
    found = after("FRA=APAR,AMAR;GER=ABUR", FRANCE=orders, GERMANY=["A BUR H"])
    assert "A BUR" in units(found)["FRANCE"]
    assert found.stage == "retreats"
    assert after("FRA=APAR;GER=ABUR", FRANCE=["A PAR H"], GERMANY=["A BUR H"]).stage == "orders"


def test_convoys_are_legal_and_carried_out() -> None:
    assert {"F NTH C A LON - NWY", "A LON - NWY VIA"} <= legal("ENG=ALON,FNTH", "ENGLAND")
    found = after("ENG=ALON,FNTH", ENGLAND=["A LON - NWY VIA", "F NTH C A LON - NWY"])
    assert "A NWY" in units(found)["ENGLAND"]


def test_builds_are_legal() -> None:
    assert {"A PAR B", "F BRE B"} <= legal("FRA=ASPA FRA=PAR,BRE,MAR", "FRANCE", "W1901A")
