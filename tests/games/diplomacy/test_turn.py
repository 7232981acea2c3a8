"""Turns: verdicts, defaults, the intent rule for convoys, and what results must not depend on."""

from __future__ import annotations

import random

import pytest

from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import read_map
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Turn, Verdict

Orders = dict[str, list[str]]


def units_of(orders: Orders) -> Orders:
    return {name: [" ".join(text.split()[:2]) for text in own] for name, own in orders.items()}


def played(orders: Orders, *, phase: str = "S1901M", explicit_via: bool = False, **more: object) -> Turn:
    position = Position(*read_state({"phase": phase, "units": units_of(orders), **more}))
    turn = position.resolve(orders, explicit_via=explicit_via).turn
    assert turn is not None
    return turn


def verdicts(turn: Turn) -> dict[str, Verdict]:
    return {ruling.text: ruling.verdict for ruling in turn.rulings}


def test_each_verdict_is_given() -> None:
    turn = played(
        {
            "ENGLAND": ["A LON - NWY VIA", "F NTH C A LON - NWY", "A WAL - BRE VIA", "F IRI C A WAL - BRE", "A YOR H"],
            "GERMANY": ["F HEL - NTH", "F DEN S F HEL - NTH", "A RUH - BEL", "A HOL - BEL", "A MUN S A RUH - KIE"],
            "FRANCE": ["F ENG S F BRE - MAO", "F BRE H", "A PIC S A BUR - BEL", "A BUR - PAR", "A GAS - LON"],
            "RUSSIA": ["A LVN - SWE VIA", "F BAL C A LVN - PRU"],
            "ITALY": ["A TUS S A ROM", "A ROM H"],
            "AUSTRIA": ["A PIE - TUS"],
        }
    )
    assert verdicts(turn) == {
        "A LON - NWY VIA": "disrupted",
        "F NTH C A LON - NWY": "dislodged",
        "A WAL - BRE VIA": "no convoy",
        "F IRI C A WAL - BRE": "succeeded",
        "A YOR H": "succeeded",
        "F HEL - NTH": "succeeded",
        "F DEN S F HEL - NTH": "succeeded",
        "A RUH - BEL": "bounced",
        "A HOL - BEL": "bounced",
        "A MUN S A RUH - KIE": "void",
        "F ENG S F BRE - MAO": "void",
        "F BRE H": "succeeded",
        "A PIC S A BUR - BEL": "void",
        "A BUR - PAR": "succeeded",
        "A GAS - LON": "void",
        "A GAS H": "succeeded",
        "A LVN - SWE VIA": "no convoy",
        "F BAL C A LVN - PRU": "void",
        "A TUS S A ROM": "cut",
        "A ROM H": "succeeded",
        "A PIE - TUS": "bounced",
    }
    assert turn.defaults == ["A GAS H"]
    assert "A GAS H" not in turn.results["FRANCE"]
    assert turn.after.retreats["ENGLAND"]["F NTH"] == ["EDI", "NWG", "NWY", "SKA"]


def test_a_void_order_leaves_a_unit_that_can_be_supported_in_place() -> None:
    # DATC 6.D.28
    turn = played(
        {
            "AUSTRIA": ["A BUD S F RUM"],
            "RUSSIA": ["F RUM - HOL"],
            "TURKEY": ["F BLA - RUM", "A BUL S F BLA - RUM"],
        }
    )
    assert turn.results["TURKEY"]["F BLA - RUM"] == "bounced"
    assert turn.results["RUSSIA"]["F RUM - HOL"] == "void"
    assert turn.defaults == ["F RUM H"]


SWAP = {
    "ENGLAND": ["F NWY - SWE"],
    "RUSSIA": ["A SWE - NWY", "F SKA C A SWE - NWY"],
}


def test_between_neighbours_a_convoy_by_ones_own_fleet_is_meant() -> None:
    # DATC 6.G.1 and 4.A.3 d
    assert set(verdicts(played(SWAP)).values()) == {Verdict.SUCCEEDED}


def test_with_explicit_via_only_the_word_counts() -> None:
    assert verdicts(played(SWAP, explicit_via=True))["A SWE - NWY"] == "bounced"
    said = SWAP | {"RUSSIA": ["A SWE - NWY VIA", "F SKA C A SWE - NWY"]}
    assert set(verdicts(played(said, explicit_via=True)).values()) == {Verdict.SUCCEEDED}


