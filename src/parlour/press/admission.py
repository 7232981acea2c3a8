"""Refusals of press: structured press that is broken, above the table's level, or without sense on its board.

Free text passes, and so do quotations in HUH or PRN. The table answers broken press with HUH, as a receiver would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parlour.core.game import Seat
from parlour.core.intents import Refusal, RefusalCode
from parlour.core.terms import FREE_TEXT
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import flat
from parlour.press.language import message_types as v
from parlour.press.language.checks import Kind, arrangement_of, examine
from parlour.press.language.prose import parted
from parlour.press.language.reader import complaint, read
from parlour.press.language.tokens import (
    HIGHER_LEVELS,
    LEVELS,
    MAX_LEVEL,
    OPENING_WORDS,
    Lexicon,
    cut,
    unbalanced,
)
from parlour.press.press_position import board_of


def refusal(text: str, level: int, position: Position, sender: Seat, to: Sequence[Seat]) -> Refusal | None:
    """Return the refusal of a message at a press level; None if the table delivers the message.

    If prose has a formal core, the core is checked at every level, because the core binds.
    """
    prose, core = parted(text)
    if level >= FREE_TEXT and not core:
        return None
    board = board_of(position)
    lexicon = board.names.lexicon
    text = core or prose
    try:
        message = read(text, min(level, MAX_LEVEL), lexicon)
    except PressError as error:
        pretends = core or looks_like_press(text, lexicon)
        return _unreadable(text, min(level, MAX_LEVEL) if core else level, lexicon, error) if pretends else None
    receivers = [lexicon.seats[seat] for seat in to]
    out = set(lexicon.powers) - board.alive
    objection = examine(
        message, sender=lexicon.seats[sender], to=receivers, out=out.intersection(receivers), board=position.board
    ).refused
    for part in _new_in(message) if out and objection is None else ():
        objection = objection or examine(v.Fact(part), out=out, board=position.board).refused
    if objection is None:
        return None
    code = RefusalCode.OUT_OF_GAME if objection.kind is Kind.OUT else RefusalCode.BAD_VALUE
    answer = f" ({objection.answer})" if objection.answer else ""
    return Refusal(code, f"{objection.kind}: {objection.message}{answer}")


def _new_in(message: v.Message) -> Iterator[v.Arrangement]:
    """Yield the parts of a message that may not name a power that is out.

    A part that ends an arrangement may name the power.
    """
    match message:
        case v.Reject() | v.NoBusiness() | v.Withdraw():
            return
        case v.Propose() | v.Insist() | v.Fact() | v.Accept(v.Propose() | v.Insist()):
            what = arrangement_of(message)
            ending: tuple[type, ...] = (v.Not, v.Undo)
        case _:
            what, ending = arrangement_of(message), ()
    for part in flat(what) if what is not None else ():
        if not isinstance(part, ending):
            yield part


def looks_like_press(text: str, lexicon: Lexicon) -> bool:
    """Return True if a text claims to be structured press: a word that begins messages, then a bracket.

    People write `Yes (of course)` too. Therefore a word in small letters counts only before another word of the
    language or another bracket.
    """
    first, bracket, second = (*cut(text)[:3], "", "", "")[:3]
    if first not in OPENING_WORDS or bracket != "(":
        return False
    return text.lstrip().startswith(first) or second in lexicon.known or second in ("(", ")")


def _unreadable(text: str, level: int, lexicon: Lexicon, error: PressError) -> Refusal | None:
    """Return the refusal of press that cannot be read at a level.

    None for a quotation in PRN or HUH, and for words of a higher level that the table allows.
    """
    words = cut(text)
    if words[0] == "PRN" or (words[0] == "HUH" and _is_quotation(words)):
        return None
    if level > MAX_LEVEL and any(MAX_LEVEL < HIGHER_LEVELS.get(word, 0) <= level for word in words):
        return None  # the table allows higher levels than MAX_LEVEL
    where = f"token {error.index}: expected {error.expected}"
    if error.kind == "HUH" and _is_higher(text, words, level, lexicon):
        return Refusal(RefusalCode.PRESS_LEVEL, f"this table speaks press up to level {level}; {where}")
    return Refusal(RefusalCode.BAD_VALUE, f"press that cannot be read; {where} ({complaint(text, error)})")


def _is_quotation(words: list[str]) -> bool:
    """Return True if one pair of brackets encloses everything after the first word."""
    return words[-1] == ")" and unbalanced(words) is None and unbalanced(words[2:-1]) is None


def _is_higher(text: str, words: list[str], level: int, lexicon: Lexicon) -> bool:
    """Return True if a table of a higher level could read the press, or if a word of it belongs to a higher level."""
    if any(LEVELS.get(word, 0) > level or HIGHER_LEVELS.get(word, 0) > level for word in words):
        return True
    try:
        read(text, lexicon=lexicon)
    except PressError:
        return False
    return True
