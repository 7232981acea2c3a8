"""Orders of powers are read by the rules, in any spelling."""

from __future__ import annotations

import pytest

from support.press.stories import Story, at

BELGIUM = at("S1902M", "FRA=APIC,ABUR;GER=ABEL", "FRA=PAR,MAR;GER=MUN,BEL")
ATTACK = ["A PIC - BEL", "A BUR S A PIC - BEL"]


@pytest.mark.parametrize(
    "orders",
    [ATTACK, ["PIC - BEL", "BUR S PIC - BEL"], ["a pic-bel", "A BUR S PIC - BEL"], ["A Picardy - Belgium", ATTACK[1]]],
)
def test_an_attack_is_one_however_it_is_written(orders: list[str]) -> None:
    story = Story(BELGIUM)
    story.agree("FRA", "GER", "PCE (FRA GER)")
    story.agree("FRA", "GER", "XDO ((FRA AMY BUR) HLD)")
    assert story.play({"FRA": orders}) == {(1, "FRA"): "broken", (1, "GER"): "kept", (2, "FRA"): "broken"}
    assert [stab.dislodged for stab in story.ledger.stabs.all] == [{"BEL"}]


@pytest.mark.parametrize("orders", [ATTACK, ["PIC - BEL", "BUR S PIC - BEL"]])
def test_a_promised_order_is_kept_however_it_is_written(orders: list[str]) -> None:
    story = Story(BELGIUM)
    story.agree("FRA", "GER", "XDO ((FRA AMY BUR) SUP (FRA AMY PIC) MTO BEL)")
    assert story.play({"FRA": orders}) == {(1, "FRA"): "kept"}


@pytest.mark.parametrize("order", ["A BEL R HOL", "A BEL - HOL", "BEL R HOL", "bel - hol"])
def test_a_retreat_may_be_written_as_a_move(order: str) -> None:
    story = Story(BELGIUM)
    story.play({"FRA": ATTACK})
    story.agree("GER", "FRA", "XDO ((GER AMY BEL) RTO HOL)")
    assert story.play({"GER": [order]}) == {(1, "GER"): "kept"}


@pytest.mark.parametrize("order", ["A PAR B", "PAR B", "build A PAR", "WAIVE"])
def test_a_build_is_one_however_it_is_written(order: str) -> None:
    story = Story(at("W1902A", "FRA=APIC;GER=ABEL", "FRA=PAR,MAR;GER=BEL"))
    story.agree("FRA", "GER", "XDO ((FRA AMY PAR) BLD)")
    assert story.play({"FRA": [order]}) == {(1, "FRA"): "broken" if order == "WAIVE" else "kept"}
