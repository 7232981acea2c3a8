"""Stories with known verdicts: a kept and a broken example of every arrangement, and what ends a promise."""

from __future__ import annotations

import random

import pytest

from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import PactState
from parlour.press.judging.findings import PromiseStatus
from parlour.press.orders import to_text
from parlour.press.reports.verdict_text import sentence
from support.press.stories import SEATS, Story, at

CHANNEL = "DMZ (ENG FRA) (ECH)"
PEACE = "PCE (ENG FRA)"

KEPT_AND_BROKEN = [
    # what is agreed, who is judged, orders that keep it, orders that break it, the order that shows the breach
    (PEACE, "FRA", ["F BRE - MAO", "A PAR - BUR"], ["F BRE - ENG", "A PAR H"], "F BRE - ENG"),
    ("ALY (ENG FRA) VSS (GER)", "FRA", ["A PAR - BUR"], ["F BRE - ENG"], "F BRE - ENG"),
    (CHANNEL, "FRA", ["F BRE - MAO"], ["F BRE - ENG"], "F BRE - ENG"),
    ("XDO ((FRA AMY PAR) MTO BUR)", "FRA", ["A PAR - BUR"], ["A PAR - PIC"], "A PAR - PIC"),
    ("XDO ((FRA AMY PAR) HLD)", "FRA", ["A MAR - SPA"], ["A PAR - PIC"], "A PAR - PIC"),
    (
        "XDO ((FRA AMY PAR) SUP (FRA AMY MAR) MTO BUR)",
        "FRA",
        ["A PAR S A MAR - BUR"],
        ["A PAR S F BRE"],
        "A PAR S F BRE",
    ),
    ("XDO ((FRA AMY PAR) SUP (FRA FLT BRE))", "FRA", ["A PAR S F BRE"], ["A PAR H"], "A PAR H"),
    ("NOT (XDO ((FRA AMY PAR) MTO BUR))", "FRA", ["A PAR - PIC"], ["A PAR - BUR"], "A PAR - BUR"),
    (
        "ORR (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((FRA FLT BRE) MTO MAO))",
        "FRA",
        ["A PAR - PIC", "F BRE - MAO"],
        ["A PAR - PIC", "F BRE - ENG"],
        "A PAR - PIC",
    ),
    (
        "CHO (1 1) (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((FRA FLT BRE) MTO MAO))",
        "FRA",
        ["A PAR - BUR", "F BRE - ENG"],
        ["A PAR - BUR", "F BRE - MAO"],
        "F BRE - MAO",
    ),
]


@pytest.mark.parametrize(("what", "power", "keeping", "breaking", "shown"), KEPT_AND_BROKEN)
def test_orders_keep_or_break_a_promise(
    what: str, power: str, keeping: list[str], breaking: list[str], shown: str
) -> None:
    start = None
    if "PCE" in what or "ALY" in what:
        start = at("S1902M", "FRA=APAR,AMAR,FBRE;ENG=FENG,ALVP", "FRA=PAR,BRE,MAR;ENG=LON,LVP")
    for orders, expected in ((keeping, "kept"), (breaking, "broken")):
        story = Story(start)
        story.agree("ENG", "FRA", what)
        board = story.ledger.board
        mine = [verdict for verdict in story.verdicts({power: orders}) if verdict.performer == power]
        assert [verdict.status.value for verdict in mine] == [expected]
        assert f"France {'kept' if expected == 'kept' else 'broke'} its promise to England" in sentence(mine[0])
        if expected == "broken":
            assert mine[0].order is not None
            assert to_text(mine[0].order, board) == shown
            assert "It ordered that France's" in sentence(mine[0])


def test_breach_is_shown_by_the_order_that_did_it() -> None:
    story = Story()
    story.agree("ENG", "FRA", CHANNEL)
    before = story.ledger.board
    broken = [
        verdict
        for verdict in story.verdicts({"FRA": ["A PAR H", "F BRE - ENG"]})
        if verdict.status is PromiseStatus.BROKEN
    ]
    assert [to_text(v.order, before) for v in broken if v.order] == ["F BRE - ENG"]
    assert sentence(broken[0]) == (
        "France broke its promise to England (S1901M) that England and France keep out of the English Channel. "
        "It ordered that France's fleet in Brest moves to the English Channel."
    )


