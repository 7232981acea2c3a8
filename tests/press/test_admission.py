"""Messages that a table does not deliver; free text passes, as does a quotation of an unreadable message."""

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
from support.press.stories import SEATS, at

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
        "🐟",
        "Try me (please)",
        "Yes (of course)",
        "How (on earth) did you know?",
        "Sry (again)",
        "PRP",
        "PRP PCE (ENG FRA)",
        "NAR (PCE (ENG FRA))",  # an arrangement begins no message
        "(PRP)",
    ],
)
def test_what_can_be_meant_and_what_is_no_press_passes(text: str) -> None:
    assert why(text) == ""


@pytest.mark.parametrize("level", [0, 10, 60])
@pytest.mark.parametrize(
    "text",
    [
        "HUH (ERR PRP (SCD (ENG LON)))",
        "HUH (ERR ERR)",
        "HUH ()",
        "HUH (PRP (ERR FOR (SPR 1902) (PCE (ENG FRA))))",
        "HUH (Dear England \x07)",
        "huh ((()))",
        "PRN (PRP (PCE (ENG FRA))",
        "PRN (PRP))",
        "TRY (PRP INS QRY FOR)",
        "TRY ()",
    ],
)
def test_what_somebody_did_not_understand_passes_on_every_table(text: str, level: int) -> None:
    assert why(text, level) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PRP (XYZ (ENG))", "token 2: expected arrangement (HUH ( PRP ( ERR XYZ ( ENG ) ) ))"),
        ("prp (xyz)", ""),  # may be a sentence in small letters
        ("prp (pce (eng))", "token 5: expected power (HUH ( PRP ( PCE ( ENG ERR ) ) ))"),
        ("PRP (PCE (ENG", "token 5: expected 2 more closing brackets (PRN ( PRP ( PCE ( ENG ))"),
        ("PRP (SCD (ENG", "token 5: expected 2 more closing brackets (PRN ( PRP ( SCD ( ENG ))"),
        (
            "PRP (PCE (ENG FRA)) please",
            "token 8: expected the end of the message (HUH ( PRP ( PCE ( ENG FRA ) ) ERR PLEASE ))",
        ),
        ("HUH (PRP", "token 3: expected 1 more closing bracket (PRN ( HUH ( PRP ))"),
        ("HUH (PRP) (PCE)", "token 4: expected the end of the message (HUH ( HUH ( PRP ) ERR ( PCE ) ))"),
        ("TRY (XYZ)", "token 2: expected a word of the language or ) (HUH ( TRY ( ERR XYZ ) ))"),
        ("PRP (ERR)", "token 2: expected arrangement (HUH ( PRP ( ERR ? ) ))"),
    ],
)
def test_broken_press_is_refused_with_the_answer_it_would_get(text: str, expected: str) -> None:
    assert why(text, 20) == (f"bad value: press that cannot be read; {expected}" if expected else "")


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
    "text",
    [
        "PRP (FOR (SPR 1902) (PCE (ENG FRA)))",
        "WHT ((FRA AMY PAR))",
        "HOW (ENG)",
        "IFF (PCE (ENG FRA)) THN (PRP (DRW))",
        "FRM (ENG) (FRA) (PRP (DRW))",
        "WHY (PRP (PCE (ENG FRA)))",
        "UHY (PRP (PCE (ENG FRA)))",
        "PRP (ULB (ENG 3))",
        "YES (EXP (SPR 1901) (PRP (DRW)))",
    ],
)
@pytest.mark.parametrize("level", [10, 60])
def test_press_above_every_level_that_is_read_is_refused(text: str, level: int) -> None:
    assert why(text, level).startswith(f"press level: this table speaks press up to level {level}; token")


def test_broken_press_with_a_word_above_the_level_is_refused_for_its_level() -> None:
    assert why("PRP (SCD (ENG BUR))", 30).startswith("press level: this table speaks press up to level 30; token 2")
    assert why("PRP (SCD (ENG BUR))", 40).startswith("bad value: press that cannot be read; token 5")


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


@pytest.mark.parametrize("text", ["PRP (FOR (SPR 1902) (PCE (ENG FRA)))", "EXP (SPR 1901) (PRP (DRW))"])
def test_a_table_of_a_higher_level_delivers_what_is_not_read_here(text: str) -> None:
    assert why(text, 60).startswith("press level: ")
    assert why(text, 130) == ""


@pytest.mark.parametrize("text", ["PRP (PCE (ENG ENG))", "PRP (XYZ", "ROF ()", "PRP (PCE (FRA TUR))"])
def test_where_everything_may_be_said_everything_is_delivered(text: str) -> None:
    assert why(text, 8000, WITHOUT_TURKEY) == ""


@pytest.mark.parametrize(
    "text",
    [
        "PRP (NAR (PCE (ENG FRA TUR)))",
        "YES (PRP (NAR (PCE (ENG FRA TUR))))",
        "PRP (AND (NAR (PCE (ENG FRA TUR))) (PCE (ENG FRA)))",
        "FCT (NAR (PCE (ENG FRA TUR)))",
        "FCT (NOT (PCE (ENG FRA TUR)))",
        "REJ (PRP (PCE (ENG FRA TUR)))",
        "BWX (PRP (PCE (ENG FRA TUR)))",
        "CCL (PRP (PCE (ENG FRA TUR)))",
        "CCL (YES (PRP (PCE (ENG FRA TUR))))",
    ],
)
def test_what_a_power_that_is_out_was_part_of_can_be_ended(text: str) -> None:
    assert why(text, position=WITHOUT_TURKEY) == ""
    assert why(text, position=WITHOUT_TURKEY, to=(ENG, TUR)).startswith("out of the game")


@pytest.mark.parametrize(
    "text",
    [
        "PRP (PCE (ENG FRA TUR))",
        "FCT (PCE (ENG FRA TUR))",
        "YES (PRP (PCE (ENG FRA TUR)))",
        "THK (NOT (PCE (ENG FRA TUR)))",
        "PRP (AND (NAR (PCE (ENG FRA TUR))) (PCE (ENG TUR)))",
        "FCT (NOT (QRY (PCE (ENG TUR))))",
    ],
)
def test_nothing_new_names_a_power_that_is_out(text: str) -> None:
    assert why(text, position=WITHOUT_TURKEY).startswith("out of the game")
