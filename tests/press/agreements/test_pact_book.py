"""Pacts in force: parts that are done, left, renounced, agreed again; and powers that agreed to both sides."""

from __future__ import annotations

import pytest

from parlour.press.agreements.pacts import PactState
from parlour.press.reports.verdict_text import sentence
from support.press.stories import Story, at

PEACE, CHANNEL = "PCE (ENG FRA)", "DMZ (ENG FRA) (ECH)"
THREE = "PCE (ENG FRA GER)"
PARIS, LONDON = "XDO ((FRA AMY PAR) HLD)", "XDO ((ENG FLT LON) HLD)"


def _neighbours() -> Story:
    """England can attack Brest, Germany Paris."""
    return Story(at("S1902M", "ENG=FENG,FLON;FRA=APAR,FBRE;GER=ABUR", "ENG=LON;FRA=PAR,BRE;GER=MUN"))


# Every part is judged by itself


def test_alliance_against_who_left_a_peace_leaves_the_peace_of_the_others() -> None:
    story = Story(at("S1902M", "FRA=ABUR;GER=AMUN;ENG=FLON;ITA=AROM", "FRA=PAR;GER=MUN;ENG=LON;ITA=ROM"))
    story.agree("FRA", "ENG GER", "PCE (FRA ENG GER)")
    story.play({"FRA": ["A BUR - MUN"]})
    story.agree("ENG", "GER ITA", "ALY (ENG ITA) VSS (FRA)")
    assert story.play()[1, "ENG"] == "kept"


def test_what_is_said_twice_is_owed_once() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"AND ({PARIS}) ({PARIS}) (NOT (NOT ({PARIS}))) (AND ({PARIS}) ({LONDON}))")
    assert story.told()[0].startswith("1 FRA XDO")
    assert [verdict.performer for verdict in story.ledger.verdicts] == ["FRA", "ENG"]


@pytest.mark.parametrize("times", [2, 4])
def test_what_is_denied_twice_replaces_and_is_undone_like_what_is_said(times: int) -> None:
    def denied(what: str) -> str:
        return "NOT (" * times + what + ")" * times

    story = Story()
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) HLD)")
    story.agree("ENG", "FRA", denied("XDO ((FRA AMY PAR) MTO BUR)"))
    story.agree("ENG", "GER", denied("PCE (ENG GER)"))
    story.agree("ENG", "GER", "NAR (PCE (ENG GER))")
    assert [pact.number for pact in story.ledger.active()] == [2]
    assert story.play({"FRA": ["A PAR - BUR"]})[2, "FRA"] == "kept"


def test_every_part_has_its_verdict() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"AND ({PARIS}) (XDO ((FRA FLT BRE) MTO MAO)) ({LONDON})")
    told = story.told({"FRA": ["A PAR H", "F BRE - ENG"]})
    assert told == ["1 FRA XDO kept", "1 FRA XDO broken", "1 ENG XDO kept"]
    assert story.ledger.pacts.all[0].state is PactState.BROKEN


def test_order_that_is_settled_is_judged_no_more_and_peace_goes_on() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"AND ({PARIS}) ({PEACE})")
    assert story.told() == ["1 FRA XDO kept", "1 ENG PCE kept", "1 FRA PCE kept"]
    assert story.told() == ["1 ENG PCE kept", "1 FRA PCE kept"]
    assert story.ledger.pacts.all[0].state is PactState.ACTIVE


def test_pact_is_done_when_its_last_part_is() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"AND ({PARIS}) (XDO (ENG WVE))")
    assert story.told() == ["1 FRA XDO kept", "1 ENG XDO open"]
    assert story.told() == ["1 ENG XDO void"]
    assert story.ledger.pacts.all[0].state is PactState.DONE


def test_alternative_that_was_performed_is_judged_no_more() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA", f"ORR ({PARIS}) (PCE (ENG FRA))")
    assert story.play() == {(1, "ENG"): "kept", (1, "FRA"): "kept"}
    assert story.play() == {}
    assert story.ledger.pacts.all[0].state is PactState.DONE


def test_whoever_breaks_one_part_leaves_them_all() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", f"AND ({THREE}) (DMZ (ENG FRA) (MAO))")
    told = story.told({"ENG": ["F ENG - BRE"]})
    assert [line for line in told if "broken" in line] == ["1 ENG PCE broken"]
    # France owes England nothing any more, but it owes Germany peace, and that it keeps out of the ocean.
    assert story.told({"FRA": ["F BRE - ENG"]}) == ["1 FRA PCE kept", "1 GER PCE kept", "1 FRA DMZ kept"]