@pytest.mark.parametrize(
    "order",
    [
        "A BUR - PAR",  # a centre of the partner, though empty
        "A BUR S A RUH - PIC",  # helps a third party against its unit
        "F ENG C A LON - PIC",
        "A BUR S F ENG - PIC",
    ],
)
def test_peace_forbids_helping_an_attack_and_entering_a_centre(order: str) -> None:
    units = "ENG=ABUR,FENG,ALON;FRA=APIC;GER=ARUH"
    story = Story(at("S1902M", units, "FRA=PAR,BRE;ENG=LON;GER=MUN"))
    if order == "A BUR S A RUH - PIC":
        story = Story(at("S1902M", "ENG=ABUR,ALON;FRA=APIC;GER=ABEL", "FRA=PAR,BRE;ENG=LON;GER=MUN"))
        order = "A BUR S A BEL - PIC"
    story.agree("FRA", "ENG", PEACE)
    assert story.play({"ENG": [order]}) == {(1, "ENG"): "broken", (1, "FRA"): "kept"}
    assert story.ledger.pacts.all[0].state is PactState.BROKEN


def test_peace_allows_bouncing_in_a_free_province() -> None:
    story = Story()
    story.agree("FRA", "GER", "PCE (FRA GER)")
    assert story.play({"FRA": ["A PAR - BUR"], "GER": ["A MUN - BUR"]}) == {(1, "FRA"): "kept", (1, "GER"): "kept"}


def test_peace_lasts_until_somebody_breaks_it() -> None:
    story = Story()
    story.agree("ENG", "FRA", PEACE)
    for _ in range(3):
        assert story.play({"ENG": ["F LON - NTH"], "FRA": ["A PAR H"]})[1, "FRA"] == "kept"
    assert story.ledger.pacts.all[0].state is PactState.ACTIVE


def test_who_was_attacked_may_strike_back() -> None:
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE,APAR", "ENG=LON;FRA=PAR,BRE"))
    story.agree("ENG", "FRA", PEACE)
    assert story.play({"ENG": ["F ENG - BRE"], "FRA": ["F BRE H"]})[1, "ENG"] == "broken"
    assert story.play({"ENG": ["F ENG H"], "FRA": ["F BRE - ENG"]}) == {}


def test_order_the_victim_agreed_to_is_no_attack() -> None:
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE,APAR", "ENG=LON;FRA=PAR,BRE"))
    story.agree("ENG", "FRA", PEACE)
    story.agree("ENG", "FRA", "XDO ((ENG FLT ECH) MTO BRE)")
    found = story.play({"ENG": ["F ENG - BRE"], "FRA": ["F BRE - MAO"]})
    assert found == {(1, "ENG"): "kept", (1, "FRA"): "kept", (2, "ENG"): "kept"}


def test_unit_in_a_new_zone_has_until_the_next_movement_to_leave() -> None:  # S14
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE", "ENG=LON;FRA=BRE"))
    story.agree("FRA", "ENG", CHANNEL)
    assert story.play({"ENG": ["F ENG H"]}) == {(1, "ENG"): "open", (1, "FRA"): "kept"}
    assert story.play({"ENG": ["F ENG H"]})[1, "ENG"] == "broken"


def test_unit_that_leaves_the_zone_in_time_keeps_it() -> None:
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE", "ENG=LON;FRA=BRE"))
    story.agree("FRA", "ENG", CHANNEL)
    assert story.play({"ENG": ["F ENG - NTH"]})[1, "ENG"] == "kept"
    assert story.play({"ENG": ["F NTH H"]})[1, "ENG"] == "kept"


@pytest.mark.parametrize("order", ["F MAO S F BRE - ENG", "F MAO - ENG", "F BRE - ENG"])
def test_zone_forbids_entering_and_helping_to_enter(order: str) -> None:
    story = Story(at("S1902M", "FRA=FMAO,FBRE;ENG=FLON", "FRA=BRE;ENG=LON"))
    story.agree("ENG", "FRA", CHANNEL)
    assert story.play({"FRA": [order]})[1, "FRA"] == "broken"