def test_a_foreign_convoy_kidnaps_nobody() -> None:
    # DATC 6.G.2
    turn = played({"ENGLAND": ["F NWY - SWE"], "RUSSIA": ["A SWE - NWY"], "GERMANY": ["F SKA C A SWE - NWY"]})
    assert turn.results["RUSSIA"]["A SWE - NWY"] == "bounced"
    assert turn.results["GERMANY"]["F SKA C A SWE - NWY"] == "void"


def test_a_support_that_names_another_coast_is_void_with_the_reason() -> None:
    # DATC 6.B.9
    turn = played({"FRANCE": ["F POR S F MAO - SPA/NC", "F MAO - SPA/SC"], "ITALY": ["F WES - SPA/SC"]})
    assert turn.results["FRANCE"]["F POR S F MAO - SPA/NC"] == "void"
    assert turn.rulings[0].flaw is not None
    assert turn.rulings[0].flaw.reason == "wrong coast"


def test_unreadable_orders_keep_their_words() -> None:
    turn = played({"FRANCE": ["A PAR H"]})
    again = turn.before.resolve({"FRANCE": ["  Attack at dawn! ", "army paris hold"]}).turn
    assert again is not None
    assert again.results["FRANCE"] == {"Attack at dawn!": "void", "A PAR H": "succeeded"}


def test_a_unit_with_nowhere_to_go_is_disbanded_at_once() -> None:
    orders = {"ITALY": ["A VEN - TRI", "A TYR S A VEN - TRI", "A VIE H", "A BUD H", "A SER H", "F ALB H", "F ADR H"]}
    turn = played(orders | {"AUSTRIA": ["A TRI H"]})
    assert turn.disbanded == {"AUSTRIA": ["A TRI"]}
    assert turn.after.phase == "F1901M"
    assert turn.results["AUSTRIA"]["A TRI H"] == "dislodged"


def test_retreats_that_clash_disband_both() -> None:
    retreats = {"FRANCE": {"A BUR": ["PAR", "GAS"]}, "ENGLAND": {"A PIC": ["PAR", "BRE"]}}
    value = {"phase": "S1901R", "units": {"GERMANY": ["A BUR", "A PIC"]}, "retreats": retreats}
    turn = Position(*read_state(value)).resolve({"FRANCE": ["A BUR R PAR"], "ENGLAND": ["A PIC R PAR"]}).turn
    assert turn is not None
    assert set(verdicts(turn).values()) == {Verdict.BOUNCED}
    assert turn.disbanded == {"FRANCE": ["A BUR"], "ENGLAND": ["A PIC"]}
    assert turn.after.phase == "F1901M"


def test_winter_defaults_are_told() -> None:
    centers = {"FRANCE": ["PAR", "BRE", "MAR"], "GERMANY": ["MUN"]}
    value = {"phase": "W1901A", "units": {"FRANCE": ["A PAR"], "GERMANY": ["A MUN", "A MOS"]}, "centers": centers}
    turn = Position(*read_state(value)).resolve({"FRANCE": ["F BRE B"]}).turn
    assert turn is not None
    assert turn.results == {"FRANCE": {"F BRE B": "succeeded"}}
    assert turn.defaults == ["WAIVE", "A MOS D"]
    assert turn.after.units["FRANCE"] == ["F BRE", "A PAR"]
    assert turn.after.units["GERMANY"] == ["A MUN"]


@pytest.mark.parametrize("seed", range(4))
def test_results_do_not_depend_on_the_order_in_which_orders_are_given(seed: int) -> None:
    rng = random.Random(seed)
    position = Position.start()
    for _ in range(12):
        orders = {seat: position.sample(seat, rng) for seat in position.to_act()}
        shuffled = {seat: rng.sample(own, len(own)) for seat, own in reversed(orders.items())}
        following, again = position.resolve(orders), position.resolve(shuffled)
        assert following == again
        assert following.turn is not None
        assert again.turn is not None
        assert following.turn.results == again.turn.results
        position = following


