"""Completions of a line that a person types: orders from the legal ones, press from the slots of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from parlour.core.game import Plain, Position, Seat
from parlour.press.language.tokens import LEVELS, Lexicon, cut

Complete: TypeAlias = Callable[[str], Sequence[str]]
"""Called with the text up to the cursor; returns the completions of its last word."""
COMMANDS = ("help", "hold", "quit")
ANSWERS = ("yes", "no", "huh")
_POWERS, _PLACES, _UNIT = "power", "place", "unit"
_OPENERS = ("PRP", "FCT", "YES", "REJ", "CCL", "HUH")
_WHAT = ("PCE", "ALY", "DMZ", "XDO", "AND", "ORR", "NOT", "DRW", "SLO")
_ORDER = ("HLD", "MTO", "SUP", "CVY", "RTO", "DSB", "BLD", "REM")


def completer(position: Position, seat: Seat, seats: Sequence[Seat], *, talks: bool) -> Complete:
    """Return the completer for lines of a seat in a position."""
    legal = [_tokens(action) for action in position.legal(seat)]
    lexicon = Lexicon.of(board) if talks and (board := getattr(position, "board", None)) is not None else None
    others = [other for other in seats if other != seat]

    def complete(text: str) -> Sequence[str]:
        heading, colon, said = text.partition(":")
        if colon and lexicon is not None and not heading.strip().isdigit():
            return press_words(said, lexicon)
        fragment = re.split(r"[;,]", text)[-1]
        *typed, last = [*fragment.upper().split(), ""] if fragment[-1:].strip() == "" else fragment.upper().split()
        found = _next(legal, typed, last)
        if not typed and text == fragment:
            found += [word for word in COMMANDS if word.upper().startswith(last)]
            if talks:
                found += [f"{other}:" for other in others if other.upper().startswith(last)]
                found += [word for word in (*ANSWERS, "vote") if word.upper().startswith(last)]
        if talks and typed and typed[0].lower() in ANSWERS:
            found += [str(other) for other in others if other.upper().startswith(last)]
        return found

    return complete


def _tokens(action: Plain) -> list[str]:
    if isinstance(action, str):
        return action.upper().split()
    flat = [part for one in action for part in (one if isinstance(one, list) else [one])]
    return [str(part) for part in flat]


def _next(legal: Iterable[list[str]], typed: Sequence[str], last: str) -> list[str]:
    """Return the words that may follow those typed, in some action, and begin as the last one does."""
    count = len(typed)
    words = (
        tokens[count]
        for tokens in legal
        if len(tokens) > count and tokens[:count] == list(typed) and tokens[count].startswith(last)
    )
    return list(dict.fromkeys(words))


def press_words(text: str, lexicon: Lexicon) -> list[str]:
    """Return the next words of press, given the innermost open keyword and its arguments so far."""
    tokens = cut(text)
    last = tokens.pop() if tokens and not text[-1:].isspace() and tokens[-1] not in "()" else ""
    found = _slot(tokens)
    words: list[str] = []
    for kind in found:
        if kind == _POWERS:
            words += list(lexicon.powers)
        elif kind == _PLACES:
            words += list(lexicon.provinces)
        elif kind == _UNIT:
            words += ["AMY", "FLT"]
        else:
            words.append(kind)
    return [word for word in words if word.startswith(last)]


def _slot(tokens: Sequence[str]) -> Sequence[str]:
    """Return the kinds of words that may follow these tokens."""
    if not tokens:
        return _OPENERS
    open_at = _open_brackets(tokens)
    if tokens[-1] in LEVELS or tokens[-1] in ("SUP", "CVY"):
        return (_POWERS,) if tokens[-1] in ("MTO",) else ("(",)
    if tokens[-1] in ("MTO", "RTO", "CTO"):
        return (_PLACES,)
    if not open_at:
        before = _keyword_before(tokens, _matching(tokens, len(tokens) - 1))
        return {"ALY": ("VSS",), "DMZ": ("(",)}.get(before, ())
    start = open_at[-1]
    inside = [token for token in tokens[start + 1 :] if token not in "()"]
    keyword = _keyword_before(tokens, start)
    if keyword in ("PRP", "FCT", "CCL", "NOT", "AND", "ORR"):
        closed = tokens[-1] == ")" and _keyword_before(tokens, _matching(tokens, len(tokens) - 1))
        return {"ALY": ("VSS",), "DMZ": ("(",)}.get(closed or "", (")",) if inside else _WHAT)
    if keyword in ("YES", "REJ"):
        return (")",) if tokens[-1] == ")" else ("PRP",)
    if keyword in ("PCE", "ALY", "VSS"):
        return (_POWERS, ")")
    if keyword == "DMZ":
        return (_POWERS, ")")
    if keyword == "XDO":
        return _ORDER if tokens[-1] == ")" else ("(",)
    return _of_unit(tokens, start, inside)


def _of_unit(tokens: Sequence[str], start: int, inside: Sequence[str]) -> Sequence[str]:
    """Return the words that may follow brackets without a keyword: a unit, or the places of a zone."""
    if start and tokens[start - 1] == ")":
        return (_PLACES, ")")
    return ((_POWERS,), (_UNIT,), (_PLACES,), (")",))[min(len(inside), 3)]


def _open_brackets(tokens: Sequence[str]) -> list[int]:
    found: list[int] = []
    for index, token in enumerate(tokens):
        if token == "(":
            found.append(index)
        elif token == ")" and found:
            found.pop()
    return found


def _matching(tokens: Sequence[str], end: int) -> int:
    """Return the index of the bracket that opens what the one at `end` closes; -1 if there is none."""
    depth = 0
    for index in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(tokens[index], 0)
        if not depth:
            return index
    return -1


def _keyword_before(tokens: Sequence[str], bracket: int) -> str:
    return tokens[bracket - 1] if bracket > 0 and tokens[bracket - 1] not in "()" else ""
