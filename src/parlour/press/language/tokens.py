"""The words of the negotiation language: which there are, from which level on, and how text is cut into them.

A lexicon holds the words that come from a map: powers, provinces, seas, centres, split coasts, all in DAIDE spelling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from parlour.core.game import Seat
from parlour.games.diplomacy.maps.map import COASTS, Ground, Map, standard

MAX_LENGTH = 1 << 20
"""Maximum characters of a message."""
MAX_LEVEL = 60
"""The highest level that is read; higher levels are read like this one."""

LEVELS: Mapping[str, int] = {
    **dict.fromkeys(("HUH", "TRY"), 0),  # a client of level 0 must be able to say that it does not understand
    **dict.fromkeys(("PRP", "PCE", "ALY", "VSS", "DRW", "SLO", "NOT", "NAR", "YES", "REJ", "BWX", "CCL", "FCT"), 10),
    **dict.fromkeys(("XDO", "DMZ"), 20),
    **dict.fromkeys(("AND", "ORR"), 30),
    **dict.fromkeys(("SCD", "OCC", "UNT"), 40),
    "CHO": 50,
    **dict.fromkeys(("INS", "QRY", "SUG", "THK", "IDK"), 60),
}
"""The lowest level at which a press word is understood."""
NESTING = 50
"""The lowest level at which AND, ORR and CHO may be nested."""

ORDER_WORDS = frozenset(["HLD", "MTO", "SUP", "CVY", "CTO", "VIA", "RTO", "DSB", "BLD", "REM", "WVE"])
UNIT_TYPES = frozenset({"AMY", "FLT"})
HIGHER_LEVELS: Mapping[str, int] = {
    **dict.fromkeys(("WHT", "HOW"), 70),
    **dict.fromkeys(("EXP", "SRY"), 80),
    "FOR": 90,
    **dict.fromkeys(("IFF", "THN", "ELS"), 100),
    **dict.fromkeys(("XOY", "YDO"), 110),
    **dict.fromkeys(("SND", "FWD", "BCC", "FRM"), 120),
    **dict.fromkeys(("WHY", "POB"), 130),
    **dict.fromkeys(("UHY", "HPY", "ANG"), 140),
    "ROF": 150,
    **dict.fromkeys(("ULB", "UUB"), 160),
}
"""Words of levels above MAX_LEVEL, with their level; TRY may list them."""
OTHER_WORDS = frozenset(["ERR", "PRN", "SPR", "SUM", "FAL", "AUT", "WIN", "PDA", "NPR", "NPB", "PTL"])
"""Words outside press: for errors, seasons and game options; TRY may list them too."""
OPENING_WORDS = frozenset(
    [
        *("PRP", "FCT", "CCL", "TRY", "INS", "QRY", "SUG", "THK", "YES", "REJ", "BWX", "IDK", "HUH", "PRN"),
        *("WHT", "HOW", "EXP", "SRY", "IFF", "FRM", "WHY", "POB", "UHY", "HPY", "ANG", "ROF"),
    ]
)
"""Words with which a message begins, at any level."""
MAX_NUMBER = 8191
"""The largest number that DAIDE can send."""

_WORD = re.compile(r"[()]|[^ \t\r\n()]+")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words that a map adds to the language; powers and provinces have their English names."""

    powers: Mapping[str, str]
    seats: Mapping[Seat, str]
    """The power's word by the seat's name: FRANCE is FRA."""
    provinces: Mapping[str, str]
    seas: frozenset[str]
    carriers: frozenset[str]
    """The provinces where fleets can convoy."""
    centres: frozenset[str]
    shores: Mapping[str, tuple[str, ...]]
    """The coast words of each split province."""
    elsewhere: Mapping[str, str]
    """Press words of provinces that order strings spell differently: ENG is ECH in press."""

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of the language on this map."""
        coasts = (token for token, _ in COASTS.values())
        words = (*self.powers, *self.provinces, *coasts, *LEVELS, *ORDER_WORDS, *UNIT_TYPES)
        return frozenset(words).union(HIGHER_LEVELS, OTHER_WORDS)

    @cached_property
    def seat_of(self) -> Mapping[str, Seat]:
        """The seat's name by the power's word: FRA is FRANCE."""
        return {word: seat for seat, word in self.seats.items()}

    @classmethod
    @cache
    def of(cls, board: Map) -> Lexicon:
        """Return the lexicon of a map."""
        provinces = board.provinces
        return cls(
            powers={power.tag: power.title for power in board.powers},
            seats={Seat(power.name): power.tag for power in board.powers},
            provinces={province.daide: province.name for province in provinces},
            seas=frozenset(province.daide for province in provinces if province.kind is Ground.SEA),
            carriers=frozenset(province.daide for province in provinces if province.convoys),
            centres=frozenset(province.daide for province in provinces if province.centre),
            elsewhere={province.tag: province.daide for province in provinces if province.tag != province.daide},
            shores={p.daide: tuple(COASTS[coast][0] for coast in p.coasts) for p in provinces if p.coasts},
        )


@cache
def standard_lexicon() -> Lexicon:
    """Return the words of the standard map."""
    return Lexicon.of(standard())


def cut(text: str) -> list[str]:
    """Return the brackets and upper-case words of a text; no word is refused."""
    if text.isascii() and text.isprintable():
        return text.upper().replace("(", " ( ").replace(")", " ) ").split()
    # Only ASCII letters change case: others could turn into letters that spell a token.
    return [word.upper() if word.isascii() else word for word in _WORD.findall(text)]


def unbalanced(tokens: Sequence[str]) -> tuple[int, str] | None:
    """Return the place where brackets stop balancing and the expected token; None if they balance."""
    depth = 0
    for index, token in enumerate(tokens):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            if depth < 0:
                return index, "no closing bracket, as none is open"
    return (len(tokens), f"{depth} more closing bracket{'s' * (depth > 1)}") if depth else None