def _zone_in_burgundy() -> Story:
    story = Story(at("S1902M", "FRA=APAR,AMAR;GER=AMUN", "FRA=PAR,MAR;GER=MUN"))
    story.agree("FRA", "GER", "DMZ (FRA GER) (BUR)")
    assert story.play() == {(1, "FRA"): "kept", (1, "GER"): "kept"}
    story.agree("FRA", "GER", "XDO ((FRA AMY PAR) MTO BUR)")
    return story


def test_unit_that_was_let_into_a_zone_has_until_the_next_movement_to_leave() -> None:
    story = _zone_in_burgundy()
    assert story.play({"FRA": ["A PAR - BUR"]})[1, "FRA"] == "open"
    assert story.play({"FRA": ["A BUR - GAS"]})[1, "FRA"] == "kept"
    story = _zone_in_burgundy()
    story.play({"FRA": ["A PAR - BUR"]})
    assert story.play()[1, "FRA"] == "broken", "it was not let in to stay"


@pytest.mark.parametrize(
    ("agreed", "orders"),
    [
        ("(FRA AMY PIC) HLD", ["A PIC H"]),
        ("(FRA AMY PIC) HLD", []),  # who orders nothing holds
        ("(FRA AMY PIC) SUP (FRA AMY PAR) MTO BUR", ["A PIC S A PAR - BUR", "A PAR - BUR"]),
    ],
)
def test_unit_that_all_let_stay_in_a_zone_may_stay_that_turn(agreed: str, orders: list[str]) -> None:
    story = Story(at("S1902M", "FRA=APIC,APAR;ENG=FLON", "FRA=PAR,BRE;ENG=LON"))
    story.agree("ENG", "FRA", "DMZ (ENG FRA) (PIC)")
    story.play()
    story.agree("ENG", "FRA", f"XDO ({agreed})")
    assert story.play({"FRA": orders}) == {(1, "ENG"): "kept", (1, "FRA"): "open", (2, "FRA"): "kept"}
    assert story.play({"FRA": orders})[1, "FRA"] == "broken", "only in that turn"


def test_only_the_partners_in_a_zone_can_let_a_unit_in() -> None:
    story = Story(at("S1902M", "FRA=APIC;GER=AMUN;ENG=FLON", "FRA=PAR;GER=MUN;ENG=LON"))
    story.agree("FRA", "ENG", "DMZ (FRA) (BEL)")
    story.agree("FRA", "GER", "XDO ((FRA AMY PIC) MTO BEL)")
    assert story.play({"FRA": ["A PIC - BEL"]}) == {(1, "FRA"): "broken", (2, "FRA"): "kept"}


def test_who_left_a_zone_is_not_asked_who_may_come_in() -> None:
    story = Story(at("S1902M", "FRA=APIC;RUS=ARUH;ENG=FLON", "FRA=PAR;RUS=MOS;ENG=LON"))
    story.agree("FRA", "ENG RUS", "DMZ (FRA ENG RUS) (BEL)")
    assert story.play({"RUS": ["A RUH - BEL"]})[1, "RUS"] == "broken"
    story.agree("FRA", "ENG", "XDO ((FRA AMY PIC) MTO BEL)")
    assert story.play({"FRA": ["A PIC - BEL"]})[1, "FRA"] in ("kept", "open")


def test_zone_of_a_winter_is_to_be_left_in_the_spring() -> None:
    story = Story(at("W1901A", "FRA=APAR;ENG=FLON", "FRA=PAR,MAR;ENG=LON"))
    story.agree("FRA", "ENG", "DMZ (FRA ENG) (PAR)")
    assert story.play({"FRA": ["A MAR B"]})[1, "FRA"] == "kept"
    assert story.play()[1, "FRA"] == "broken"


@pytest.mark.parametrize(
    ("phase", "orders", "status"),
    [("W1901A", [], "kept"), ("W1901A", ["WAIVE"], "kept"), ("S1902M", [], "kept")],
)
def test_who_orders_nothing_though_it_could_attacks_nobody(phase: str, orders: list[str], status: str) -> None:
    story = Story(at(phase, "FRA=APIC;ENG=FLON", "FRA=PAR,MAR;ENG=LON"))
    story.agree("FRA", "ENG", "PCE (FRA ENG)")
    found = story.play({"FRA": orders})
    assert found[1, "FRA"] == status
    assert found[1, "ENG"] == ("open" if phase == "W1901A" else "kept"), "in winter it has nothing to order"


