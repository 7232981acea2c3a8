"""Obligations and breaches where arrangements contain others or cannot be performed."""

from __future__ import annotations

import pytest

from parlour.press.agreements.pacts import PactState
from parlour.press.agreements.proposals import ProposalState
from support.press.stories import Story, at

PARIS, BREST = "XDO ((FRA AMY PAR) MTO BUR)", "XDO ((FRA FLT BRE) MTO MAO)"
LONDON = "XDO ((ENG FLT LON) MTO NTH)"
MUNICH = "XDO ((GER AMY MUN) MTO RUH)"

PARIS_KEPT, LONDON_KEPT = ["A PAR - BUR"], ["F LON - NTH"]
PARIS_BROKEN, LONDON_BROKEN = ["A PAR H"], ["F LON H"]


def _judged(what: str, orders: dict[str, list[str]]) -> dict[str, str]:
    """Return the status of England and France, who agreed on this and did that in the first phase."""
    story = Story()
    story.agree("ENG", "FRA", what)
    return {power: status for (_, power), status in story.play(orders).items()}


@pytest.mark.parametrize(("given", "status"), [("A PAR - BUR", "kept"), ("A PAR H", "broken")])
def test_denying_twice_is_promising(given: str, status: str) -> None:
    assert _judged(f"NOT (NOT ({PARIS}))", {"FRA": [given]}) == {"FRA": status}


@pytest.mark.parametrize("order", [PARIS, f"NOT (NOT ({PARIS}))", f"NOT (NOT (ORR ({PARIS}) ({BREST})))"])
def test_order_that_is_promised_by_denying_twice_breaks_no_peace(order: str) -> None:
    story = Story(at("S1902M", "FRA=APAR,FBRE;GER=ABUR", "FRA=PAR,BRE;GER=MUN"))
    story.agree("FRA", "GER", "PCE (FRA GER)")
    story.agree("FRA", "GER", order)
    assert story.play({"FRA": ["A PAR - BUR", "F BRE H"]})[1, "FRA"] == "kept"


def test_peace_denied_once_binds_nobody_and_twice_both() -> None:
    assert _judged("NOT (PCE (ENG FRA))", {}) == {}
    assert _judged("NOT (NOT (PCE (ENG FRA)))", {}) == {"ENG": "kept", "FRA": "kept"}


def test_solo_binds_nobody_and_is_over_at_once() -> None:
    story = Story()
    story.agree("ENG", "FRA", "SLO (FRA)")
    assert story.play() == {}
    assert story.ledger.pacts.all[0].state is PactState.DONE


@pytest.mark.parametrize(
    ("what", "france", "england", "statuses"),
    [
        # One of the two is enough, whoever does it; if nobody does, both are to blame.
        (f"ORR ({PARIS}) ({LONDON})", PARIS_KEPT, LONDON_BROKEN, ("kept", "kept")),
        (f"ORR ({PARIS}) ({LONDON})", PARIS_BROKEN, LONDON_BROKEN, ("broken", "broken")),
        # Both are needed: only who did not perform is to blame.
        (f"CHO (2 2) ({PARIS}) ({LONDON})", PARIS_KEPT, LONDON_KEPT, ("kept", "kept")),
        (f"CHO (2 2) ({PARIS}) ({LONDON})", PARIS_KEPT, LONDON_BROKEN, ("void", "broken")),
        # One at most.
        (f"CHO (0 1) ({PARIS}) ({LONDON})", PARIS_BROKEN, LONDON_BROKEN, ("kept", "kept")),
        (f"CHO (0 1) ({PARIS}) ({LONDON})", PARIS_KEPT, LONDON_BROKEN, ("kept", "kept")),
        (f"CHO (0 1) ({PARIS}) ({LONDON})", PARIS_KEPT, LONDON_KEPT, ("broken", "broken")),
        # What somebody leaves is a part like any other.
        (f"ORR ({PARIS}) (NOT ({LONDON}))", PARIS_BROKEN, LONDON_BROKEN, ("kept", "kept")),
        (f"ORR ({PARIS}) (NOT ({LONDON}))", PARIS_BROKEN, LONDON_KEPT, ("broken", "broken")),
        (f"CHO (2 2) ({PARIS}) (NOT ({LONDON}))", PARIS_KEPT, LONDON_KEPT, ("void", "broken")),
        # A part of several orders needs all of them.
        (f"ORR (AND ({PARIS}) ({BREST})) ({LONDON})", [*PARIS_KEPT, "F BRE - MAO"], LONDON_BROKEN, ("kept", "kept")),
        (f"ORR (AND ({PARIS}) ({BREST})) ({LONDON})", PARIS_KEPT, LONDON_BROKEN, ("broken", "broken")),
    ],
)
def test_enough_parts_must_hold(what: str, france: list[str], england: list[str], statuses: tuple[str, str]) -> None:
    assert _judged(what, {"FRA": france, "ENG": england}) == dict(zip(("FRA", "ENG"), statuses, strict=True))


