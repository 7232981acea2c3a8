"""Removes meaningless words from orders: comments, courtesies, verbs before the unit, shores that do not exist.

The `diplomacy` package ignores these words at both ends of an order. Here they are removed only from texts that would
not be orders otherwise, and only at doors that ask for it. At other doors a misspelt order is reported.
"""

from __future__ import annotations

import re

from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering.notation import (
    MAX_LENGTH,
    SHORES,
    TYPES,
    VERBS,
    VIA,
    Misread,
    OrderReader,
    Verb,
    names_of,
)

COMMENT = "#"
"""The character that starts a comment after an order."""
_MEANINGLESS = frozenset(("THE", "AN", "IS", "WILL", "IN", "AT", "ON", "OF", "FROM"))
"""Words that are ignored anywhere in an order."""
_SHORE = re.compile(r"/\s*([A-Za-z]+)")
_OF_CONVOYS = VIA | {"CONVOY", "C"}


def sifted(text: str, board: Map) -> str:
    """Return the order without meaningless words, its verb after its unit.

    The text is returned unchanged if it does not contain an order.
    """
    if len(text) > MAX_LENGTH:
        return text
    order = text.strip(COMMENT + " ").partition(COMMENT)[0]
    words = _known_words(_SHORE.sub(_without_unknown_shore, order), board)
    if words is None:
        return text
    try:
        return " ".join(_verb_last(words, board)) or text
    except Misread:
        return text


def _without_unknown_shore(found: re.Match[str]) -> str:
    return found[0] if found[1].upper() in SHORES else " "


def _known_words(text: str, board: Map) -> list[str] | None:
    """Return the words with a meaning; None if an unknown word stands between them."""
    reader = OrderReader(text, names_of(board))
    found: list[tuple[str, ...]] = []
    unknown_at: list[int] = []
    while reader.at < len(reader.tokens):
        token = reader.tokens[reader.at]
        if reader.power() is not None:
            continue  # the owner of the unit is known
        if token in TYPES or token in VERBS or token in _OF_CONVOYS:
            reader.at += 1
            found.append((token,))
        elif reader.is_place():
            found.append(_without_vain_shore(reader, board))
        else:
            reader.at += 1
            if token not in _MEANINGLESS:
                unknown_at.append(len(found))
    # Only at the ends: an unknown word in the middle may have been a province.
    if any(0 < at < len(found) for at in unknown_at):
        return None
    while found and found[-1] == ("-",):
        found.pop()
    words = [word for known in found for word in known]
    return [word for at, word in enumerate(words) if not _is_vain(words, at)]


def _is_vain(words: list[str], at: int) -> bool:
    """Return True if the word adds nothing where it stands: `- H`, `SUPPORT TO`, a fleet that moves BY CONVOY."""
    word, before, after = words[at], words[at - 1 : at], words[at + 1 : at + 2]
    if word == "-":
        return bool(after) and VERBS.get(after[0]) is Verb.HOLD
    if word == "TO":
        return bool(before) and VERBS.get(before[0]) is Verb.SUPPORT
    by_convoy = word == "BY" or (before == ["BY"] and word in _OF_CONVOYS)
    return by_convoy and bool(TYPES.get(words[0])) and at >= len(words) - 2


def _without_vain_shore(reader: OrderReader, board: Map) -> tuple[str, ...]:
    """Return the words of the next province, with its written shore only if the province has that shore."""
    begin = reader.at
    end = reader.end_of_place()
    place = reader.place()
    coasts = board.provinces[place.province].coasts
    return tuple(reader.tokens[begin : reader.at if not place.coast or place.coast in coasts else end])


def _verb_last(words: list[str], board: Map) -> list[str]:
    """Return the words with the verb after the unit, also if the verb came first."""
    verbs = 0
    while verbs < len(words) and words[verbs] in VERBS:
        verbs += 1
    if not verbs:
        return words
    rest = words[verbs:]
    reader = OrderReader(" ".join(rest), names_of(board))
    reader.piece()
    behind = VERBS.get(rest[reader.at]) if reader.at < len(rest) else None
    first = VERBS[words[0]]
    if behind is None:
        return [*rest[: reader.at], words[0], *rest[reader.at :]]
    return rest if first in (Verb.MOVE, behind) else words
