"""Reads messages of a DAIDE client: one command per message. Errors have the place of the first wrong token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NoReturn, TypeAlias

import msgspec

from parlour.errors import PressError
from parlour.games.diplomacy.ordering.reading import MAX_ORDERS
from parlour.net.daide.server_messages import MOST_ORDERS, SEASONS
from parlour.net.daide.tokens import Letter, Token, text_of, word_of
from parlour.press.language import message_types as v
from parlour.press.language.reader import Reader
from parlour.press.language.tokens import Lexicon, unbalanced

MAX_NAME = 60
"""Maximum characters of a name or version; the rest is cut off."""
MAX_TEXT = 1000
"""Maximum characters of an admin message; the rest is cut off."""


class Naming(msgspec.Struct, frozen=True):
    """NME: a client wants to play."""

    name: str
    version: str


class Observing(msgspec.Struct, frozen=True):
    """OBS: a client wants to watch."""


class Returning(msgspec.Struct, frozen=True):
    """IAM: a client that lost its connection returns."""

    power: str
    passcode: int


class Asking(msgspec.Struct, frozen=True):
    """MAP, MDF, HLO, SCO, NOW, ORD, MIS, TME, HST or SMR as a question: send it again."""

    what: str
    turn: tuple[Token, ...] = ()


class Confirming(msgspec.Struct, frozen=True):
    """YES or REJ ( MAP … ): the client accepts the map of that name, or not; also an answer to SVE or LOD."""

    accepted: bool
    name: str
    what: str = "MAP"


class Submitting(msgspec.Struct, frozen=True):
    """SUB: orders, each as its tokens and its meaning; None as the meaning if it names a province of another map."""

    orders: tuple[tuple[tuple[Token, ...], v.Order | None], ...]
    turn: tuple[Token, ...] = ()


class Withdrawing(msgspec.Struct, frozen=True):
    """NOT ( SUB ): all orders are taken back, or only these; None for one that names a province of another map."""

    orders: tuple[v.Order | None, ...] = ()
    turn: tuple[Token, ...] = ()


class Going(msgspec.Struct, frozen=True):
    """GOF, or NOT ( GOF )."""

    on: bool


class Drawing(msgspec.Struct, frozen=True):
    """DRW, or NOT ( DRW ); powers are those of a partial draw."""

    on: bool
    powers: tuple[str, ...] = ()


class Reminding(msgspec.Struct, frozen=True):
    """TME ( n ), or NOT ( TME … ): a reminder n seconds before each deadline; None means all reminders."""

    on: bool
    seconds: int | None


class Sending(msgspec.Struct, frozen=True):
    """SND: press; `start` is the place of its first token in the message."""

    to: tuple[str, ...]
    press: tuple[Token, ...]
    start: int
    turn: tuple[Token, ...] = ()


class Announcing(msgspec.Struct, frozen=True):
    """ADM: a text for everybody in the match."""

    name: str
    text: str


class Complaining(msgspec.Struct, frozen=True):
    """HUH or PRN: the client could not read a message of the server; never answered."""


ClientMessage: TypeAlias = (
    Naming
    | Observing
    | Returning
    | Asking
    | Confirming
    | Submitting
    | Withdrawing
    | Going
    | Drawing
    | Reminding
    | Sending
    | Announcing
    | Complaining
)


def read(tokens: Sequence[Token], lexicon: Lexicon) -> ClientMessage:
    """Return the meaning of a message; raise PressError of kind PRN for unbalanced brackets, HUH for anything else."""
    if tokens and tokens[0] in ("HUH", "PRN"):
        return Complaining()  # HUH quotes a faulty message, so its brackets need not balance
    wrong = unbalanced([str(token) if not isinstance(token, Letter) else "" for token in tokens])
    if wrong is not None:
        raise PressError(f"token {wrong[0]}: expected {wrong[1]}", index=wrong[0], kind="PRN", expected=wrong[1])
    return _Cursor(tokens, lexicon).message()


@lru_cache(maxsize=MOST_ORDERS)
def _order_of(words: tuple[str, ...], lexicon: Lexicon) -> v.Order | None:
    """Return the order in these words; None if it names a province of another map. Raise PressError for a bad one."""
    if any(word.startswith("?5") for word in words):
        return None
    reader = Reader(list(words), 0, lexicon)
    order = reader.order()
    reader.end()
    return order


class _Cursor:
    """Walks over the tokens of one message."""

    def __init__(self, tokens: Sequence[Token], lexicon: Lexicon) -> None:
        self._tokens: tuple[Token, ...] = (*tokens, "")  # the end; no rule accepts it
        self._lexicon = lexicon
        self._at = 0

    def message(self) -> ClientMessage:
        """Return the whole message."""
        rule = _COMMANDS.get(self._word())
        if rule is None:
            self.fail("a message that a client may send")
        self._at += 1
        found = rule(self)
        if self._here() != "":
            self.fail("the end of the message")
        return found

    def fail(self, expected: str) -> NoReturn:
        raise PressError(f"token {self._at}: expected {expected}", index=self._at, expected=expected)

    def _here(self) -> Token:
        return self._tokens[self._at]

    def _word(self) -> str:
        here = self._here()
        return here if isinstance(here, str) and not isinstance(here, Letter) else ""

    def _expect(self, word: str) -> None:
        if self._word() != word:
            self.fail(word)
        self._at += 1

    def _string(self, most: int = MAX_NAME) -> str:
        self._expect("(")
        start = self._at
        while isinstance(self._here(), Letter):
            self._at += 1
        found = text_of(self._tokens[start : self._at])
        self._expect(")")
        return found[:most]

    def _number(self) -> int:
        here = self._here()
        if not isinstance(here, int):
            self.fail("a number")
        self._at += 1
        return here

    def _power(self) -> str:
        word = self._word()
        if word not in self._lexicon.powers:
            self.fail("a power")
        self._at += 1
        return word

    def _powers(self, least: int = 1) -> tuple[str, ...]:
        """Return the powers in brackets, at least `least`."""
        self._expect("(")
        found = [self._power() for _ in range(least)]
        while self._word() != ")":
            found.append(self._power())
        self._at += 1
        return tuple(found)

    def _turn(self) -> tuple[Token, ...]:
        """Return a turn such as ( SPR 1901 ) if it comes next; else nothing."""
        if self._word() != "(" or self._tokens[self._at + 1] not in SEASONS:
            return ()
        season = str(self._tokens[self._at + 1])
        self._at += 2
        year = self._number()
        self._expect(")")
        return season, year

    def _bracketed(self) -> tuple[int, tuple[Token, ...]]:
        """Return the place of the first token in the brackets that open here, and the tokens in them."""
        self._expect("(")
        start, depth = self._at, 1
        while True:
            word = self._word()
            depth += (word == "(") - (word == ")")
            if not depth:
                break
            self._at += 1
        self._at += 1
        return start, self._tokens[start : self._at - 1]

    # Commands; the word itself has been read.

    def naming(self) -> Naming:
        return Naming(self._string(), self._string())

    def returning(self) -> Returning:
        self._expect("(")
        power = self._power()
        self._expect(")")
        self._expect("(")
        code = self._number()
        self._expect(")")
        return Returning(power, code)

    def asking(self) -> Asking:
        what = str(self._tokens[self._at - 1])
        return Asking(what)

    def observing(self) -> Observing:
        if self._word() == "(":  # clients of Parlance give a name and a version
            self.naming()
        return Observing()

    def history(self) -> Asking:
        turn = self._turn()
        if not turn and self._here() != "":
            self.fail("a turn such as ( SPR 1901 )")
        return Asking("HST", turn)

    def confirming(self) -> Confirming:
        accepted = self._tokens[self._at - 1] == "YES"
        self._expect("(")
        what = self._word()
        if what not in ("MAP", "SVE", "LOD"):
            self.fail("MAP")
        self._at += 1
        name = self._string()
        self._expect(")")
        return Confirming(accepted, name, what)

    def submitting(self) -> Submitting:
        turn = self._turn()
        orders = [self._order()]
        while self._word() == "(":
            if len(orders) == MAX_ORDERS:
                self.fail(f"at most {MAX_ORDERS} orders")
            orders.append(self._order())
        return Submitting(tuple(orders), turn)

    def _order(self) -> tuple[tuple[Token, ...], v.Order | None]:
        start, tokens = self._bracketed()
        words = tuple([word_of(token) for token in tokens])
        try:
            return tokens, _order_of(words, self._lexicon)
        except PressError as error:
            self._at = start + error.index
            self.fail(error.expected)

    def denying(self) -> ClientMessage:
        self._expect("(")
        rule = _DENIED.get(self._word())
        if rule is None:
            self.fail("SUB, GOF, DRW or TME")
        self._at += 1
        found = rule(self)
        self._expect(")")
        return found

    def withdrawing(self) -> Withdrawing:
        if self._word() != "(":
            return Withdrawing()
        turn = self._turn()
        return Withdrawing((self._order()[1],) if self._word() == "(" else (), turn)

    def drawing(self, on: bool) -> Drawing:
        return Drawing(on, self._powers(least=2) if self._word() == "(" else ())

    def reminding(self, on: bool) -> Reminding | Asking:
        if self._word() != "(":
            return Reminding(False, None) if not on else Asking("TME")
        self._at += 1
        seconds = self._number()
        self._expect(")")
        return Reminding(on, seconds)

    def sending(self) -> Sending:
        turn, to = self._turn(), self._powers()
        start, press = self._bracketed()
        return Sending(to, press, start, turn)

    def announcing(self) -> Announcing:
        return Announcing(self._string(), self._string(MAX_TEXT))


_COMMANDS: Mapping[str, Callable[[_Cursor], ClientMessage]] = {
    "NME": _Cursor.naming,
    "OBS": _Cursor.observing,
    "IAM": _Cursor.returning,
    **dict.fromkeys(("MAP", "MDF", "HLO", "SCO", "NOW", "ORD", "MIS", "SMR"), _Cursor.asking),
    "HST": _Cursor.history,
    "YES": _Cursor.confirming,
    "REJ": _Cursor.confirming,
    "SUB": _Cursor.submitting,
    "NOT": _Cursor.denying,
    "GOF": lambda cursor: Going(True),
    "DRW": lambda cursor: cursor.drawing(True),
    "TME": lambda cursor: cursor.reminding(True),
    "SND": _Cursor.sending,
    "ADM": _Cursor.announcing,
}
_DENIED: Mapping[str, Callable[[_Cursor], ClientMessage]] = {
    "SUB": _Cursor.withdrawing,
    "GOF": lambda cursor: Going(False),
    "DRW": lambda cursor: cursor.drawing(False),
    "TME": lambda cursor: cursor.reminding(False),
}
