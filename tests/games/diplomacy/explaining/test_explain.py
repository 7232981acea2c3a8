"""Explanations: the sentences, their numbers, and that the numbers always account for the verdicts."""

from __future__ import annotations

import random

from parlour.games.diplomacy.explaining.explain import Explanation
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Verdict
from support.diplomacy.movement_phases import STYLES, make_phase, written

Orders = dict[str, list[str]]


def explained(orders: Orders) -> dict[str, Explanation]:
    units = {name: [" ".join(text.split()[:2]) for text in own] for name, own in orders.items()}
    turn = Position(*read_state({"phase": "S1901M", "units": units})).resolve(orders).turn
    assert turn is not None
    return {explanation.text: explanation for explanation in turn.explanations}


def test_a_bounce_compares_strengths_and_names_the_cause() -> None:
    why = explained({"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]})["A PAR - BUR"]
    assert why.verdict == "bounced"
    assert why.causes == ("A MUN",)
    assert why.strengths == {"A PAR": 1, "A MUN": 1}
    assert why.sentence == (
        "A PAR bounces off BUR: strength 1 against A MUN with 1. "
        "A move must be stronger than all that stands against it."
    )


def test_a_dislodgement_is_told_from_both_sides() -> None:
    why = explained({"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "GERMANY": ["A BUR H"]})
    assert why["A PAR - BUR"].sentence.startswith(
        "A PAR moves to BUR and dislodges A BUR: strength 2 against A BUR with 1."
    )
    assert why["A BUR H"].verdict == "dislodged"
    assert why["A BUR H"].causes == ("A PAR",)
    assert why["A BUR H"].strengths == {"A PAR": 2, "A BUR": 1}


def test_a_unit_that_can_retreat_nowhere_is_said_to_leave_the_board() -> None:
    why = explained({"FRANCE": ["A SPA - POR", "F MAO S A SPA - POR"], "ENGLAND": ["A POR H"], "ITALY": ["A ROM H"]})
    assert why["A POR H"].sentence.endswith(
        " A stronger attack dislodges a unit. It can retreat nowhere and is disbanded."
    )
    why = explained({"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "GERMANY": ["A BUR H"]})
    assert "disbanded" not in why["A BUR H"].sentence, "it retreats"


def test_the_loser_of_a_head_to_head_battle_learns_both_reasons() -> None:
    why = explained({"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "GERMANY": ["A BUR - PAR"]})["A BUR - PAR"]
    assert why.verdict == "dislodged"
    assert why.strengths == {"A BUR": 1, "A PAR": 2}
    assert "bounces off PAR" in why.sentence
    assert "is dislodged by A PAR" in why.sentence


def test_no_power_dislodges_its_own_unit() -> None:
    why = explained({"FRANCE": ["A PAR - BUR", "A BUR H", "A MAR S A PAR - BUR"]})["A PAR - BUR"]
    assert why.causes == ("A BUR",)
    assert "No power dislodges its own unit" in why.sentence


def test_support_of_the_defenders_own_power_does_not_count_against_it() -> None:
    why = explained({"FRANCE": ["A PAR - BUR"], "GERMANY": ["A BUR H", "A MUN S A PAR - BUR"]})["A PAR - BUR"]
    assert why.strengths == {"A PAR": 1, "A BUR": 1}
    assert "The support of A MUN does not count against a unit of its own power." in why.sentence


def test_a_cut_support_names_who_cut_it() -> None:
    why = explained(
        {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "ITALY": ["A PIE - MAR"], "GERMANY": ["A BUR H"]}
    )
    assert why["A MAR S A PAR - BUR"].verdict == "cut"
    assert why["A MAR S A PAR - BUR"].causes == ("A PIE",)


def test_an_unmatched_support_says_what_was_ordered_instead() -> None:
    why = explained({"FRANCE": ["A PAR - PIC", "A MAR S A PAR - BUR"]})["A MAR S A PAR - BUR"]
    assert why.verdict == "void"
    assert "the order was A PAR - PIC" in why.sentence
    why = explained({"FRANCE": ["A PAR - LON", "A MAR S A PAR - BUR"]})["A MAR S A PAR - BUR"]
    assert "A PAR holds" in why.sentence  # its order was void, and nobody ordered it to hold


def test_broken_and_missing_convoys() -> None:
    why = explained(
        {
            "ENGLAND": ["A LON - NWY VIA", "F NTH C A LON - NWY", "A WAL - BRE VIA", "F IRI C A WAL - BRE", "F ENG H"],
            "GERMANY": ["F HEL - NTH", "F DEN S F HEL - NTH"],
        }
    )
    assert why["A LON - NWY VIA"].causes == ("F NTH", "F HEL")
    assert "F NTH was dislodged by F HEL" in why["A LON - NWY VIA"].sentence
    assert "no chain of fleets was ordered" in why["A WAL - BRE VIA"].sentence


def test_a_convoy_for_an_army_that_walks_says_so() -> None:
    why = explained({"RUSSIA": ["A RUM - SEV"], "TURKEY": ["F BLA C A RUM - SEV"]})["F BLA C A RUM - SEV"]
    assert (why.verdict, why.causes) == ("void", ("A RUM",))
    assert "A RUM goes to SEV by land" in why.sentence
    why = explained({"ENGLAND": ["A NWY - SWE", "F NTH C A NWY - SWE", "F SKA H"]})["F NTH C A NWY - SWE"]
    assert "A NWY goes by land" in why.sentence


def test_a_paradox_names_its_members() -> None:
    # DATC 6.F.14
    why = explained(
        {
            "ENGLAND": ["F LON S F WAL - ENG", "F WAL - ENG"],
            "FRANCE": ["A BRE - LON", "F ENG C A BRE - LON"],
        }
    )
    army = why["A BRE - LON"]
    assert army.verdict == "disrupted"
    assert army.paradox == ("A BRE", "F ENG", "F LON", "F WAL")
    assert "paradox with F ENG, F LON and F WAL" in army.sentence
    assert "Szykman" in army.sentence
    fleet = why["F ENG C A BRE - LON"]
    assert (fleet.verdict, fleet.paradox) == ("dislodged", army.paradox)
    assert fleet.causes == ("F WAL", "A BRE", "F LON")


def test_a_paradox_of_two_convoys_names_both_armies() -> None:
    # DATC 6.F.22
    why = explained(
        {
            "ENGLAND": ["F EDI - NTH", "F LON S F EDI - NTH"],
            "FRANCE": ["A BRE - LON", "F ENG C A BRE - LON"],
            "GERMANY": ["F BEL S F PIC - ENG", "F PIC - ENG"],
            "RUSSIA": ["A NWY - BEL", "F NTH C A NWY - BEL"],
        }
    )
    members = {"A BRE", "F ENG", "F LON", "F EDI", "A NWY", "F NTH", "F BEL", "F PIC"}
    assert set(why["A BRE - LON"].paradox) == set(why["A NWY - BEL"].paradox) == members


def test_void_orders_and_defaults_are_explained_too() -> None:
    why = explained({"FRANCE": ["A PAR - LON"]})
    assert why["A PAR - LON"].sentence.startswith("Void. Out of reach: 'LON', expected one of BRE, BUR, GAS, PIC")
    assert why["A PAR H"].default
    assert why["A PAR H"].sentence == "By default: A PAR holds."


def test_retreats_and_adjustments_are_explained() -> None:
    retreats = {"FRANCE": {"A BUR": ["PAR", "GAS"]}, "ENGLAND": {"A PIC": ["PAR", "BRE"]}}
    value = {"phase": "F1901R", "units": {"GERMANY": ["A BUR", "A PIC"]}, "retreats": retreats}
    clash = Position(*read_state(value)).resolve({"FRANCE": ["A BUR R PAR"], "ENGLAND": ["A PIC R PAR"]})
    assert clash.turn is not None
    assert [why.causes for why in clash.turn.explanations] == [("A BUR",), ("A PIC",)]
    winter = clash.resolve({"AUSTRIA": ["A VIE B"], "RUSSIA": ["A SEV/NC B"]})
    assert winter.turn is not None
    sentences = {why.text: why.sentence for why in winter.turn.explanations}
    assert sentences["A VIE B"].startswith("A VIE is built.")
    assert sentences["A SEV/NC B"].startswith("A SEV is built.")
    assert sentences["WAIVE"].startswith("By default: ")


def test_the_strengths_always_account_for_the_verdict() -> None:
    rng = random.Random(17)
    seen = set()
    for style in STYLES:
        for _ in range(60):
            units, orders = written(*make_phase(rng, style))
            turn = Position(*read_state({"phase": "S1901M", "units": units})).resolve(orders).turn
            assert turn is not None
            for why in turn.explanations:
                seen.add((why.verdict, bool(why.paradox)))
                account(why)
    assert {verdict for verdict, _ in seen} == set(Verdict)
    assert (Verdict.DISRUPTED, True) in seen


def account(why: Explanation) -> None:
    """The sentence is whole, and what is stronger won."""
    assert why.sentence.endswith(".")
    assert "against ." not in why.sentence
    assert "of ." not in why.sentence
    unit = " ".join(why.text.split()[:2])
    moving = why.text.split()[2] == "-"
    others = [strength for name, strength in why.strengths.items() if name != unit]
    if moving and why.verdict == "succeeded":
        assert all(strength < why.strengths[unit] for strength in others)
    if moving and why.verdict == "bounced":
        assert why.causes
        assert why.strengths[unit] == 0 or max(others) >= why.strengths[unit]
    if why.verdict == "dislodged":
        assert why.strengths[why.causes[0]] > why.strengths[unit]
    if why.verdict in ("cut", "disrupted"):
        assert why.causes
