"""What a table does not deliver, and that free text always passes."""

from __future__ import annotations

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import RefusalCode
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.press.admission import refusal
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from press_stories import SEATS, at

FRA, ENG, GER, TUR = (SEATS[word] for word in ("FRA", "ENG", "GER", "TUR"))
WITHOUT_TURKEY = at("S1905M", "ENG=FLON;FRA=ABUR;GER=AMUN", "ENG=LON;FRA=PAR;GER=MUN")


def why(text: str, level: int = 60, position: Position | None = None, to: tuple[Seat, ...] = (ENG,)) -> str:
    found = refusal(text, level, position or Position.start(), FRA, to)
    return "" if found is None else f"{found.code}: {found.reason}"


@pytest.mark.parametrize(
    "text",
    [
        "PRP (PCE (ENG FRA))",
        "YES (PRP (PCE (ENG FRA)))",
        "HUH (PRP (ERR XYZ))",
        "TRY ()",
        "PRP (ALY (ENG FRA) VSS (FRA))",  # some bots say `ally without a target` so
        "Dear England, shall we?",
        "PRP (PCE (ENG",
        "PRP (XYZ (ENG))",
        "🐟",
    ],
)
def test_what_can_be_meant_and_what_is_no_press_passes(text: str) -> None:
    assert why(text) == ""


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("PRP (XDO ((FRA AMY PAR) HLD))", 10, "press level: this table speaks press up to level 10; token 2: expected"),
        ("PRP (AND (DRW) (DRW))", 20, "press level: this table speaks press up to level 20; token 2: expected"),
        ("PRP (PCE (ENG FRA))", 0, "press level: this table speaks press up to level 0; token 0: expected"),
        ("SUG (PCE (ENG FRA))", 50, "press level: this table speaks press up to level 50; token 0: expected"),
    ],
)
def test_press_above_the_level_is_refused(text: str, level: int, expected: str) -> None:
    assert why(text, level).startswith(expected)
    assert why(text) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PRP (PCE (ENG ENG))", "bad value: duplicate power: ENG is listed twice"),
        ("PRP (XDO ((ENG FLT PAR) HLD))", "bad value: impossible unit: a fleet cannot stand inland: PAR"),
        ("PRP (XDO ((ENG FLT LON) MTO PAR))", "bad value: out of reach: LON is not next to PAR"),
        ("YES (PRP (XDO ((TUR FLT CON) MTO BUL)))", "bad value: ambiguous coast: BUL has two coasts in reach"),
    ],
)
def test_press_that_makes_no_sense_is_refused(text: str, expected: str) -> None:
    assert why(text).startswith(expected)


def test_a_power_that_is_out_stands_in_no_press() -> None:
    assert why("PRP (PCE (FRA TUR))", position=WITHOUT_TURKEY) == (
        "out of the game: power is out: TUR is out of the game (OUT ( TUR ))"
    )
    assert why("PRP (PCE (FRA ENG))", position=WITHOUT_TURKEY) == ""


def test_a_removed_power_that_still_has_units_may_be_talked_about() -> None:
    position = Position.start().without(GER)
    assert why("PRP (ALY (FRA ENG) VSS (GER))", position=position) == ""


def test_the_referee_refuses_it_and_nothing_is_recorded() -> None:
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME, level=20))
    match = Match(Diplomacy(), {}, terms, 1)
    match.start(0.0)
    for seat in SEATS.values():
        match.handle(it.Join(str(seat), seat), 0.0)
    before = len(match.record)
    reaction = match.handle(it.Say(FRA, "PRP (AND (PCE (ENG FRA)) (DRW))", (ENG,)), 1.0)
    assert reaction.refusal is not None
    assert reaction.refusal.code is RefusalCode.PRESS_LEVEL
    assert len(match.record) == before
    assert match.handle(it.Say(FRA, "PRP (PCE (ENG FRA))", (ENG,)), 1.0).refusal is None
