"""Unicode's table of characters that look alike (UTS 39), as one text that stands for each group of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

DIRECTION = "\u200e"
"""The mark that the table has around characters that are written from right to left."""


@cache
def representatives() -> Mapping[int, str]:
    """Return a table for str.translate that replaces each character by the text that stands for its group."""
    # Read when the first name is looked at: it is a megabyte, and most verbs have no accounts.
    from confusable_homoglyphs.confusables import confusables_data

    found: dict[int, str] = {}
    for group in _groups(confusables_data):
        # A text of several letters comes first: it can be written letter by letter, as rn for m.
        best = min(group, key=lambda text: (-len(text), not text.isascii(), not text.islower(), text))
        found |= {ord(text): best for text in group if len(text) == 1 and text != best}
    return {sign: best if len(best) == 1 else best.translate(found) for sign, best in found.items()}


def _groups(alike: Mapping[str, Sequence[Mapping[str, str]]]) -> list[set[str]]:
    """Return the groups of texts that look alike, directly or by way of others."""
    neighbours: dict[str, set[str]] = {}
    for text, others in alike.items():
        for other in others:
            one, two = text.strip(DIRECTION), other["c"].strip(DIRECTION)
            neighbours.setdefault(one, set()).add(two)
            neighbours.setdefault(two, set()).add(one)
    groups, seen = list[set[str]](), set[str]()
    for text in neighbours:
        if text not in seen:
            group, ahead = {text}, [text]
            while ahead:
                fresh = neighbours[ahead.pop()] - group
                group |= fresh
                ahead += fresh
            seen |= group
            groups.append(group)
    return groups