@pytest.mark.parametrize(("order", "status"), [("A ANK - ARM", "kept"), ("A ANK H", "broken")])
def test_convoy_to_a_neighbour_may_be_given_by_land(order: str, status: str) -> None:
    story = Story(at("S1902M", "TUR=AANK;RUS=FSEV", "TUR=ANK;RUS=SEV"))
    story.agree("TUR", "RUS", "XDO ((TUR AMY ANK) CTO ARM VIA (BLA))")
    assert story.play({"TUR": [order]}) == {(1, "TUR"): status}


@pytest.mark.parametrize("other", ["A MAR - BUR", "A MAR S A PAR - BUR"])
def test_one_entry_that_was_agreed_on_covers_no_other(other: str) -> None:
    for orders in (["A PAR - BUR", other], [other, "A PAR - BUR"]):
        assert _zone_in_burgundy().play({"FRA": orders})[1, "FRA"] == "broken"


def test_zone_forbids_building_and_retreating_into_it() -> None:
    story = Story(at("W1901A", "FRA=APAR", "FRA=PAR,BRE,MAR"))
    story.agree("ENG", "FRA", "DMZ (FRA) (BRE)")
    assert story.play({"FRA": ["F BRE B", "A MAR B"]}) == {(1, "FRA"): "broken"}
    story = Story(at("S1902M", "FRA=FENG,FNTH;ENG=FBEL,FLON", "FRA=BRE;ENG=LON"))
    story.play({"FRA": ["F NTH S F ENG - BEL", "F ENG - BEL"], "ENG": ["F BEL H"]})
    assert story.position.stage == "retreats"
    story.agree("FRA", "ENG", "DMZ (ENG) (HOL)")
    assert story.play({"ENG": ["F BEL R HOL"]}) == {(1, "ENG"): "broken"}


def test_convoy_promised_by_carrier_and_army() -> None:
    what = "AND (XDO ((ENG FLT NTH) CVY (ENG AMY YOR) CTO NWY)) (XDO ((ENG AMY YOR) CTO NWY VIA (NTH)))"
    start = at("F1901M", "ENG=FNTH,AYOR;RUS=FSTP/SC", "ENG=LON;RUS=STP")
    story = Story(start)
    story.agree("ENG", "RUS", what)
    assert story.play({"ENG": ["F NTH C A YOR - NWY", "A YOR - NWY VIA"]}) == {(1, "ENG"): "kept"}
    story = Story(start)
    story.agree("ENG", "RUS", what)
    assert story.play({"ENG": ["F NTH - NWY", "A YOR H"]}) == {(1, "ENG"): "broken"}


def test_convoy_without_its_route_and_walk_make_no_difference() -> None:
    story = Story(at("F1901M", "ENG=FNTH,AYOR;RUS=FSTP/SC", "ENG=LON;RUS=STP"))
    story.agree("ENG", "RUS", "XDO ((ENG AMY YOR) CTO NWY VIA (NTH))")
    assert story.play({"ENG": ["F NTH C A YOR - NWY", "A YOR - NWY"]}) == {(1, "ENG"): "kept"}


def test_retreat_promised_in_a_movement_phase_is_due_after_it() -> None:  # S9
    units = "FRA=APAR;GER=ABUR,APIC"
    for retreat, expected in (("A PAR R GAS", "kept"), ("A PAR D", "broken")):
        story = Story(at("S1902M", units, "FRA=PAR;GER=MUN"))
        story.agree("GER", "FRA", "XDO ((FRA AMY PAR) RTO GAS)")
        first = story.play({"GER": ["A BUR - PAR", "A PIC S A BUR - PAR"]})
        assert first == {(1, "FRA"): "open"}
        assert story.play({"FRA": [retreat]}) == {(1, "FRA"): expected}


