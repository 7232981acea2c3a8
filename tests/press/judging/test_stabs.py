"""Breaches of peace that did harm: one for each victim and turn, whatever the number of pacts."""

from __future__ import annotations

from support.press.stories import Story, at


def _stabs(story: Story) -> list[tuple[str, str, list[str], list[str]]]:
    return [(stab.by, stab.victim, sorted(stab.centres), sorted(stab.dislodged)) for stab in story.ledger.stabs.all]


def test_one_act_against_a_partner_of_two_pacts_is_one_stab() -> None:
    story = Story(at("S1902M", "ENG=FENG,FMAO;FRA=FBRE;GER=AMUN", "ENG=LON;FRA=PAR;GER=MUN"))
    story.agree("ENG", "FRA", "PCE (ENG FRA)")
    story.agree("ENG", "FRA", "ALY (ENG FRA) VSS (GER)")
    story.play({"ENG": ["F ENG - BRE", "F MAO S F ENG - BRE"]})
    assert _stabs(story) == [("ENG", "FRA", [], ["BRE"])]


def test_breach_of_a_peace_of_three_may_stab_both_others() -> None:
    units = "ENG=FENG,FMAO,FNTH,FHEL;FRA=FBRE;GER=FHOL"
    story = Story(at("S1902M", units, "ENG=LON;FRA=BRE;GER=HOL"))
    story.agree("ENG", "FRA GER", "PCE (ENG FRA GER)")
    story.play({"ENG": ["F ENG - BRE", "F MAO S F ENG - BRE", "F NTH - HOL", "F HEL S F NTH - HOL"]})
    assert _stabs(story) == [("ENG", "FRA", [], ["BRE"]), ("ENG", "GER", [], ["HOL"])]


def test_unit_dislodged_while_it_bounced_off_its_own_is_seen() -> None:
    story = Story(at("S1902M", "FRA=ABUR;GER=AMUN,ABER;ITA=ATYR", "FRA=PAR;GER=MUN,BER;ITA=VEN"))
    story.agree("FRA", "GER", "PCE (FRA GER)")
    story.play({"FRA": ["A BUR - MUN"], "ITA": ["A TYR S A BUR - MUN"], "GER": ["A MUN - BER", "A BER H"]})
    assert _stabs(story) == [("FRA", "GER", [], ["MUN"])]


def test_unit_destroyed_while_it_bounced_off_its_own_is_seen() -> None:
    units = "FRA=ABUR,ARUH,AKIE,ATYR,ABOH,ASIL;GER=AMUN,ABER"
    story = Story(at("S1902M", units, "FRA=PAR;GER=MUN,BER"))
    story.agree("FRA", "GER", "PCE (FRA GER)")
    story.play({"FRA": ["A BUR - MUN", "A RUH S A BUR - MUN"], "GER": ["A MUN - BER", "A BER H"]})
    assert story.position.stage == "orders", "it had nowhere to go"
    assert _stabs(story) == [("FRA", "GER", [], ["MUN"])]


def test_unit_that_left_in_time_was_not_driven_out() -> None:
    story = Story(at("S1902M", "FRA=ABUR;GER=AMUN,ABER", "FRA=PAR;GER=BER,KIE"))
    story.agree("FRA", "GER", "PCE (FRA GER)")
    story.play({"FRA": ["A BUR - MUN"], "GER": ["A MUN - BER", "A BER - KIE"]})
    assert not story.ledger.stabs.all


def test_centre_that_is_taken_counts_once_though_peace_was_broken_twice() -> None:
    story = Story(at("S1902M", "FRA=APIC,APAR;ENG=FLON,ABEL", "FRA=PAR;ENG=LON,BEL"))
    story.agree("FRA", "ENG", "PCE (FRA ENG)")
    story.play({"FRA": ["A PIC - BEL", "A PAR H"]})
    story.agree("FRA", "ENG", "PCE (FRA ENG)")
    story.play({"FRA": ["A PIC - BEL", "A PAR H"], "ENG": ["A BEL - HOL"]})
    assert _stabs(story) == [("FRA", "ENG", ["BEL"], [])]
    assert story.ledger.stabs.all[0].turn == 1


def test_centre_counts_for_the_breach_that_occupied_it() -> None:
    story = Story(at("S1902M", "FRA=APIC,ABUR;ENG=FNTH,ABEL", "FRA=PAR;ENG=LON,BEL"))
    story.agree("FRA", "ENG", "PCE (FRA ENG)")
    story.play({"FRA": ["A PIC - BEL", "A BUR S A PIC - BEL"]})
    story.play({"ENG": ["A BEL R HOL"]})
    story.agree("FRA", "ENG", "PCE (FRA ENG)")
    assert story.play({"FRA": ["A BEL - HOL"], "ENG": ["A HOL H"]})[2, "FRA"] == "broken"
    assert _stabs(story) == [("FRA", "ENG", ["BEL"], ["BEL"])]