@pytest.mark.parametrize("breaker", ["ENG", "FRA", "GER"])
def test_pact_of_several_in_which_a_part_was_broken_ends_as_broken(breaker: str) -> None:
    parts = {"ENG": "((ENG FLT LON) HLD)", "FRA": "((FRA AMY PAR) HLD)", "GER": "((GER AMY BUR) HLD)"}
    moves = {"ENG": "F LON - WAL", "FRA": "A PAR - GAS", "GER": "A BUR - RUH"}
    story = _neighbours()
    story.agree("ENG", "FRA GER", "AND " + " ".join(f"(XDO {order})" for order in parts.values()))
    assert story.told({breaker: [moves[breaker]]}).count(f"1 {breaker} XDO broken") == 1
    pact = story.ledger.pacts.all[0]
    assert (pact.state, pact.ended) == (PactState.BROKEN, 1)


def test_breach_is_not_forgotten_when_the_others_do_their_part_later() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", f"AND ({PARIS}) (XDO (ENG WVE)) (XDO (GER WVE))")
    assert "1 FRA XDO broken" in story.told({"FRA": ["A PAR - GAS"]})
    assert [pact.number for pact in story.ledger.active()] == [1]
    story.told()
    story.told()
    assert story.ledger.pacts.all[0].state is PactState.BROKEN


# Agreeing again


def test_repeat_of_a_pact_in_force_makes_no_second_one() -> None:
    story = Story()
    for _ in range(2):
        story.agree("ENG", "FRA", f"AND ({PEACE}) ({CHANNEL})")
        story.play()
    assert len(story.ledger.pacts.all) == 1


def test_who_broke_a_peace_of_three_can_be_bound_again() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", THREE)
    assert story.play({"ENG": ["F ENG - BRE"]})[1, "ENG"] == "broken"
    story.agree("ENG", "FRA GER", THREE)
    assert [pact.state for pact in story.ledger.pacts.all] == [PactState.REPLACED, PactState.ACTIVE]
    found = story.play({"ENG": ["F ENG - BRE"]})
    assert found == {
        (1, "FRA"): "void",
        (1, "GER"): "void",
        (2, "ENG"): "broken",
        (2, "FRA"): "kept",
        (2, "GER"): "kept",
    }


def test_order_agreed_again_beside_a_peace_is_due_again() -> None:
    story = Story()
    for orders, status in ((["A PAR H"], "kept"), (["A PAR - PIC"], "broken")):
        story.agree("ENG", "FRA", f"AND ({PEACE}) ({PARIS})")
        assert f"{story.turn} FRA XDO {status}" in story.told({"FRA": orders})


def test_part_that_was_undone_can_be_agreed_again() -> None:
    story = Story()
    what = f"AND ({PEACE}) ({CHANNEL})"
    story.agree("ENG", "FRA", what)
    story.agree("ENG", "FRA", f"NAR ({CHANNEL})")
    story.play()
    story.agree("ENG", "FRA", what)
    assert "2 FRA DMZ broken" in story.told({"FRA": ["F BRE - ENG"]})


# Renouncing


@pytest.mark.parametrize("word", ["NOT", "NAR"])
def test_promise_cannot_be_renounced_in_secret(word: str) -> None:
    story = _neighbours()
    story.agree("ENG", "FRA", PEACE)
    story.say("ENG", "GER", f"FCT ({word} ({PEACE}))")
    assert story.play({"ENG": ["F ENG - BRE"]}) == {(1, "ENG"): "broken", (1, "FRA"): "kept"}


def test_all_partners_must_be_told() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", THREE)
    story.say("ENG", "GER", f"FCT (NOT ({THREE}))")
    assert story.play({"ENG": ["F ENG - BRE"]})[1, "ENG"] == "broken"


def test_only_who_renounces_is_released() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", THREE)
    story.say("ENG", "FRA GER", f"FCT (NOT ({THREE}))")
    found = story.play({"ENG": ["F ENG - BRE"], "GER": ["A BUR - PAR"]})
    assert found == {(1, "ENG"): "void", (1, "FRA"): "kept", (1, "GER"): "broken"}


def test_peace_of_three_is_over_when_two_have_renounced_it() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", THREE)
    for power, others in (("ENG", "FRA GER"), ("FRA", "GER")):  # England need not be told any more
        story.say(power, others, f"FCT (NOT ({THREE}))")
    assert story.ledger.pacts.all[0].state is PactState.RENOUNCED
    assert story.play({"GER": ["A BUR - PAR"]}) == {(1, "ENG"): "void", (1, "FRA"): "void", (1, "GER"): "void"}


