"""Reads orders leniently: any case, full names, DAIDE and long words. The units on the board are not looked at here.

A place is a province with the shore that was written, if any; legality.py decides the meaning in a
position. The strict writer is Order.__str__ in orders.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeVar

from parlour.games.diplomacy.maps.map import COASTS, Map
from parlour.games.diplomacy.ordering.reasons import Flaw, Reason

MAX_LENGTH = 200
"""Longer orders are not read; the longest sensible one, all in full names, has about 120 characters."""


class Verb(StrEnum):
    """The verb of a written order, before the board decides which action it stands for."""

    HOLD = "H"
    MOVE = "-"
    SUPPORT = "S"
    CONVOY = "C"
    RETREAT = "R"
    DISBAND = "D"
    BUILD = "B"
    WAIVE = "WAIVE"


class WrittenPlace(NamedTuple):
    """A province and the shore that was written with it, if any."""

    province: int
    coast: str = ""


class Piece(NamedTuple):
    """A unit as written: owner and type may be missing."""

    place: WrittenPlace
    fleet: bool | None = None
    power: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenOrder:
    """An order as written."""

    verb: Verb
    unit: Piece | None = None
    target: WrittenPlace | None = None
    other: Piece | None = None
    via: bool = False
    power: int | None = None
    """The power that waives, if named."""


class Misread(Exception):
    """Carries the flaw out of the reader; the functions that use the reader catch it."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.message)
        self.flaw = flaw


TYPES = {"A": False, "ARMY": False, "AMY": False, "F": True, "FLEET": True, "FLT": True}
VERBS = {
    word: verb
    for verb, words in {
        Verb.HOLD: "H HOLD HOLDS HOLDING HLD STAND STANDS",
        Verb.MOVE: "- M MOVE MOVES MOVING MTO TO INTO CTO GO GOES ATTACK ATTACKS ATTACKING",
        Verb.SUPPORT: "S SUP SUPPORT SUPPORTS SUPPORTING",
        Verb.CONVOY: "C CVY CONVOY CONVOYS CONVOYING",
        Verb.RETREAT: "R RTO RETREAT RETREATS RETREATING",
        Verb.DISBAND: "D DSB REM DISBAND DISBANDS DISBANDING REMOVE REMOVES REMOVED REMOVING DESTROY DESTROYS",
        Verb.BUILD: "B BLD BUILD BUILDS BUILDING",
        Verb.WAIVE: "WAIVE WAIVES WAIVED WAIVING WVE W",
    }.items()
    for word in words.split()
}
_FIRST = {"BUILD": Verb.BUILD, "B": Verb.BUILD, "REMOVE": Verb.DISBAND, "DISBAND": Verb.DISBAND, "D": Verb.DISBAND}
"""Verbs that may stand before the unit."""
VIA = {"VIA", "BY", "VC"}
SHORES = {word: coast for coast, (token, _) in COASTS.items() for word in (coast, token)}
_COAST_NAMES = {english.upper().replace("-", "").replace(" ", ""): coast for coast, (_, english) in COASTS.items()}
_TOKEN = re.compile(r"[A-Z0-9]+|-|[^\sA-Z0-9-]")
_ARROWS = re.compile(r"[-=]*>|→|⇒|–|—|--+")
_DROPPED = str.maketrans({**dict.fromkeys("()/.,;:+_", " "), **dict.fromkeys("'’*", "")})


def read_order(text: str, board: Map) -> WrittenOrder | Flaw:
    """Return the order of a text, or the flaw that makes it unreadable."""
    if len(text) > MAX_LENGTH:
        return Flaw(Reason.TOO_LONG, text[:20] + "…", f"at most {MAX_LENGTH} characters")
    try:
        return OrderReader(text, names_of(board)).order()
    except Misread as misread:
        return misread.flaw


def read_unit(text: str, board: Map) -> Piece | Flaw:
    """Return a unit written like `F STP/SC`, or its flaw; the type is required."""
    if len(text) > MAX_LENGTH:
        return Flaw(Reason.TOO_LONG, text[:20] + "…", f"at most {MAX_LENGTH} characters")
    return _unit(text, board)


@lru_cache(maxsize=2048)
def _unit(text: str, board: Map) -> Piece | Flaw:
    """Return the unit of a text or its flaw, from a cache: the same units are read phase after phase."""
    try:
        reader = OrderReader(text, names_of(board))
        piece = reader.piece()
        reader.end()
    except Misread as misread:
        return misread.flaw
    return piece if piece.fleet is not None else Flaw(Reason.NEEDS_TYPE, text.strip(), "A or F before the province")