@pytest.mark.parametrize(("what", "breach"), [("PCE (ENG FRA)", "F BRE - ENG"), ("DMZ (ENG FRA) (MAO)", "F BRE - MAO")])
@pytest.mark.parametrize(
    ("peaceful", "germany", "statuses"),
    [
        (True, "A MUN H", ("kept", "kept", "kept")),
        (False, "A MUN - RUH", ("kept", "kept", "kept")),
        (False, "A MUN H", ("void", "broken", "broken")),  # England kept its part
    ],
)
def test_alternatives_of_several_powers_are_judged_for_each(
    what: str, breach: str, peaceful: bool, germany: str, statuses: tuple[str, ...]
) -> None:
    story = Story(at("S1902M", "ENG=FENG;FRA=FBRE;GER=AMUN", "ENG=LON;FRA=BRE;GER=MUN"))
    story.agree("ENG", "FRA GER", f"ORR ({what}) ({MUNICH})")
    found = story.play({"FRA": ["F BRE H" if peaceful else breach], "GER": [germany]})
    assert tuple(found[1, power] for power in ("ENG", "FRA", "GER")) == statuses


@pytest.mark.parametrize("what", ["PCE (ENG FRA)", "DMZ (ENG FRA) (PIC)"])
def test_arrangement_of_others_asks_nothing_of_a_third_party_to_it(what: str) -> None:
    story = Story(at("S1902M", "ENG=ABEL;FRA=APIC,APAR;GER=AMUN,ABUR", "ENG=LON;FRA=PAR,BRE;GER=MUN"))
    story.agree("ENG", "FRA GER", f"CHO (2 2) ({what}) ({MUNICH})")
    orders = {"ENG": ["A BEL - PIC"], "FRA": ["A PIC - BRE"], "GER": ["A MUN - RUH", "A BUR - PIC"]}
    assert story.play(orders) == {(1, "ENG"): "broken", (1, "FRA"): "void", (1, "GER"): "void"}


def test_alternative_stays_open_while_enough_can_still_come() -> None:
    story = Story(at("S1901M", "FRA=APAR,FMAO;ENG=FLON", "FRA=PAR,BRE,MAR;ENG=LON"))
    story.agree("ENG", "FRA", f"ORR ({PARIS}) (XDO (FRA WVE))")
    assert story.play({"FRA": ["A PAR H"]}) == {(1, "FRA"): "open"}
    assert story.play({"FRA": ["A PAR H"]}) == {(1, "FRA"): "open"}
    assert story.position.stage == "adjustments"
    assert story.play({"FRA": ["WAIVE"]}) == {(1, "FRA"): "kept"}


def test_choice_of_too_few_is_broken_as_soon_as_it_cannot_be_reached() -> None:
    story = Story()
    story.agree("ENG", "FRA", f"CHO (2 3) ({PARIS}) ({BREST}) (XDO (FRA WVE))")
    assert story.play({"FRA": ["A PAR H", "F BRE H"]}) == {(1, "FRA"): "broken"}


def test_build_that_is_not_possible_is_void() -> None:
    story = Story(at("W1901A", "FRA=APAR", "FRA=PAR,BRE,MAR"))
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) BLD)")
    assert story.play({"FRA": ["F BRE B"]}) == {(1, "FRA"): "void"}


@pytest.mark.parametrize(
    ("what", "statuses"),
    [
        ("SCD (ENG LON EDI)", ("kept", "kept")),
        ("SCD (ENG LON BRE)", ("open", "open")),
        ("SCD (ENG LON NWY)", ("open", "kept")),  # a centre is taken in autumn
        ("OCC (ENG FLT NWY)", ("kept", "kept")),
        ("OCC (ENG UNT NWY) (ENG AMY LVP)", ("kept", "kept")),
        ("OCC (ENG AMY NWY)", ("open", "open")),  # another kind of unit
        ("OCC (ENG UNT SWE)", ("open", "open")),
        ("OCC (ENG UNT NWY) (ENG UNT SWE)", ("open", "open")),
        ("OCC (ENG UNT STP)", ("open", "open")),  # somebody else's unit
    ],
)
def test_plans_are_open_until_all_of_them_holds(what: str, statuses: tuple[str, str]) -> None:
    units, centres = "ENG=FNTH,ALVP;RUS=FSTP/SC;FRA=FBRE", "ENG=LON,EDI,LVP;RUS=STP;FRA=BRE"
    story = Story(at("S1901M", units, centres))
    story.agree("ENG", "FRA", what)
    found = tuple(story.play({"ENG": [order]})[1, "ENG"] for order in ("F NTH - NWY", "F NWY H"))
    assert found == statuses


@pytest.mark.parametrize(
    ("what", "state"),
    [
        (PARIS, ProposalState.EXPIRED),
        (f"NOT ({PARIS})", ProposalState.EXPIRED),
        (f"AND ({PARIS}) (PCE (ENG FRA))", ProposalState.EXPIRED),
        (f"ORR ({PARIS}) (PCE (ENG FRA))", ProposalState.OPEN),
        (f"ORR ({PARIS}) ({BREST})", ProposalState.EXPIRED),
        ("XDO ((FRA AMY PAR) RTO GAS)", ProposalState.EXPIRED),
        ("XDO (FRA WVE)", ProposalState.OPEN),
        ("NOT (XDO (FRA WVE))", ProposalState.OPEN),
        ("PCE (ENG FRA)", ProposalState.OPEN),
    ],
)
def test_proposal_is_open_as_long_as_it_is_not_too_late_to_agree(what: str, state: ProposalState) -> None:
    story = Story()
    proposal = story.say("ENG", "FRA", f"PRP ({what})")
    assert proposal is not None
    story.play()
    assert proposal.state is state