def test_partner_can_renounce_what_only_the_other_owes() -> None:
    story = Story()
    story.agree("ENG", "FRA", PARIS)
    story.say("ENG", "FRA", f"FCT (NOT ({PARIS}))")
    assert story.play({"FRA": ["A PAR - PIC"]}) == {(1, "FRA"): "void"}


# Powers that are out


def test_promise_of_one_stays_while_somebody_is_left_to_whom_it_was_made() -> None:
    units, centres = "FRA=APAR;GER=AMUN,ARUH;ENG=FLON;ITA=AVEN", "FRA=PAR;GER=MUN;ENG=LON;ITA=VEN;AUS=TRI"
    story = Story(at("F1902M", units, centres))
    story.agree("FRA", "GER AUS", "DMZ (FRA) (BUR)")
    story.agree("FRA", "AUS", "DMZ (FRA) (GAS)")
    story.play({"ITA": ["A VEN - TRI"]})
    assert [pact.state for pact in story.ledger.pacts.all] == [PactState.ACTIVE, PactState.VOID]
    story.play()
    assert story.play({"FRA": ["A PAR - BUR"]}) == {(1, "FRA"): "broken"}


# Both sides


def test_contradiction_is_noted_once_for_two_pacts() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA", f"AND ({PEACE}) ({CHANNEL})")
    story.agree("GER", "ENG", "AND (XDO ((ENG FLT ECH) MTO BRE)) (XDO ((ENG FLT LON) MTO ECH))")
    noted = [(found.power, found.earlier.number, found.later.number) for found in story.ledger.pacts.contradictions]
    assert noted == [("ENG", 1, 2)]


# Orders that the victim agreed to


@pytest.mark.parametrize("word", ["ORR", "CHO (1 1)"])
def test_order_that_the_victim_agreed_to_as_a_choice_is_no_attack(word: str) -> None:
    story = _neighbours()
    story.agree("ENG", "FRA", PEACE)
    story.agree("ENG", "FRA", f"{word} (XDO ((ENG FLT ECH) MTO BRE)) (XDO ((ENG FLT ECH) MTO BEL))")
    assert story.play({"ENG": ["F ENG - BRE"]}) == {(1, "ENG"): "kept", (1, "FRA"): "kept", (2, "ENG"): "kept"}


@pytest.mark.parametrize("what", ["AND ({0}) ({1})", "AND ({1}) (ORR ({0}) (SCD (ENG BEL)))"])
def test_order_that_was_agreed_to_is_an_attack_when_its_turn_is_over(what: str) -> None:
    story = _neighbours()
    story.agree("ENG", "FRA", what.format("XDO ((ENG FLT ECH) MTO BRE)", PEACE))
    assert "broken" not in " ".join(story.told({"ENG": ["F ENG - BRE"]}))
    assert "1 ENG PCE broken" in story.told({"ENG": ["F ENG - BRE"]})


# Whom a sentence names


@pytest.mark.parametrize("what", [f"CHO (1 1) ({PARIS}) ({LONDON})", f"NOT (ORR ({PARIS}) ({LONDON}))"])
def test_everyone_is_blamed_for_an_order_of_its_own(what: str) -> None:
    story = Story()
    story.agree("ENG", "FRA", what)
    shown = {verdict.performer: sentence(verdict) for verdict in story.verdicts({})}
    assert "It ordered that France's army in Paris holds" in shown["FRA"]
    assert "It ordered that England's fleet in London holds" in shown["ENG"]


def test_nobody_is_blamed_for_what_others_did() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"CHO (0 1) ({PARIS}) (XDO ((FRA AMY MAR) HLD)) ({LONDON})")
    story.agree("ENG", "FRA", f"NOT (ORR ({PARIS}) (XDO ((ENG FLT EDI) MTO NWG)))")
    found = story.play({"ENG": ["F LON - NTH"]})
    assert found == {(1, "FRA"): "broken", (1, "ENG"): "void", (2, "FRA"): "broken", (2, "ENG"): "void"}


# Ending


def _without_germany() -> Story:
    """Germany loses its last unit while it has no centre, and leaves a peace of three and what else is agreed."""
    story = Story(at("F1902M", "ENG=FENG,FLON;FRA=APAR,FBRE;GER=ABUR", "ENG=LON;FRA=PAR,BRE"))
    story.agree("ENG", "FRA GER", THREE)
    story.play()
    story.play()
    assert "GER" not in story.ledger.present
    return story