class Spellings:
    """A map's spellings, cut into tokens."""

    def __init__(self, board: Map) -> None:
        self.places: dict[tuple[str, ...], WrittenPlace] = {}
        for word, area in board.area_spellings.items():
            place = board.areas[area]
            if place.coast:
                coast = board.provinces[place.province].coasts[place.coast - 1]
                self._add(word, WrittenPlace(place.province, coast))
        for word, number in board.spellings.items():
            self._add(word, WrittenPlace(number))
        self.powers = {tuple(tokens_of(word)): number for word, number in board.power_spellings.items()}
        self.longest = max(map(len, self.places))
        self.words = {" ".join(key): place for key, place in self.places.items() if not place.coast}
        self.tags = [province.tag for province in board.provinces]
        self._letters = {name: frozenset(name) for name in self.words if len(name) > 2}

    def _add(self, word: str, place: WrittenPlace) -> None:
        key = tuple(tokens_of(word))
        self.places[key] = place
        # "Mid Atlantic Ocean" for "Mid-Atlantic Ocean".
        self.places.setdefault(tuple(token for token in key if token != "-"), place)

    def near(self, word: str) -> str:
        """Return the tag of the province whose spelling is nearest; empty if none is near."""
        reach, letters = 1 if len(word) < 5 else 2, frozenset(word)
        # One change of a word replaces at most one letter by another, which rules out most names.
        likely = [
            (_likeness(word, name), name)
            for name, own in self._letters.items()
            if abs(len(name) - len(word)) <= reach and len(letters ^ own) <= 2 * reach
        ]
        best = min(likely, default=((reach + 1, True), ""))
        return self.tags[self.words[best[1]].province] if best[0][0] <= reach else ""


@lru_cache(maxsize=16)
def names_of(board: Map) -> Spellings:
    """Return the spellings of a map, cut once."""
    return Spellings(board)


