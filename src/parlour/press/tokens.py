"""The words of the negotiation language: which there are, from which level on, and how text is cut into them.

A lexicon holds the words that come from a map: powers, provinces, seas, centres, split coasts, all in DAIDE spelling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from parlour.core.game import Seat
from parlour.games.diplomacy.map import COASTS, Kind, Map, standard

MAX_LENGTH = 1 << 20
"""Characters of a message that are looked at."""
MAX_LEVEL = 60
"""The highest level that is read; a higher one adds nothing."""

LEVELS: Mapping[str, int] = {
    **dict.fromkeys(("HUH", "TRY"), 0),  # a client of level 0 must be able to say that it does not understand
    **dict.fromkeys(("PRP", "PCE", "ALY", "VSS", "DRW", "SLO", "NOT", "NAR", "YES", "REJ", "BWX", "CCL", "FCT"), 10),
    **dict.fromkeys(("XDO", "DMZ"), 20),
    **dict.fromkeys(("AND", "ORR"), 30),
    **dict.fromkeys(("SCD", "OCC", "UNT"), 40),
    "CHO": 50,
    **dict.fromkeys(("INS", "QRY", "SUG", "THK", "IDK"), 60),
}
"""The level from which on a press word is understood."""
NESTING = 50
"""The level from which on AND and ORR may stand inside one another."""

ORDER_WORDS = frozenset(["HLD", "MTO", "SUP", "CVY", "CTO", "VIA", "RTO", "DSB", "BLD", "REM", "WVE"])
UNIT_TYPES = frozenset({"AMY", "FLT"})
HIGHER_WORDS = frozenset(
    [
        *("WHT", "HOW", "EXP", "SRY", "FOR", "IFF", "THN", "ELS", "XOY", "YDO", "SND", "FWD", "BCC", "FRM", "WHY"),
        *("POB", "ERR", "PRN", "SPR", "SUM", "FAL", "AUT", "WIN"),
    ]
)
"""Words of levels above those read here; TRY may list them."""

_WORD = re.compile(r"[()]|[^ \t\r\n()]+")


@dataclass(frozen=True)
class Lexicon:
    """The words that a map brings into the language, each with its English name."""

    powers: Mapping[str, str]
    seats: Mapping[Seat, str]
    """The power's word by the seat's name: FRANCE is FRA."""
    provinces: Mapping[str, str]
    seas: frozenset[str]
    centres: frozenset[str]
    shores: Mapping[str, tuple[str, ...]]
    """The coast words of each split province."""

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of the language on this map."""
        coasts = (token for token, _ in COASTS.values())
        words = (*self.powers, *self.provinces, *coasts, *LEVELS, *ORDER_WORDS, *UNIT_TYPES, *HIGHER_WORDS)
        return frozenset(words)

    @cached_property
    def seat_of(self) -> Mapping[str, Seat]:
        """The seat's name by the power's word: FRA is FRANCE."""
        return {word: seat for seat, word in self.seats.items()}

    @classmethod
    @cache
    def of(cls, board: Map) -> Lexicon:
        """The lexicon of a map."""
        provinces = board.provinces
        return cls(
            powers={power.tag: power.title for power in board.powers},
            seats={Seat(power.name): power.tag for power in board.powers},
            provinces={province.daide: province.name for province in provinces},
            seas=frozenset(province.daide for province in provinces if province.kind is Kind.SEA),
            centres=frozenset(province.daide for province in provinces if province.centre),
            shores={p.daide: tuple(COASTS[coast][0] for coast in p.coasts) for p in provinces if p.coasts},
        )


@cache
def standard_lexicon() -> Lexicon:
    """The words of the standard map."""
    return Lexicon.of(standard())


def cut(text: str) -> list[str]:
    """Cut text into brackets and upper-case words; one pass, and nothing is refused yet."""
    if text.isascii() and text.isprintable():
        return text.upper().replace("(", " ( ").replace(")", " ) ").split()
    # Only ASCII letters change case: others could turn into letters that spell a token.
    return [word.upper() if word.isascii() else word for word in _WORD.findall(text)]


def unbalanced(tokens: Sequence[str]) -> tuple[int, str] | None:
    """Where the brackets stop to balance and what was expected there; None if they balance."""
    depth = 0
    for index, token in enumerate(tokens):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            if depth < 0:
                return index, "no closing bracket, as none is open"
    return (len(tokens), f"{depth} more closing bracket{'s' * (depth > 1)}") if depth else None