def test_permuting_powers_permutes_results() -> None:
    turned = {"AUSTRIA": "TURKEY", "TURKEY": "FRANCE", "FRANCE": "GERMANY", "GERMANY": "AUSTRIA"}
    rng = random.Random(11)
    position = Position.start()
    for _ in range(10):
        if position.stage == "orders":
            orders = {seat: position.sample(seat, rng) for seat in position.to_act()}
            value = {"phase": position.phase, "units": position.units, "centers": position.centers}
            other = {"phase": position.phase} | {
                key: {turned.get(name, name): own for name, own in lists.items()}
                for key, lists in (("units", position.units), ("centers", position.centers))
            }
            one = Position(*read_state(value)).resolve(orders)
            two = Position(*read_state(other)).resolve({turned.get(name, name): own for name, own in orders.items()})
            assert one.turn is not None
            assert two.turn is not None
            assert {turned.get(name, name): own for name, own in one.turn.results.items()} == two.turn.results
            assert {turned.get(name, name): own for name, own in one.units.items()} == two.units
        position = position.resolve({seat: position.sample(seat, rng) for seat in position.to_act()})


def test_a_map_of_ones_own_is_played_like_any_other() -> None:
    board = read_map(
        """
        map pond
        title Pond
        begin 1
        victory 2
        power EAST EST East
        power WEST WST West
        sea PON The Pond
        coast EEE Eastbank
        coast WWW Westbank
        home EAST EEE
        home WEST WWW
        start EAST A EEE
        start WEST F WWW
        army EEE WWW
        army WWW EEE
        fleet PON EEE WWW
        fleet EEE PON
        fleet WWW PON
        """.replace("        ", "")
    )
    after = Position.start(board).resolve({"EAST": ["A EEE - WWW"], "WEST": ["F WWW - PON"]})
    assert after.units == {"EAST": ["A WWW"], "WEST": ["F PON"]}


STORMED = {"FRANCE": ["A SPA - POR", "F MAO S A SPA - POR", "A PIC - BEL"], "ENGLAND": ["A POR H", "A BEL H"]}
"""Portugal is taken from the only place to which its army could go."""


def told(turn: Turn) -> dict[str, str]:
    return {ruling.text: turn.result_of(ruling) for ruling in turn.rulings}


def test_it_is_told_which_units_left_the_board() -> None:
    turn = played(STORMED)
    assert told(turn) == {
        "A SPA - POR": "succeeded",
        "F MAO S A SPA - POR": "succeeded",
        "A PIC - BEL": "bounced",
        "A POR H": "dislodged, disbanded",
        "A BEL H": "succeeded",
    }
    assert [ruling.text for ruling in turn.rulings if turn.leaves(ruling)] == ["A POR H"]
    void = played({**STORMED, "ENGLAND": ["A POR - MOS", "A BEL H"]})
    assert told(void)["A POR - MOS"] == "void"
    assert told(void)["A POR H"] == "dislodged, disbanded", "what the army did instead"


def test_of_retreats_those_that_collide_and_those_that_nobody_ordered_left_the_board() -> None:
    retreats = {"FRANCE": {"A BUR": ["PAR", "GAS"], "A PIC": ["PAR"], "A MAR": ["GAS"], "F BRE": ["ENG"]}}
    units = {"GERMANY": ["A BUR", "A PIC", "A MAR", "F BRE"]}
    position = Position(*read_state({"phase": "S1901R", "units": units, "retreats": retreats}))
    turn = position.resolve({"FRANCE": ["A BUR R PAR", "A PIC R PAR", "A MAR R GAS"]}).turn
    assert turn is not None
    assert told(turn) == {
        "A BUR R PAR": "bounced, disbanded",
        "A PIC R PAR": "bounced, disbanded",
        "A MAR R GAS": "succeeded",
        "F BRE D": "succeeded",
    }
    assert [ruling.text for ruling in turn.rulings if turn.leaves(ruling)] == ["A BUR R PAR", "A PIC R PAR", "F BRE D"]


def test_in_winter_those_that_are_removed_leave_the_board() -> None:
    position = Position(
        *read_state({"phase": "W1901A", "units": {"FRANCE": ["A PAR", "A BUR"]}, "centers": {"FRANCE": ["PAR"]}})
    )
    turn = position.resolve({"FRANCE": ["A BUR D"]}).turn
    assert turn is not None
    assert told(turn) == {"A BUR D": "succeeded"}
    assert turn.leaves(turn.rulings[0])
