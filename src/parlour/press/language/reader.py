"""Reads press: the grammar of levels 10 to 60, with the exact place of the first token that does not fit.

Brackets are checked before grammar (PRN before HUH), as DAIDE requires. Every message that fits the grammar has
balanced brackets, so they are counted only after a failure. Nesting is bounded, which bounds the depth of the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NoReturn

from parlour.errors import PressError
from parlour.press.language import message_types as v
from parlour.press.language.tokens import (
    LEVELS,
    MAX_LENGTH,
    MAX_LEVEL,
    MAX_NUMBER,
    NESTING,
    UNIT_TYPES,
    Lexicon,
    cut,
    standard_lexicon,
    unbalanced,
)

MAX_NESTING = 50
"""Maximum nesting depth of arrangements."""
MAX_QUOTED = 1 << 16
"""Maximum characters of an unreadable message that the answer quotes."""
MAX_QUOTED_WORD = 80
MAX_SHARED = 2000
"""Maximum length of a message whose reading is cached."""


def read(text: str, level: int = MAX_LEVEL, lexicon: Lexicon | None = None) -> v.Message:
    """Return the message in a text.

    Short messages are cached: sender, referee and receivers in one process share the value.

    Raises:
        PressError: The text cannot be read at that level. `index` is the first wrong token, `kind` the answer (HUH or
            PRN), and `expected` names the tokens that would fit.
    """
    shared = len(text) <= MAX_SHARED
    return (_read_once if shared else _read)(text, level, lexicon or standard_lexicon())


def _read(text: str, level: int, lexicon: Lexicon) -> v.Message:
    tokens = cut(text[:MAX_LENGTH])
    if len(text) > MAX_LENGTH:
        _judge_brackets(text, tokens)
        expected = f"at most {MAX_LENGTH:,} characters"
        raise PressError(f"message is too long: expected {expected}", index=len(tokens), expected=expected)
    reader = Reader(tokens, level, lexicon)
    message = reader.message()
    reader.end()
    return message


_read_once = lru_cache(maxsize=256)(_read)


def _judge_brackets(text: str, tokens: list[str]) -> None:
    """Raise PressError if the brackets of a text do not balance; the tokens are only its beginning."""
    wrong = unbalanced(tokens)
    opened, closed = text.count("("), text.count(")")
    if (wrong is not None and wrong[0] < len(tokens)) or opened != closed:
        at, expected = wrong or (len(tokens), "as many closing as opening brackets")
        raise PressError(f"token {at}: expected {expected}", index=at, kind="PRN", expected=expected)


def complaint(text: str, error: PressError) -> str:
    """Return the answer to a text that could not be read: HUH with ERR before the wrong token, or PRN.

    Unprintable characters become ?. In HUH so do the words ERR of the text, because HUH has only one ERR. Of a text
    that is too long, only the beginning is quoted.
    """
    tokens = [word if word.isprintable() else _printable(word) for word in cut(text[:MAX_LENGTH])]
    tokens, whole = _beginning(tokens, len(text) <= MAX_LENGTH)
    if error.kind == "HUH":
        tokens = ["?" if word == "ERR" else word for word in tokens]
        tokens.insert(error.index, "ERR")
        if not whole:
            tokens.extend(")" * (tokens.count("(") - tokens.count(")")))
    return " ".join((error.kind, "(", *tokens, ")"))


def _beginning(tokens: list[str], whole: bool) -> tuple[list[str], bool]:
    """Return the tokens that an answer quotes, and True if no token is left out."""
    if whole and sum(map(len, tokens)) + len(tokens) <= MAX_QUOTED:
        return tokens, True
    room, found = MAX_QUOTED, []
    for word in tokens:
        word = word if len(word) <= MAX_QUOTED_WORD else f"{word[: MAX_QUOTED_WORD - 1]}…"
        room -= len(word) + 1
        if room < 0:
            break
        found.append(word)
    return found, False


def _printable(word: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in word)


class Reader:
    """A walk over the tokens of one message; each method reads one rule of the grammar and stops after it."""

    __slots__ = ("_at", "_level", "_lexicon", "_nesting", "_parts", "_tokens")

    def __init__(self, tokens: list[str], level: int, lexicon: Lexicon) -> None:
        tokens.append("")  # marks the end of the message; no grammar rule accepts it
        self._tokens, self._level, self._lexicon = tokens, level, lexicon
        self._at = self._nesting = self._parts = 0

    def end(self) -> None:
        """Raise PressError if anything follows the message."""
        if self._tokens[self._at]:
            self._fail("the end of the message")

    def message(self) -> v.Message:
        """Return a press message or a reply."""
        rule = _MESSAGES.get(self._tokens[self._at])
        if rule is None or LEVELS[self._tokens[self._at]] > self._level:
            self._fail(self._within("press message", rule))
        self._at += 1
        return rule(self)

    def arrangement(self) -> v.Arrangement:
        """Return an arrangement: for example a peace, an order, or several of these."""
        word = self._tokens[self._at]
        rule = _ARRANGEMENTS.get(word)
        if rule is None or LEVELS[word] > self._level:
            self._fail(self._within("arrangement", rule))
        if self._nesting >= MAX_NESTING:
            self._fail(f"at most {MAX_NESTING} arrangements inside one another")
        self._at += 1
        self._nesting += 1
        found = rule(self)
        self._nesting -= 1
        return found

    def order(self) -> v.Order:
        """Return the order inside XDO."""
        if self._tokens[self._at] in self._lexicon.powers:
            power = self._take()
            self._expect("WVE")
            return v.Waive(power)
        unit = self._unit()
        rule = _ORDERS.get(self._tokens[self._at])
        if rule is None:
            self._fail("an order: HLD, MTO, SUP, CVY, CTO, RTO, DSB, BLD or REM")
        self._at += 1
        return rule(self, unit)

    # Messages.

    def _one_press(self) -> v.Press:
        self._expect("(")
        word = self._tokens[self._at]
        rule = _PRESS.get(word)
        if rule is None or LEVELS[word] > self._level:
            self._fail(self._within("press message", rule))
        self._at += 1
        found = rule(self)
        self._expect(")")
        return found

    def _one_query(self) -> v.Query:
        self._expect("(")
        self._expect("QRY")
        found = v.Query(self._one_arrangement())
        self._expect(")")
        return found

    def _cancel(self) -> v.Withdraw:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            self._fail(f"at most {MAX_NESTING} messages inside one another")
        if self._tokens[self._at : self._at + 2] != ["(", "YES"]:
            return v.Withdraw(self._one_press())
        self._at += 2
        accepted = v.Accept(self._one_press())
        self._expect(")")
        return v.Withdraw(accepted)

    def _statement(self) -> v.Arrangement | v.Query | v.NotSo:
        self._expect("(")
        found: v.Arrangement | v.Query | v.NotSo
        tokens, at = self._tokens, self._at
        if self._level < LEVELS["QRY"]:
            found = self.arrangement()
        elif tokens[at] == "QRY":
            self._at += 1
            found = v.Query(self._one_arrangement())
        elif tokens[at : at + 3] == ["NOT", "(", "QRY"]:
            self._at += 1
            found = v.NotSo(self._one_query())
        else:
            found = self.arrangement()
        self._expect(")")
        return found

    def _try(self) -> v.Try:
        self._expect("(")
        start = self._at
        while self._tokens[self._at] in self._lexicon.known:
            self._at += 1
        words = tuple(self._tokens[start : self._at])
        self._expect(")", "a word of the language or )")
        return v.Try(words)

    def _huh(self) -> v.Huh:
        """Return a HUH with any tokens and at most one ERR."""
        self._expect("(")
        start, depth, errors = self._at, 1, 0
        while depth:
            token = self._tokens[self._at]
            if token == "(":
                depth += 1
            elif token == ")":
                depth -= 1
            elif token == "ERR":
                errors += 1
            if not token or errors > 1 or not token.isprintable() or (self._at == start and not depth):
                self._fail("the message that was not understood, with one ERR")
            self._at += 1
        return v.Huh(tuple(self._tokens[start : self._at - 1]))

    # Arrangements.

    def _one_arrangement(self) -> v.Arrangement:
        self._expect("(")
        found = self.arrangement()
        self._expect(")")
        return found

    def _parts_of(self) -> tuple[v.Arrangement, ...]:
        """Return two or more parts; below level NESTING a part has no parts itself."""
        if self._parts and self._level < NESTING:
            self._at -= 1
            self._fail(f"arrangement without parts of its own (nesting needs level {NESTING})")
        self._parts += 1
        found = [self._one_arrangement()]
        while self._tokens[self._at] == "(" or len(found) < 2:
            if self._tokens[self._at] != "(":
                self._fail("a second part in brackets")
            found.append(self._one_arrangement())
        self._parts -= 1
        return tuple(found)

    def _choice(self) -> v.Choice:
        self._expect("(")
        least = self._number()
        most = self._number()
        self._expect(")")
        return v.Choice(least, most, self._parts_of())

    def _alliance(self) -> v.Alliance:
        allies = self._powers(2)
        self._expect("VSS")
        return v.Alliance(allies, self._powers(1))

    def _demilitarized(self) -> v.Demilitarized:
        powers = self._powers(1)
        self._expect("(")
        places = [self._place()]
        while self._tokens[self._at] != ")":
            places.append(self._place("province or )"))
        self._at += 1
        return v.Demilitarized(powers, tuple(places))

    def _draw(self) -> v.Draw:
        return v.Draw(self._powers(2)) if self._tokens[self._at] == "(" else v.Draw()

    def _solo(self) -> v.Solo:
        self._expect("(")
        power = self._one_of(self._lexicon.powers, "power")
        self._expect(")")
        return v.Solo(power)

    def _execute(self) -> v.Execute:
        self._expect("(")
        found = self.order()
        self._expect(")")
        return v.Execute(found)

    def _centres(self) -> v.Centres:
        shares: list[v.Share] = []
        while not shares or self._tokens[self._at] == "(":
            self._expect("(")
            power = self._one_of(self._lexicon.powers, "power")
            shares.append(v.Share(power, self._listed(self._lexicon.centres, 1, "supply centre")))
        return v.Centres(tuple(shares))

    def _occupied(self) -> v.Occupied:
        units: list[v.Unit] = []
        while not units or self._tokens[self._at] == "(":
            units.append(self._unit(any_kind=True))
        return v.Occupied(tuple(units))

    # Orders.

    def _support(self, unit: v.Unit) -> v.Order:
        other = self._unit()
        if self._tokens[self._at] != "MTO":
            return v.SupportHold(unit, other)
        self._at += 1
        return v.SupportMove(unit, other, self._province())

    def _convoy(self, unit: v.Unit) -> v.Order:
        other = self._unit()
        self._expect("CTO")
        return v.Convoy(unit, other, self._province())

    def _convoyed(self, unit: v.Unit) -> v.Order:
        to = self._province()
        self._expect("VIA")
        self._expect("(")
        return v.ConvoyedMove(unit, to, self._listed(self._lexicon.seas, 1, "sea province"))

    # Units, places and tokens.

    def _unit(self, any_kind: bool = False) -> v.Unit:
        self._expect("(")
        power = self._one_of(self._lexicon.powers, "power")
        if any_kind and self._tokens[self._at] == "UNT":
            kind = self._take()
        else:
            kind = self._one_of(UNIT_TYPES, "unit type")
        place = self._place()
        self._expect(")")
        return v.Unit(power, kind, place)

    def _place(self, expected: str = "province") -> str:
        token = self._tokens[self._at]
        if token != "(":
            return self._one_of(self._lexicon.provinces, expected)
        self._at += 1
        province = self._one_of(self._lexicon.shores, "province with two coasts")
        shores = self._lexicon.shores[province]
        coast = self._one_of(shores, f"coast of {province}: {' or '.join(shores)}")
        self._expect(")")
        return f"{province} {coast}"

    def _province(self) -> str:
        return self._one_of(self._lexicon.provinces, "province without a coast")

    def _powers(self, least: int) -> tuple[str, ...]:
        self._expect("(")
        return self._listed(self._lexicon.powers, least, "power")

    def _listed(self, words: Mapping[str, str] | frozenset[str], least: int, expected: str) -> tuple[str, ...]:
        """Return at least `least` of the words, up to the closing bracket."""
        tokens, start = self._tokens, self._at
        at = start
        while tokens[at] in words:
            at += 1
        self._at = at
        if at - start < least:
            self._fail(expected)
        self._expect(")", f"{expected} or )")
        return tuple(tokens[start:at])

    def _number(self) -> int:
        token = self._tokens[self._at]
        digits = token.isascii() and token.isdigit() and len(token) <= 4
        if not digits or int(token) > MAX_NUMBER or (token[0] == "0" and token != "0"):
            self._fail(f"number from 0 to {MAX_NUMBER} without leading zeros")
        self._at += 1
        return int(token)

    def _one_of(self, words: Mapping[str, object] | frozenset[str] | tuple[str, ...], expected: str) -> str:
        token = self._tokens[self._at]
        if token not in words:
            self._fail(expected)
        self._at += 1
        return token

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, token: str, expected: str = "") -> None:
        if self._tokens[self._at] != token:
            self._fail(expected or token)
        self._at += 1

    def _within(self, expected: str, rule: object) -> str:
        """Return the expectation; it names the level of a word that has a rule but is above the level."""
        word = self._tokens[self._at]
        return f"{expected} of level {self._level} at most ({word} is of level {LEVELS[word]})" if rule else expected

    def _fail(self, expected: str) -> NoReturn:
        tokens = self._tokens[:-1]
        wrong = unbalanced(tokens)
        kind = "HUH"
        at = self._at
        if wrong is not None:
            kind, (at, expected) = "PRN", wrong
        elif at < len(tokens) and (word := self._lexicon.elsewhere.get(tokens[at])) and "province" in expected:
            expected = f"{expected} ({self._lexicon.provinces[word]} is {word} in press)"
        got = repr(tokens[at][:24]) if at < len(tokens) else "the end"
        raise PressError(f"token {at}: expected {expected}, got {got}", index=at, kind=kind, expected=expected)


_PRESS: Mapping[str, Callable[[Reader], v.Press]] = {
    "PRP": lambda r: v.Propose(r._one_arrangement()),
    "FCT": lambda r: v.Fact(r._statement()),
    "CCL": Reader._cancel,
    "TRY": Reader._try,
    "INS": lambda r: v.Insist(r._one_arrangement()),
    "QRY": lambda r: v.Query(r._one_arrangement()),
    "SUG": lambda r: v.Suggest(r._one_arrangement()),
    "THK": lambda r: v.Think(r._statement()),
}
_MESSAGES: Mapping[str, Callable[[Reader], v.Message]] = {
    **_PRESS,
    "YES": lambda r: v.Accept(r._one_press()),
    "REJ": lambda r: v.Reject(r._one_press()),
    "BWX": lambda r: v.NoBusiness(r._one_press()),
    "IDK": lambda r: v.Unknown(r._one_query()),
    "HUH": Reader._huh,
}
_ARRANGEMENTS: Mapping[str, Callable[[Reader], v.Arrangement]] = {
    "PCE": lambda r: v.Peace(r._powers(2)),
    "ALY": Reader._alliance,
    "DRW": Reader._draw,
    "SLO": Reader._solo,
    "NOT": lambda r: v.Not(r._one_arrangement()),
    "NAR": lambda r: v.Undo(r._one_arrangement()),
    "XDO": Reader._execute,
    "DMZ": Reader._demilitarized,
    "AND": lambda r: v.Every(r._parts_of()),
    "ORR": lambda r: v.Either(r._parts_of()),
    "SCD": Reader._centres,
    "OCC": Reader._occupied,
    "CHO": Reader._choice,
}
_ORDERS: Mapping[str, Callable[[Reader, v.Unit], v.Order]] = {
    "HLD": lambda r, unit: v.Hold(unit),
    "MTO": lambda r, unit: v.Move(unit, r._place()),
    "SUP": Reader._support,
    "CVY": Reader._convoy,
    "CTO": Reader._convoyed,
    "RTO": lambda r, unit: v.Retreat(unit, r._place()),
    "DSB": lambda r, unit: v.Disband(unit),
    "BLD": lambda r, unit: v.Build(unit),
    "REM": lambda r, unit: v.RemoveUnit(unit),
}