def test_retreat_of_a_unit_that_was_not_dislodged_is_void() -> None:  # S9
    story = Story()
    story.agree("GER", "FRA", "XDO ((FRA AMY PAR) RTO GAS)")
    assert story.play() == {(1, "FRA"): "void"}


def test_build_promised_in_spring_is_due_in_winter() -> None:  # S10
    for build, expected in (("F STP/NC B", "kept"), ("F STP/SC B", "broken"), ("A STP B", "broken")):
        story = Story(at("S1901M", "RUS=FBOT,AMOS", "RUS=STP,MOS"))
        story.agree("ENG", "RUS", "XDO ((RUS FLT (STP NCS)) BLD)")
        assert story.play({"RUS": ["F BOT - SWE"]}) == {(1, "RUS"): "open"}
        assert story.play({"RUS": ["F SWE H"]}) == {(1, "RUS"): "open"}
        assert story.position.stage == "adjustments"
        assert story.play({"RUS": [build]}) == {(1, "RUS"): expected}


def test_build_that_is_not_due_is_void() -> None:
    story = Story()
    story.agree("ENG", "RUS", "XDO ((RUS FLT (STP NCS)) BLD)")
    assert story.play() == {(1, "RUS"): "open"}
    assert story.play() == {(1, "RUS"): "void"}


def test_waiver_and_removal_are_judged_in_winter() -> None:
    story = Story(at("W1901A", "RUS=AMOS;TUR=AANK,ACON", "RUS=STP,MOS;TUR=ANK"))
    story.agree("ENG", "RUS", "XDO (RUS WVE)")
    story.agree("ENG", "TUR", "XDO ((TUR AMY CON) REM)")
    found = story.play({"RUS": ["WAIVE"], "TUR": ["A ANK D"]})
    assert found == {(1, "RUS"): "kept", (2, "TUR"): "broken"}


@pytest.mark.parametrize(
    ("builds", "verdict"),
    [([], "kept"), (["A PAR B"], "kept"), (["WAIVE", "A PAR B"], "kept"), (["A PAR B", "F BRE B"], "broken")],
)
def test_build_that_is_not_made_is_waived(builds: list[str], verdict: str) -> None:
    story = Story(at("W1901A", "FRA=ASPA;ENG=FLON", "FRA=PAR,BRE,SPA;ENG=LON"))
    story.agree("ENG", "FRA", "XDO (FRA WVE)")
    assert story.play({"FRA": builds}) == {(1, "FRA"): verdict}


def test_promise_of_a_unit_that_is_gone_is_void() -> None:
    story = Story(at("S1902M", "GER=ABUR,APIC;FRA=APAR,FBRE", "FRA=PAR,BRE;GER=MUN"))
    story.play({"GER": ["A BUR - PAR", "A PIC S A BUR - PAR"]})
    assert story.position.stage == "retreats"
    # Agreed between the battle and the next movement: Paris is lost before the order can be given.
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO PIC)")
    assert story.play({"FRA": ["A PAR D"]}) == {(1, "FRA"): "open"}
    assert story.play() == {(1, "FRA"): "void"}


def test_promise_of_what_was_not_possible_is_void() -> None:
    story = Story(at("S1902M", "FRA=APAR;ENG=FLON", "FRA=PAR;ENG=LON"))
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) SUP (FRA AMY MAR) MTO BUR)")
    assert story.play({"FRA": ["A PAR - BUR"]}) == {(1, "FRA"): "void"}


def test_later_agreement_replaces_an_earlier_one() -> None:
    story = Story()
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO BUR)")
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO PIC)")
    assert story.play({"FRA": ["A PAR - PIC"]}) == {(1, "FRA"): "void", (2, "FRA"): "kept"}
    assert story.ledger.pacts.all[0].state is PactState.REPLACED
    assert not story.ledger.pacts.contradictions


