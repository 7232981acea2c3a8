"""The part of a joint plan that is offered, and the part that is left to each power."""

from __future__ import annotations

import pytest

from parlour.agents.press.concern import JointPlan, UnitOrder
from parlour.press.orders import from_text, to_text
from parlour.press.press_position import board_of
from support.press.stories import at

UNITS = "FRA=ABUR,FBAL,APAR,FMAO;AUS=ATYR,APRU,AVIE,ABOH;GER=AMUN"
ALONE = ("A BUR H", "F BAL H", "A PAR H", "F MAO H", "A TYR H", "A PRU H", "A VIE H", "A BOH H")
BOARD = board_of(at("S1902M", UNITS, "FRA=PAR,MAR;AUS=VIE,TRI;GER=MUN,BER"))


def read(*texts: str) -> list[UnitOrder]:
    orders = [from_text(text, BOARD, "FRA") for text in texts]  # the unit says whose it is
    return [order for order in orders if isinstance(order, UnitOrder)]


def named(*changes: str, alone: tuple[str, ...] = ALONE, power: str = "FRA") -> set[str]:
    """Return France's offers if only those orders differ from the orders of each power alone."""
    plan = {text[:5]: text for text in (*alone, *changes)}
    return {to_text(order, BOARD) for order in JointPlan(read(*plan.values()), read(*alone), BOARD).concerning(power)}


@pytest.mark.parametrize(
    ("told", "besides"),
    [
        (("A BUR - MUN", "A TYR S A BUR - MUN", "A BOH S A BUR - MUN"), set()),
        (("A BUR - MUN", "A TYR S A BUR - MUN"), {"A BOH H"}),  # which could go there, and so says that it does not
        (("F BAL S A PRU",), {"A PRU H"}),
        (("F BAL S A PRU - BER", "A PRU - BER"), set()),
    ],
)
def test_support_of_a_unit_of_the_other_is_named_with_its_order(told: tuple[str, ...], besides: set[str]) -> None:
    assert named(*told, "A PAR - PIC", "A VIE - GAL") == {*told} | besides


def test_support_of_its_own_is_named_for_a_move_of_which_both_speak_and_nothing_else() -> None:
    joint = ("A BOH - MUN", "A TYR S A BOH - MUN", "A BUR S A BOH - MUN")
    assert named(*joint, "A VIE S A TYR") == {*joint}


def test_what_each_does_for_itself_is_its_own_business() -> None:
    assert named("A PAR - PIC", "F MAO - ENG", "A VIE - GAL", "A BUR S A PAR - PIC") == set()


@pytest.mark.parametrize("power", ["FRA", "AUS"])
def test_room_is_named_where_one_gives_way_that_would_not_alone(power: str) -> None:
    alone = tuple("A PRU - LVN" if order == "A PRU H" else order for order in ALONE)
    assert named("F BAL - LVN", "A PRU - SIL", alone=alone, power=power) == {"F BAL - LVN", "A PRU - SIL"}
    assert named(alone=(*ALONE, "F BAL - LVN", "A PRU - SIL"), power=power) == set(), "they would do so alone"


def test_whoever_goes_where_the_other_stands_says_so() -> None:
    assert named("A BOH - SIL", "A PRU - BER", "F BAL - BER") == {"A PRU - BER", "F BAL - BER"}
    assert named("F BAL - PRU", "A PRU - WAR") == {"F BAL - PRU", "A PRU - WAR"}


def test_what_two_others_arrange_is_not_its_to_say() -> None:
    assert named("F BAL S A PRU - BER", "A PRU - BER", power="GER") == set()