def tokens_of(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", _ARROWS.sub(" - ", text)).upper()
    plain = "".join(ch for ch in plain if not unicodedata.combining(ch))
    return _TOKEN.findall(plain.translate(_DROPPED))


def _likeness(word: str, name: str) -> tuple[int, bool]:
    """Return the number of letters to change, drop, add or swap, and False if the letters are the same."""
    if abs(len(word) - len(name)) > 2:
        return 3, True
    before: list[int] = []
    row = list(range(len(name) + 1))
    for i, a in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(name, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == name[j - 2] and word[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1], sorted(word) != sorted(name)


T = TypeVar("T")


class OrderReader:
    """A reader of the tokens of one order; it raises Misread if they are not an order."""

    def __init__(self, text: str, names: Spellings) -> None:
        self.text = text.strip()
        self.tokens = tokens_of(text)
        self.names = names
        self.at = 0

    def order(self) -> WrittenOrder:
        if not self.tokens:
            raise Misread(Flaw(Reason.UNREADABLE, self.text, "an order such as A PAR - BUR"))
        waived = self._waive()
        if waived is not None:
            return waived
        first = _FIRST.get(self.tokens[0])
        if first is not None and len(self.tokens) > 1:
            self.at = 1
            draft = WrittenOrder(first, self.piece())
        else:
            unit = self.piece()
            draft = self._deed(unit, self._verb())
        self.end()
        return draft

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise Misread(Flaw(Reason.UNREADABLE, self.tokens[self.at], f"nothing after {self._before()}"))

    def piece(self) -> Piece:
        """Read a unit written like `A PAR`, `FRANCE A PAR` or `PAR`."""
        power = self.power()
        fleet = TYPES.get(self._token(self.at))
        # A province may be called F or A something; a type stands before a place.
        if fleet is not None:
            self.at += 1
        return Piece(self.place(), fleet, power)

    def power(self) -> int | None:
        """Return the power that comes next, or None.

        ENG is a power only before a unit type; otherwise it is the Channel.
        """
        found = self._match(self.names.powers, self.at)
        if found is None or not (self._token(found[1]) in TYPES or self.end_of_place() == self.at):
            return None
        number, self.at = found
        return number

    def end_of_place(self) -> int:
        """Return the end of the next province, without its shore; its start if there is none."""
        found = self._match(self.names.places, self.at)
        return self.at if found is None else found[1]

    def place(self) -> WrittenPlace:
        found = self._match(self.names.places, self.at)
        if found is None:
            raise Misread(self._unknown_place())
        place, self.at = found
        coast = self._coast()
        return WrittenPlace(place.province, coast) if coast else place

    def _coast(self) -> str:
        for skip in (0, 1 if self._token(self.at) == "-" else 0):
            start = self.at + skip
            for length in (4, 3, 2):  # north-east coast, north east coast, north coast
                coast = _COAST_NAMES.get("".join(self.tokens[start : start + length]).replace("-", ""))
                if coast is not None:
                    self.at = start + length
                    return coast
            word = self._token(start)
            if word in SHORES and (word,) not in self.names.places:
                self.at = start + 1
                return SHORES[word]
        return ""

    def _deed(self, unit: Piece, verb: Verb) -> WrittenOrder:
        match verb:
            case Verb.MOVE:
                via = self.tokens[self.at - 1] == "CTO"
                target, path = self._destination()
                return WrittenOrder(verb, unit, target, via=self._by_convoy() or via or path)
            case Verb.SUPPORT:
                other = self.piece()
                match VERBS.get(self._token(self.at)):
                    case Verb.HOLD:
                        self.at += 1
                        return WrittenOrder(verb, unit, other=other)
                    case Verb.MOVE:
                        self.at += 1
                        return self._onward(verb, unit, other)
                return self._onward(verb, unit, other) if self.is_place() else WrittenOrder(verb, unit, other=other)
            case Verb.CONVOY:
                other = self.piece()
                if VERBS.get(self._token(self.at)) is Verb.MOVE:
                    self.at += 1
                elif not self.is_place():
                    raise Misread(self._missing("- and a province after the army"))
                return self._onward(verb, unit, other)
            case Verb.RETREAT:
                if self._token(self.at) in ("-", "TO"):
                    self.at += 1
                return WrittenOrder(verb, unit, self.place())
            case Verb.WAIVE:
                raise Misread(Flaw(Reason.UNREADABLE, self.text, "WAIVE alone"))
        return WrittenOrder(verb, unit)

    def _onward(self, verb: Verb, unit: Piece, other: Piece) -> WrittenOrder:
        """Return the support or convoy of another unit's move; VIA in that move is ignored."""
        target, _ = self._destination()
        self._by_convoy()
        return WrittenOrder(verb, unit, target, other)

    def _destination(self) -> tuple[WrittenPlace, bool]:
        """Return the destination of a move, and True if a path was written (DATC 4.A.6: its last province counts)."""
        if self._token(self.at) in ("-", "TO", "INTO"):
            self.at += 1
        target, path = self.place(), False
        while self._token(self.at) == "-":
            self.at += 1
            target, path = self.place(), True
        return target, path

    def _by_convoy(self) -> bool:
        if self._token(self.at) not in VIA:
            return False
        self.at += 1
        if self._token(self.at) in ("CONVOY", "C"):
            self.at += 1
        while self.at < len(self.tokens):
            self.place()  # the seas of a DAIDE route are skipped, because any existing route will do
        return True

    def _verb(self) -> Verb:
        verb = VERBS.get(self._token(self.at))
        if verb is None and self.is_place():  # people often leave out the dash
            return Verb.MOVE
        if verb is None:
            raise Misread(self._missing("H, -, S, C, R, D or B"))
        self.at += 1
        return verb

    def is_place(self) -> bool:
        """Return True if a province comes next."""
        return self.end_of_place() > self.at

    def _waive(self) -> WrittenOrder | None:
        if VERBS.get(self.tokens[0]) is Verb.WAIVE:
            self.at = 1
            self.end()
            return WrittenOrder(Verb.WAIVE)
        found = self._match(self.names.powers, 0)
        if found is not None and VERBS.get(self._token(found[1])) is Verb.WAIVE:
            self.at = found[1] + 1
            self.end()
            return WrittenOrder(Verb.WAIVE, power=found[0])
        return None

    def _match(self, names: Mapping[tuple[str, ...], T], at: int) -> tuple[T, int] | None:
        """Return the meaning of the longest name that begins there, and the index after the name."""
        for length in range(min(self.names.longest, len(self.tokens) - at), 0, -1):
            found = names.get(tuple(self.tokens[at : at + length]))
            if found is not None:
                return found, at + length
        return None

    def _token(self, at: int) -> str:
        return self.tokens[at] if at < len(self.tokens) else ""

    def _before(self) -> str:
        return " ".join(self.tokens[: self.at])

    def _missing(self, expected: str) -> Flaw:
        token = self._token(self.at)
        if token:
            return Flaw(Reason.UNREADABLE, token, f"{expected} after {self._before()}")
        return Flaw(Reason.UNREADABLE, self.text, f"{expected} at the end")

    def _unknown_place(self) -> Flaw:
        if self.at >= len(self.tokens):
            return Flaw(Reason.UNREADABLE, self.text, "a province at the end")
        words = [self.tokens[self.at]]
        for token in self.tokens[self.at + 1 :]:
            if token in VERBS or token in TYPES or token in VIA:
                break
            words.append(token)
        word = " ".join(words)
        meant = self.names.near(word) or (self.names.near(words[0]) if len(words) > 1 else "")
        return Flaw(Reason.UNKNOWN_PROVINCE, word, "a province", meant)