def test_agreement_with_somebody_else_replaces_nothing_and_is_noted() -> None:
    story = Story()
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO BUR)")
    story.agree("GER", "FRA", "XDO ((FRA AMY PAR) MTO PIC)")
    assert story.play({"FRA": ["A PAR - PIC"]}) == {(1, "FRA"): "broken", (2, "FRA"): "kept"}
    assert [found.power for found in story.ledger.pacts.contradictions] == ["FRA"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("PCE (FRA GER)", "ALY (ENG FRA) VSS (GER)"),
        ("DMZ (FRA GER) (BUR)", "XDO ((FRA AMY PAR) MTO BUR)"),
    ],
)
def test_playing_both_sides_is_noted(first: str, second: str) -> None:
    story = Story()
    story.agree("GER", "FRA", first)
    story.agree("ENG", "FRA", second)
    assert [found.power for found in story.ledger.pacts.contradictions] == ["FRA"]


def test_alliance_against_a_friend_ends_the_peace_if_he_agreed() -> None:
    story = Story()
    story.agree("ENG", "FRA GER", "PCE (FRA GER)")
    story.agree("ENG", "FRA GER", "ALY (ENG FRA) VSS (GER)")
    assert story.ledger.pacts.all[0].state is PactState.REPLACED


def test_agreed_nar_undoes_a_pact() -> None:  # S15
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE,APAR", "ENG=LON;FRA=PAR,BRE"))
    story.agree("ENG", "FRA", PEACE)
    story.agree("FRA", "ENG", "NAR (PCE (FRA ENG))")
    assert story.ledger.pacts.all[0].state is PactState.UNDONE
    assert story.play({"ENG": ["F ENG - BRE"]}) == {(1, "ENG"): "void", (1, "FRA"): "void"}
    assert story.play({"ENG": ["F ENG - BRE"]}) == {}


def test_nar_undoes_one_part_of_a_pact() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"AND ({PEACE}) ({CHANNEL})")
    story.agree("ENG", "FRA", f"NAR ({CHANNEL})")
    found = story.verdicts({"FRA": ["F BRE - ENG"]})
    assert {(v.performer, v.status.value, type(v.what).__name__) for v in found} == {
        ("ENG", "void", "Demilitarized"),
        ("FRA", "void", "Demilitarized"),
        ("ENG", "kept", "Peace"),
        ("FRA", "kept", "Peace"),
    }


def test_nar_of_some_does_not_undo_a_pact_of_all() -> None:
    story = Story()
    story.agree("ENG", "FRA GER", "PCE (ENG FRA GER)")
    story.agree("ENG", "FRA", "NAR (PCE (ENG FRA GER))")
    assert story.ledger.pacts.all[0].state is PactState.ACTIVE


@pytest.mark.parametrize("word", ["NOT", "NAR"])
def test_stating_that_a_pact_is_off_renounces_it(word: str) -> None:
    story = Story()
    story.agree("ENG", "FRA", PEACE)
    story.say("ENG", "FRA", f"FCT ({word} ({PEACE}))")
    assert story.ledger.pacts.all[0].state is PactState.RENOUNCED
    assert story.play() == {(1, "ENG"): "void", (1, "FRA"): "void"}
    assert story.play() == {}


def test_pact_of_three_goes_on_without_the_one_who_broke_it() -> None:
    units = "ENG=FENG;FRA=FBRE,APAR;GER=ABUR"
    story = Story(at("S1902M", units, "ENG=LON;FRA=PAR,BRE;GER=MUN"))
    story.agree("ENG", "FRA GER", "PCE (ENG FRA GER)")
    found = story.play({"ENG": ["F ENG - BRE"], "FRA": ["F BRE H"], "GER": ["A BUR H"]})
    assert found == {(1, "ENG"): "broken", (1, "FRA"): "kept", (1, "GER"): "kept"}
    # France may now strike England, but not Germany.
    found = story.play({"ENG": ["F ENG H"], "FRA": ["F BRE - ENG", "A PAR H"], "GER": ["A BUR - PAR"]})
    assert found == {(1, "FRA"): "kept", (1, "GER"): "broken"}


def test_pact_of_three_needs_every_yes() -> None:
    story = Story()
    what = "PRP (PCE (ENG FRA GER))"
    story.say("ENG", "FRA GER", what)
    story.say("FRA", "ENG GER", f"YES ({what})")
    assert story.play({"ENG": ["F LON - NTH"]}) == {}
    story.say("GER", "ENG FRA", f"YES ({what})")
    pact = story.ledger.pacts.all[0]
    assert (pact.since, pact.turn) == (1, 2), "it counts from the turn of the proposal (S16)"
    assert set(story.play()) == {(1, "ENG"), (1, "FRA"), (1, "GER")}