def test_pact_of_three_is_undone_by_the_two_that_are_left() -> None:
    story = _without_germany()
    story.agree("ENG", "FRA", f"NAR ({THREE})")
    assert story.ledger.pacts.all[0].state is PactState.UNDONE


def test_pact_of_three_is_replaced_by_the_two_that_are_left() -> None:
    story = _without_germany()
    story.agree("ENG", "FRA", f"NOT ({THREE})")
    assert story.ledger.pacts.all[0].state is PactState.REPLACED


def test_pact_of_three_is_renounced_to_the_one_that_is_left() -> None:
    story = _without_germany()
    story.say("ENG", "FRA", f"FCT (NAR ({THREE}))")
    assert story.ledger.pacts.all[0].state is PactState.RENOUNCED


def test_renunciation_counts_once_all_were_told_one_by_one() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", THREE)
    story.say("ENG", "FRA", f"FCT (NOT ({THREE}))")
    assert story.told() == ["1 ENG PCE kept", "1 FRA PCE kept", "1 GER PCE kept"], "Germany does not know yet"
    story.say("ENG", "GER", f"FCT (NAR ({THREE}))")
    assert story.told({"ENG": ["F ENG - BRE"]}) == ["1 ENG PCE void", "1 FRA PCE kept", "1 GER PCE kept"]


def test_who_agrees_again_has_to_renounce_again() -> None:
    story = _neighbours()
    story.agree("ENG", "FRA GER", THREE)
    story.say("ENG", "FRA", f"FCT (NOT ({THREE}))")
    story.agree("ENG", "FRA GER", THREE)
    story.say("ENG", "GER", f"FCT (NOT ({THREE}))")
    assert "1 ENG PCE kept" in story.told(), "France thinks that it holds again"


def test_repeat_of_a_pact_in_force_still_undoes_what_it_undoes() -> None:
    story = _neighbours()
    what = f"AND (NAR ({CHANNEL})) ({PEACE})"
    for agreed in (what, CHANNEL, what):
        story.agree("ENG", "FRA", agreed)
    assert [pact.state for pact in story.ledger.pacts.all] == [PactState.ACTIVE, PactState.UNDONE]


# Choices that rule an order out

BURGUNDY, PICARDY, BREST = (f"XDO ((FRA {move})" for move in ("AMY PAR) MTO BUR", "AMY PAR) MTO PIC", "FLT BRE) HLD"))
RULED_OUT = [
    f"ORR ({BURGUNDY}) ({PICARDY})",
    f"ORR ({BURGUNDY}) (NOT ({PARIS}))",
    f"ORR (AND ({BREST}) ({BURGUNDY})) ({PICARDY})",
    f"CHO (1 1) ({BURGUNDY}) ({PICARDY})",
    f"CHO (2 2) ({BURGUNDY}) ({BREST})",
]


@pytest.mark.parametrize("choices", RULED_OUT)
def test_choices_none_of_which_can_hold_beside_an_order_replace_it_and_are_replaced_by_it(choices: str) -> None:
    for earlier, later in ((PARIS, choices), (choices, PARIS)):
        story = Story()
        story.agree("ENG", "FRA", earlier)
        story.agree("ENG", "FRA", later)
        assert [pact.state for pact in story.ledger.pacts.all] == [PactState.REPLACED, PactState.ACTIVE]
        assert not story.ledger.pacts.contradictions


@pytest.mark.parametrize("choices", RULED_OUT)
def test_choices_agreed_with_another_contradict_the_order_that_they_rule_out(choices: str) -> None:
    story = Story()
    story.agree("ENG", "FRA", PARIS)
    story.agree("GER", "FRA", choices)
    assert [(found.power, found.earlier.number) for found in story.ledger.pacts.contradictions] == [("FRA", 1)]
    assert len(story.ledger.active()) == 2


@pytest.mark.parametrize(
    "choices",
    [
        f"ORR ({PARIS}) ({PICARDY})",
        f"ORR ({BREST}) ({PICARDY})",
        f"ORR ({PEACE}) ({PICARDY})",
        f"CHO (0 1) ({BURGUNDY}) ({PICARDY})",
        f"CHO (1 2) ({BREST}) ({PICARDY})",
    ],
)
def test_choices_of_which_enough_are_left_stand_beside_an_order(choices: str) -> None:
    story = Story()
    story.agree("ENG", "FRA", PARIS)
    story.agree("ENG", "FRA", choices)
    story.agree("GER", "FRA", choices)
    assert len(story.ledger.active()) == 3
    assert not story.ledger.pacts.contradictions
