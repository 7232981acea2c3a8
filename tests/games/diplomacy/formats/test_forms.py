"""Positions as JSON: what is read, and how what cannot be is refused."""

from __future__ import annotations

import pytest

from parlour.core.game import Plain
from parlour.errors import ParlourError
from parlour.games.diplomacy.formats.forms import read_orders, read_state
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position

GOOD: dict[str, Plain] = {"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}
RETREAT: dict[str, Plain] = {"phase": "S1901R", "units": {"GERMANY": ["A BUR", "A MUN"]}}


def test_missing_centers_are_those_of_the_start_and_given_ones_are_all_there_are() -> None:
    assert Position(*read_state(GOOD)).centers == Position.start().centers
    owned = Position(*read_state({**GOOD, "centers": {"ITALY": ["PAR"]}})).centers
    assert owned == {name: [] for name in owned} | {"ITALY": ["PAR"]}


@pytest.mark.parametrize(
    ("given", "phase"),
    [
        ("F1902M", "F1902M"),
        ("FALL 1902 MOVEMENT", "F1902M"),
        ("SPRING 1901 RETREATS", "S1901R"),
        ("WINTER 1901 ADJUSTMENTS", "W1901A"),
    ],
)
def test_phases_are_read_short_and_long(given: str, phase: str) -> None:
    assert Position(*read_state({"phase": given, "units": {}})).phase == phase


def test_another_map_may_be_named() -> None:
    position = Position(*read_state({"map": "lagoon", "phase": "F1702M", "units": {"AMBER": ["F NEK/WC"]}}))
    assert position.units["AMBER"] == ["F NEK/WC"]


@pytest.mark.parametrize("starred", [True, False])
def test_a_dislodged_unit_may_go_exactly_where_the_list_says(starred: bool) -> None:
    units = {"GERMANY": ["A BUR", "A RUH"], "FRANCE": ["*A BUR"] if starred else []}
    retreats = {"FRANCE": {"A BUR": ["PIC", "GAS"]}}
    position = Position(*read_state({"phase": "S1901R", "units": units, "retreats": retreats}))
    assert position.retreats["FRANCE"] == {"A BUR": ["GAS", "PIC"]}
    assert position.to_act() == ("FRANCE",)


def test_where_one_may_go_and_another_not_the_attacker_came_from_there() -> None:
    # Both could go to Gascony; only the unit from Burgundy was attacked from there.
    retreats = {"FRANCE": {"A BUR": ["PAR"], "A MAR": ["GAS"]}}
    units = {"GERMANY": ["A BUR"], "ITALY": ["A MAR"]}
    position = Position(*read_state({"phase": "F1901R", "units": units, "retreats": retreats}))
    assert position.retreats["FRANCE"] == {"A BUR": ["PAR"], "A MAR": ["GAS"]}


def test_a_unit_that_may_go_nowhere_can_only_disband() -> None:
    position = Position(*read_state({**RETREAT, "retreats": {"FRANCE": {"A BUR": []}}}))
    assert position.orders() == {"BUR": ["A BUR D"]}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "input: expected an object"),
        ([], "input: expected an object"),
        ("S1901M", "input: expected an object"),
        ({}, "phase: missing"),
        ({"phase": "S1901M"}, "units: missing"),
        ({**GOOD, "phase": 1901}, "phase: expected a string, got a number"),
        ({**GOOD, "phase": "X1901M"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "W1901M"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "S1901A"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "S19011M"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "S1901M\n"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "S١٩٠١M"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "WINTER 1901 MOVEMENT"}, "phase: expected one such as S1901M"),
        ({**GOOD, "phase": "COMPLETED"}, "phase: expected one such as S1901M"),
        ({**GOOD, "units": None}, "units: expected an object"),
        ({**GOOD, "units": ["A PAR"]}, "units: expected an object"),
        ({**GOOD, "units": {"FRANCE": "A PAR"}}, "units.FRANCE: expected a list, got a string"),
        ({**GOOD, "units": {"FRANCE": [None]}}, "units.FRANCE[0]: expected a string, got null"),
        ({**GOOD, "units": {"FRANCE": [True]}}, "units.FRANCE[0]: expected a string, got a boolean"),
        ({**GOOD, "units": {"NARNIA": []}}, "units: unknown power 'NARNIA', expected one of AUSTRIA"),
        ({**GOOD, "units": {"france": []}}, "did you mean FRANCE?"),
        ({**GOOD, "units": {"FRANCE": ["A PAR", "A PAR"]}}, "units.FRANCE[1]: two units in PAR"),
        ({**GOOD, "units": {"FRANCE": ["A SPA"], "ITALY": ["F SPA/SC"]}}, "units.ITALY[0]: two units in SPA"),
        ({**GOOD, "units": {"FRANCE": ["F PAR"]}}, "units.FRANCE[0]: a fleet cannot stand inland"),
        ({**GOOD, "units": {"FRANCE": ["A ENG"]}}, "units.FRANCE[0]: an army cannot stand at sea"),
        ({**GOOD, "units": {"FRANCE": ["F STP/EC"]}}, "units.FRANCE[0]: STP has no coast EC, expected STP/NC"),
        ({**GOOD, "units": {"FRANCE": ["F BRE/NC"]}}, "units.FRANCE[0]: BRE has no coast NC, expected BRE"),
        ({**GOOD, "units": {"FRANCE": ["F SPA"]}}, "units.FRANCE[0]: a fleet in SPA needs a coast"),
        ({**GOOD, "units": {"FRANCE": ["A SPA/NC"]}}, "units.FRANCE[0]: an army has no coast"),
        ({**GOOD, "units": {"FRANCE": ["A ATL"]}}, "units.FRANCE[0]: unknown province: 'ATL'"),
        ({**GOOD, "units": {"FRANCE": ["PAR"]}}, "units.FRANCE[0]: needs a unit type"),
        ({**GOOD, "units": {"FRANCE": ["A PAR H"]}}, "units.FRANCE[0]: unreadable: 'H'"),
        ({**GOOD, "units": {"FRANCE": [""]}}, "units.FRANCE[0]: unreadable"),
        ({**GOOD, "units": {"FRANCE": ["A" * 10_000]}}, "units.FRANCE[0]: too long"),
        ({**GOOD, "units": {"FRANCE": ["*A BUR"]}}, "units.FRANCE[0]: dislodged, expected under retreats.FRANCE"),
        ({**GOOD, "centers": []}, "centers: expected an object"),
        ({**GOOD, "centers": {"FRANCE": ["PAR"], "ITALY": ["PAR"]}}, "centers.ITALY[0]: PAR is owned twice"),
        ({**GOOD, "centers": {"FRANCE": ["PAR", "PAR"]}}, "centers.FRANCE[1]: PAR is owned twice"),
        ({**GOOD, "centers": {"FRANCE": ["BUR"]}}, "centers.FRANCE[0]: BUR is no supply centre"),
        ({**GOOD, "centers": {"FRANCE": ["ATL"]}}, "centers.FRANCE[0]: unknown province"),
        ({**GOOD, "units": {"FRNCE": []}}, "did you mean FRANCE?"),
        ({**GOOD, "centers": {"NARNIA": []}}, "centers: unknown power"),
        ({**GOOD, "retreats": {"FRANCE": {"A BUR": ["GAS"]}}}, "retreats: expected none in phase S1901M"),
        ({**RETREAT, "retreats": []}, "retreats: expected an object"),
        ({**RETREAT, "retreats": {"FRANCE": ["A BUR"]}}, "retreats.FRANCE: expected an object"),
        ({**RETREAT, "retreats": {"FRANCE": {"A BUR": "GAS"}}}, "retreats.FRANCE.A BUR: expected a list"),
        ({**RETREAT, "retreats": {"FRANCE": {"A BUR": [1]}}}, "retreats.FRANCE.A BUR[0]: expected a string"),
        ({**RETREAT, "retreats": {"FRANCE": {"A BUR": ["LON"]}}}, "retreats.FRANCE.A BUR[0]: LON is out of reach"),
        ({**RETREAT, "retreats": {"FRANCE": {"A BUR": ["MUN"]}}}, "retreats.FRANCE.A BUR[0]: MUN is occupied"),
        ({**RETREAT, "retreats": {"FRANCE": {"A BUR": ["ATL"]}}}, "retreats.FRANCE.A BUR[0]: unknown province"),
        ({**RETREAT, "retreats": {"FRANCE": {"F BUR": []}}}, "retreats.FRANCE.F BUR: a fleet cannot stand inland"),
        (
            {**RETREAT, "retreats": {"FRANCE": {"A BUR": []}, "ITALY": {"A BUR": []}}},
            "retreats.ITALY.A BUR: two dislodged units in BUR",
        ),
        (
            {**RETREAT, "retreats": {"FRANCE": {"A BUR": []}, "ITALY": {"A GAS": []}}},
            "dislodged: nobody stands in GAS, expected who dislodged the unit",
        ),
        ({**GOOD, "map": 3}, "map: expected a string"),
        ({**GOOD, "map": "/etc/passwd"}, "map: expected one of standard, lagoon"),
    ],
)
def test_a_position_that_cannot_be_is_refused_by_field(value: Plain, words: str) -> None:
    with pytest.raises(ParlourError) as caught:
        read_state(value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_retreats_that_no_attack_explains_are_refused() -> None:
    retreats = {"FRANCE": {"A BUR": [], "A MAR": ["GAS"], "A PIC": ["PAR"]}}
    value = {"phase": "F1901R", "units": {"GERMANY": ["A BUR", "A MAR", "A PIC"]}, "retreats": retreats}
    with pytest.raises(ParlourError, match="expected all but one of GAS, PAR"):
        read_state(value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "orders: expected an object"),
        ({"FRANCE": "A PAR H"}, "orders.FRANCE: expected a list, got a string"),
        ({"FRANCE": [3]}, "orders.FRANCE[0]: expected a string, got a number"),
        ({"NARNIA": []}, "orders: unknown power 'NARNIA'"),
    ],
)
def test_orders_of_the_wrong_form_are_refused(value: Plain, words: str) -> None:
    with pytest.raises(ParlourError) as caught:
        read_orders(value, standard())
    assert words in str(caught.value)


def test_orders_that_are_not_set_are_none() -> None:
    assert read_orders(None, standard()) == {}
    assert read_orders({"FRANCE": None, "ITALY": ["foo"]}, standard()) == {"FRANCE": [], "ITALY": ["foo"]}


def test_an_order_counts_once_and_a_waived_build_as_often_as_it_is_written() -> None:
    given = {"FRANCE": ["A PAR H", " A PAR H", "A PAR H"] * 700, "ITALY": ["WAIVE", "WAIVE"]}
    assert read_orders(given, standard()) == {"FRANCE": ["A PAR H"], "ITALY": ["WAIVE", "WAIVE"]}


def test_a_power_orders_no_more_than_there_are_provinces() -> None:
    most = len(standard().provinces)
    assert len(read_orders({"FRANCE": [f"order {i}" for i in range(most)]}, standard())["FRANCE"]) == most
    with pytest.raises(ParlourError, match=rf"^orders.FRANCE: expected at most {most} different orders"):
        read_orders({"FRANCE": [f"order {i}" for i in range(most + 1)]}, standard())