def test_pact_about_others_binds_nobody() -> None:
    story = Story()
    story.agree("ENG", "FRA", "XDO ((GER AMY MUN) MTO RUH)")
    assert story.play({"GER": ["A MUN - BUR"]}) == {}


def test_long_term_plans_stay_open_until_they_hold() -> None:
    story = Story()
    story.agree("ENG", "FRA", "SCD (FRA SPA) (ENG LON)")
    story.agree("ENG", "FRA", "OCC (FRA UNT SPA)")
    found = story.play({"FRA": ["A MAR - SPA"]})
    assert found == {(1, "FRA"): "open", (1, "ENG"): "kept", (2, "FRA"): "kept"}
    assert story.play()[1, "FRA"] == "kept"


def test_power_that_is_out_is_released() -> None:
    story = Story(at("F1902M", "ENG=FENG,FMAO;FRA=FBRE;GER=ABUR", "ENG=LON,LVP;FRA=BRE;GER=MUN"))
    story.agree("FRA", "GER", "PCE (FRA GER)")
    story.play({"ENG": ["F ENG - BRE", "F MAO S F ENG - BRE"], "FRA": ["F BRE H"]})
    if story.position.stage == "retreats":
        story.play({"FRA": ["F BRE D"]})
    assert story.ledger.pacts.all[0].state is PactState.VOID


def test_stab_takes_a_centre_within_two_movements() -> None:
    story = Story(at("S1902M", "ENG=FENG;FRA=APAR", "ENG=LON;FRA=PAR,BRE"))
    story.agree("ENG", "FRA", PEACE)
    story.play({"ENG": ["F ENG - BRE"]})
    assert not story.ledger.stabs.all
    story.play({"ENG": ["F BRE H"]})
    stab = story.ledger.stabs.all[0]
    assert (stab.by, stab.victim, set(stab.centres)) == ("ENG", "FRA", {"BRE"})


def test_stab_dislodges_a_unit() -> None:
    story = Story(at("S1902M", "ENG=FENG,FMAO;FRA=FBRE", "ENG=LON;FRA=PAR"))
    story.agree("ENG", "FRA", PEACE)
    story.play({"ENG": ["F ENG - BRE", "F MAO S F ENG - BRE"], "FRA": ["F BRE H"]})
    assert [(stab.by, set(stab.dislodged)) for stab in story.ledger.stabs.all] == [("ENG", {"BRE"})]


def test_breach_that_does_no_harm_is_no_stab() -> None:
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE", "ENG=LON;FRA=BRE"))
    story.agree("ENG", "FRA", PEACE)
    story.play({"ENG": ["F ENG - BRE"], "FRA": ["F BRE H"]})
    story.play()
    story.play()
    assert not story.ledger.stabs.all


def test_free_text_counts_and_binds_nobody() -> None:
    story = Story()
    assert story.say("ENG", "FRA", "shall we be friends?") is None
    assert story.ledger.language_use["ENG"].unread == 1
    assert story.play() == {}


def test_every_verdict_has_a_sentence() -> None:
    story = Story()
    for what in (PEACE, CHANNEL, "XDO ((FRA AMY PAR) MTO BUR)", "XDO ((FRA AMY PAR) RTO GAS)", "XDO (FRA WVE)", "DRW"):
        story.agree("ENG", "FRA", what)
    verdicts = story.verdicts({"FRA": ["F BRE - ENG"]})
    assert {verdict.status.value for verdict in verdicts} == {"kept", "broken", "void", "open"}
    for verdict in verdicts:
        assert sentence(verdict).endswith(".")


