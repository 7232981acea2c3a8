"""Pairs of arrangements that exclude each other, in either order, and orders that offend an agreement."""

from __future__ import annotations

import pytest

from parlour.press.agreements.conflicts import denies, excludes, offends
from parlour.press.press_position import board_of
from support.press.stories import arrangement, at

PIC, BUR, HOLD = "XDO ((FRA AMY PAR) MTO PIC)", "XDO ((FRA AMY PAR) MTO BUR)", "XDO ((FRA AMY MAR) HLD)"
BOARD = board_of(at("S1902M", "FRA=APIC,FBRE;GER=ABEL;ENG=FNTH", "FRA=PAR,BRE;GER=BEL;ENG=LON"))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (PIC, BUR, True),
        (PIC, PIC, False),
        (PIC, HOLD, False),
        (PIC, "XDO ((GER AMY PAR) MTO BUR)", False),  # another's unit
        (PIC, "XDO ((FRA AMY PAR) RTO BUR)", False),  # another phase
        ("XDO ((ENG AMY LON) CTO BEL VIA (NTH))", "XDO ((ENG AMY LON) CTO BEL VIA (ECH))", False),
        ("XDO ((ENG FLT SPA) MTO MAO)", "XDO ((ENG FLT (SPA NCS)) MTO MAO)", False),
        (PIC, f"NOT ({PIC})", True),
        (PIC, f"NOT ({BUR})", False),
        ("PCE (ENG FRA)", "NOT (PCE (FRA ENG))", True),
        ("PCE (ENG FRA)", "ALY (ENG GER) VSS (FRA)", True),
        ("PCE (ENG FRA)", "ALY (ENG GER) VSS (RUS)", False),
        ("ALY (ENG FRA) VSS (GER)", "ALY (ENG GER) VSS (FRA)", True),
        ("ALY (ENG FRA) VSS (GER)", "ALY (ENG GER) VSS (RUS)", True),  # England's enemy is its ally
        ("ALY (ENG FRA) VSS (GER)", "ALY (ENG FRA) VSS (RUS)", False),
        ("PCE (ENG FRA)", "DMZ (ENG FRA) (ECH)", False),
        (PIC, f"ORR ({BUR}) ({HOLD})", False),  # the other choice is left
        (PIC, f"ORR ({BUR}) (XDO ((FRA AMY PAR) HLD))", True),
        (PIC, f"CHO (2 2) ({BUR}) ({HOLD})", True),
        (PIC, f"ORR (AND ({BUR}) ({HOLD})) (NOT ({PIC}))", True),
        (f"NOT ({PIC})", f"ORR ({PIC}) ({HOLD})", False),
    ],
)
def test_two_that_cannot_both_hold(one: str, other: str, apart: bool) -> None:
    assert excludes(arrangement(one), arrangement(other)) is apart
    assert excludes(arrangement(other), arrangement(one)) is apart


def test_only_a_negation_denies() -> None:
    assert denies(arrangement(f"NOT ({PIC})"), arrangement(PIC))
    assert denies(arrangement("PCE (ENG FRA)"), arrangement("NOT (PCE (FRA ENG))"))
    assert not denies(arrangement(PIC), arrangement(BUR))


@pytest.mark.parametrize(
    ("order", "other", "by", "offence"),
    [
        ("XDO ((FRA AMY PIC) MTO BEL)", "PCE (FRA GER)", "FRA", True),
        ("XDO ((FRA AMY PIC) MTO BEL)", "ALY (FRA GER) VSS (ENG)", "FRA", True),
        ("XDO ((FRA AMY PIC) MTO BEL)", "PCE (FRA ENG)", "FRA", False),
        ("XDO ((FRA AMY PIC) MTO BEL)", "PCE (FRA GER)", "GER", False),  # it is not Germany's order
        ("XDO ((ENG FLT NTH) CVY (ENG AMY LON) CTO BEL)", "PCE (ENG GER)", "ENG", True),
        ("XDO ((FRA AMY PIC) MTO BUR)", "PCE (FRA GER)", "FRA", False),
        ("XDO ((FRA FLT BRE) MTO ECH)", "DMZ (ENG FRA) (ECH)", "FRA", True),
        ("XDO ((FRA FLT MAO) MTO (SPA NCS))", "DMZ (ENG FRA) (SPA)", "FRA", True),
        ("XDO ((FRA FLT MAO) MTO (SPA NCS))", "DMZ (ENG FRA) ((SPA SCS))", "FRA", False),
        ("XDO ((FRA FLT BRE) HLD)", "DMZ (ENG FRA) (BRE)", "FRA", False),
    ],
)
def test_an_order_offends_what_else_was_agreed(order: str, other: str, by: str, offence: bool) -> None:
    assert offends(arrangement(order), arrangement(other), by, BOARD) is offence
    assert offends(arrangement(other), arrangement(order), by, BOARD) is offence
