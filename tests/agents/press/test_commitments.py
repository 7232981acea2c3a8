"""Obligations from a power's promises, and further promises that it could keep."""

from __future__ import annotations

import pytest

from parlour.agents.press.commitments import Commitments
from parlour.press.language import message_types as v
from support.press.stories import Story, arrangement, at

PICARDY = "XDO ((FRA AMY PAR) MTO PIC)"
CHANNEL = "XDO ((FRA FLT BRE) MTO ECH)"
BURGUNDY = "XDO ((FRA AMY PAR) MTO BUR)"


def _story(*agreed: tuple[str, str]) -> Story:
    """France beside an English fleet and a German army; it agreed on this with those."""
    units, centres = "ENG=FENG,FLON;FRA=FBRE,APAR;GER=ABUR", "ENG=LON;FRA=BRE,PAR;GER=MUN"
    story = Story(at("S1902M", units, centres))
    for other, what in agreed:
        story.agree(other, "FRA", what)
    return story


@pytest.mark.parametrize(
    ("agreed", "what", "fits"),
    [
        ("", BURGUNDY, True),
        # Another order for the same unit, or the same once more.
        (PICARDY, BURGUNDY, False),
        (PICARDY, PICARDY, True),
        (CHANNEL, BURGUNDY, True),
        (PICARDY, "XDO ((GER AMY BUR) MTO PAR)", True),  # somebody else's to give
        (PICARDY, f"AND ({CHANNEL}) ({BURGUNDY})", False),
        # An order into a zone.
        ("DMZ (FRA GER) (PIC)", PICARDY, False),
        ("DMZ (FRA GER) (PIC)", BURGUNDY, True),
        ("DMZ (FRA GER) (PIC)", "XDO ((GER AMY BUR) MTO PIC)", True),  # somebody else's breach
        # An order against a friend, and a friend against whom an order goes.
        ("PCE (FRA GER)", BURGUNDY, False),
        ("PCE (FRA GER)", CHANNEL, True),
        (BURGUNDY, "PCE (FRA GER)", False),
        (BURGUNDY, "PCE (FRA ENG)", True),
        (BURGUNDY, "PCE (ENG GER)", True),  # not its own peace
        (BURGUNDY, "ALY (FRA GER) VSS (ENG)", False),
        # An alliance against a friend.
        ("PCE (FRA GER)", "ALY (ENG FRA) VSS (GER)", False),
        ("PCE (FRA GER)", "ALY (FRA GER) VSS (ENG)", True),
        ("PCE (FRA GER)", "ALY (ENG RUS) VSS (GER)", True),  # not its own alliance
        # A zone into which it promised to go.
        (PICARDY, "DMZ (ENG FRA) (PIC)", False),
        (PICARDY, "DMZ (ENG FRA) (BUR)", True),
        (PICARDY, "DMZ (ENG GER) (PIC)", True),  # not its own zone
        # It does not think about alternatives.
        ("", f"ORR ({PICARDY}) ({BURGUNDY})", False),
        ("", f"CHO (1 1) ({PICARDY}) ({BURGUNDY})", False),
        ("", f"NOT ({PICARDY})", False),
        ("", "NOT (XDO ((GER AMY BUR) MTO PAR))", True),
    ],
)
def test_only_what_can_be_kept_besides_everything_else_fits(agreed: str, what: str, fits: bool) -> None:
    story = _story(("GER", agreed)) if agreed else _story()
    assert Commitments(story.ledger, "FRA").fits(arrangement(what)) is fits


@pytest.mark.parametrize(
    ("offered", "what", "fits"),
    [
        (PICARDY, BURGUNDY, False),
        (f"AND ({CHANNEL}) ({PICARDY})", BURGUNDY, False),
        (PICARDY, "DMZ (ENG FRA) (PIC)", False),
        (BURGUNDY, "PCE (FRA GER)", False),
        ("XDO ((GER AMY BUR) MTO PAR)", "PCE (FRA GER)", True),
        (PICARDY, CHANNEL, True),
    ],
)
def test_what_was_only_offered_counts_as_well(offered: str, what: str, fits: bool) -> None:
    commitments = Commitments(_story().ledger, "FRA")
    assert commitments.fits(arrangement(what)) is True
    assert commitments.fits(arrangement(what), [arrangement(offered)]) is fits


def test_fleet_keeps_out_of_a_zone_by_either_coast() -> None:
    story = Story(at("S1902M", "FRA=FMAO;ENG=FLON", "FRA=BRE;ENG=LON"))
    story.agree("ENG", "FRA", "DMZ (ENG FRA) (SPA)")
    commitments = Commitments(story.ledger, "FRA")
    assert not commitments.fits(arrangement("XDO ((FRA FLT MAO) MTO (SPA NCS))"))
    assert not commitments.allows()("F MAO - SPA/SC")
    story = Story(at("S1902M", "FRA=FMAO;ENG=FLON", "FRA=BRE;ENG=LON"))
    story.agree("ENG", "FRA", "XDO ((FRA FLT MAO) MTO (SPA NCS))")
    assert not Commitments(story.ledger, "FRA").fits(arrangement("DMZ (ENG FRA) (SPA)"))


def test_orders_against_friends_and_into_zones_are_not_allowed() -> None:
    allowed = Commitments(_story(("GER", "PCE (FRA GER)"), ("ENG", "DMZ (ENG FRA) (PIC)")).ledger, "FRA").allows()
    assert not allowed("A PAR - BUR")
    assert not allowed("A PAR - PIC")
    assert allowed("A PAR - GAS")
    assert allowed("A RUH - BUR"), "no unit is there, so it does nothing"
    assert Commitments(_story().ledger, "FRA").allows()("A PAR - BUR")


def test_promised_order_is_due_in_its_own_stage_until_it_is_given() -> None:
    story = _story(("GER", f"AND ({PICARDY}) (XDO (FRA WVE))"), ("ENG", "XDO ((GER AMY BUR) MTO RUH)"))
    commitments = Commitments(story.ledger, "FRA")
    assert len(commitments.orders()) == 2
    assert commitments.due() == {"PAR": "A PAR - PIC"}
    story.play({"FRA": ["A PAR - PIC"]})
    assert commitments.orders() == [v.Waive("FRA")]
    assert commitments.due() == {}


def test_renounced_part_of_a_pact_binds_no_more() -> None:
    story = _story(("GER", "AND (PCE (FRA GER)) (DMZ (FRA GER) (PIC))"), ("ENG", "PCE (ENG FRA)"))
    commitments = Commitments(story.ledger, "FRA")
    assert (commitments.friends(), commitments.zones()) == ({"ENG", "GER"}, {"PIC"})
    story.say("FRA", "GER", "FCT (NOT (PCE (FRA GER)))")
    assert (commitments.friends(), commitments.zones()) == ({"ENG"}, {"PIC"})