@pytest.mark.parametrize("seed", range(4))
def test_looking_only_at_concerned_pacts_gives_the_same_verdicts(seed: int) -> None:
    """One ledger takes the short way for pacts that nothing concerns, the other judges every one in full."""
    rng = random.Random(seed)
    quick, full = Story(), Story()
    powers = sorted(SEATS)
    places = sorted(quick.ledger.lexicon.provinces)
    for _ in range(14):
        if quick.position.over:
            break
        for _ in range(6):
            one, other, third = rng.sample(powers, 3)
            zone = " ".join([*rng.sample(places, 2), "(STP NCS)"])
            forms = (f"PCE ({one} {other})", f"DMZ ({one} {other}) ({zone})", f"ALY ({one} {other}) VSS ({third})")
            what = rng.choice([*forms, f"PCE ({one} {other} {third})"])
            for story in (quick, full):
                story.agree(one, f"{other} {third}" if third in what and "VSS" not in what else other, what)
        for pact in full.ledger.pacts.active:
            pact.watched = False
        position = quick.position
        orders = {seat[:3]: position.sample(seat, rng) for seat in position.to_act() if rng.random() < 0.9}
        assert quick.play(orders) == full.play(orders)
    assert {verdict.status for verdict in quick.ledger.verdicts} >= {
        PromiseStatus.KEPT,
        PromiseStatus.BROKEN,
        PromiseStatus.OPEN,
    }


@pytest.mark.parametrize("given", ["A PAR H", "A PAR S A BUR"])
def test_promise_to_help_a_unit_that_is_somebody_elses_is_void(given: str) -> None:
    story = Story(at("S1902M", "FRA=APAR;GER=ABUR;ENG=ALON", "FRA=PAR,MAR;GER=MUN;ENG=LON"))
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) SUP (ENG AMY BUR))")
    assert story.play({"FRA": [given]}) == {(1, "FRA"): "void"}


@pytest.mark.parametrize(
    ("what", "position", "given", "verdict"),
    [
        ("XDO ((RUS FLT BAR) MTO STP)", at("S1902M", "RUS=FBAR;ENG=FNWY", "RUS=MOS;ENG=LON"), "F BAR H", "broken"),
        ("XDO ((RUS FLT BAR) MTO STP)", at("S1902M", "RUS=FBAR;ENG=FNWY", "RUS=MOS;ENG=LON"), "F BAR - STP/NC", "kept"),
        ("XDO ((RUS FLT STP) BLD)", at("W1901A", "RUS=AMOS;ENG=FNWY", "RUS=MOS,STP;ENG=LON"), "A STP B", "broken"),
        ("XDO ((RUS FLT STP) BLD)", at("W1901A", "RUS=AMOS;ENG=FNWY", "RUS=MOS,STP;ENG=LON"), "F STP/SC B", "kept"),
    ],
)
def test_promise_that_leaves_the_coast_out_can_be_kept_and_broken(
    what: str, position: Position, given: str, verdict: str
) -> None:
    story = Story(position)
    story.agree("ENG", "RUS", what)
    assert story.play({"RUS": [given]}) == {(1, "RUS"): verdict}


def test_order_for_a_unit_of_another_breaks_nothing() -> None:
    story = Story()
    story.agree("ENG", "FRA", CHANNEL)
    verdicts = story.play({"ENG": ["F LON H", "F BRE - ENG"], "FRA": ["F BRE - MAO"]})
    assert verdicts == {(1, "ENG"): "kept", (1, "FRA"): "kept"}


@pytest.mark.parametrize("spelling", ["F BRE - ENG", "f bre-eng", "F Bre - English Channel"])
def test_breach_is_seen_however_the_order_is_spelled(spelling: str) -> None:
    story = Story()
    story.agree("ENG", "FRA", CHANNEL)
    assert story.play({"FRA": [spelling]})[1, "FRA"] == "broken"


@pytest.mark.parametrize("word", ["AND", "ORR", "CHO (1 1)"])
def test_deep_alternatives_are_judged_in_little_time(word: str) -> None:
    """Each part is judged once: several times at each level would take longer than the test may."""
    what = "XDO ((ENG FLT LON) MTO NTH)"
    for number in range(45):
        order = ("(ENG FLT EDI) MTO NWG", "(FRA FLT BRE) MTO MAO")[number % 2]
        what = f"{word} (XDO ({order})) ({what})"
    story = Story()
    story.agree("ENG", "FRA", what)
    assert story.play({"FRA": ["F BRE H"], "ENG": ["F LON H", "F EDI H"]}) == {
        (1, "ENG"): "broken",
        (1, "FRA"): "broken",
    }
