"""Five small puzzles that teach the game: move, support, cut, convoy, pact."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from parlour.games.diplomacy.position import Position


class Lesson(NamedTuple):
    """A step of the guide."""

    title: str
    words: str
    """The step's explanation and its task."""
    power: str
    position: str
    others: dict[str, list[str]]
    """Orders of the other powers."""
    goal: Callable[[Position], bool]
    hint: str

    def is_solved(self, after: str) -> bool:
        """Return True if a position, as text, solves the lesson."""
        return self.goal(Position.read(after))


def _holds(power: str, *units: str) -> Callable[[Position], bool]:
    """Return a check that a power has these units after the turn."""
    return lambda after: set(units) <= set(after.units[power])


LESSONS = (
    Lesson(
        "Move",
        "An army goes to a province beside it: click the army in Paris, then Burgundy. Or choose from the list.",
        "FRANCE",
        "standard S1901M FRA=APAR;GER=AMUN FRA=PAR;GER=MUN",
        {"GERMANY": ["A MUN H"]},
        _holds("FRANCE", "A BUR"),
        "Order A PAR - BUR.",
    ),
    Lesson(
        "Support",
        "Units are equally strong: one army cannot drive out another. Germany stands in Burgundy. "
        "Let one army move there and the other support the move: click it, then the first army, then Burgundy.",
        "FRANCE",
        "standard S1901M FRA=APAR,AMAR;GER=ABUR FRA=PAR,MAR;GER=MUN",
        {"GERMANY": ["A BUR H"]},
        lambda after: "A BUR" in after.units["FRANCE"],
        "Order A PAR - BUR and A MAR S A PAR - BUR.",
    ),
    Lesson(
        "Cut a support",
        "Germany moves from Munich to your Burgundy with support from the Ruhr: two against one. "
        "A unit that is attacked supports nobody. Attack the Ruhr from Holland, and Burgundy stays yours.",
        "FRANCE",
        "standard S1902M FRA=ABUR,AHOL;GER=AMUN,ARUH FRA=PAR,HOL;GER=MUN,BER",
        {"GERMANY": ["A MUN - BUR", "A RUH S A MUN - BUR"]},
        _holds("FRANCE", "A BUR"),
        "Order A HOL - RUH.",
    ),
    Lesson(
        "Convoy",
        "Fleets carry armies over the sea. Bring the army from Yorkshire to Norway: "
        "click the army, then Norway, and let the fleet in the North Sea convoy it.",
        "ENGLAND",
        "standard S1901M ENG=AYOR,FNTH;RUS=AMOS ENG=LON,EDI;RUS=MOS",
        {"RUSSIA": ["A MOS H"]},
        _holds("ENGLAND", "A NWY"),
        "Order A YOR - NWY VIA and F NTH C A YOR - NWY.",
    ),
    Lesson(
        "Keep a pact",
        "Powers talk before they order. You agreed with Germany: Germany supports your army from Picardy into Belgium, "
        "and both keep out of Burgundy. Take Belgium, and keep your word: others read it in the ledger if you do not.",
        "FRANCE",
        "standard F1902M FRA=APIC,APAR;GER=ARUH;ENG=ABEL FRA=PAR,BRE;GER=MUN,HOL;ENG=LON,BEL",
        {"GERMANY": ["A RUH S A PIC - BEL"], "ENGLAND": ["A BEL H"]},
        lambda after: "A BEL" in after.units["FRANCE"] and "A BUR" not in after.units["FRANCE"],
        "Order A PIC - BEL, and let Paris hold.",
    ),
)
