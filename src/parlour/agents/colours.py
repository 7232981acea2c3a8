"""Colour in a terminal: each seat has one, wherever its name or its penguin stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parlour.core.game import Seat

OWN = {"red": 31, "white": 97, "brown": 33, "black": 90}
"""Terminal colours of seats that are named after a colour."""
OTHERS = (31, 34, 36, 90, 32, 97, 33)
"""Colours for all other seats, in their order; seven powers look different."""
PLAIN = "\x1b[0m"
_LETTER = re.compile(r"\((\w)\)")


def codes(seats: Sequence[Seat]) -> dict[str, int]:
    """Return the colour of each seat, as terminals number them."""
    return {str(seat): OWN.get(seat, OTHERS[number % len(OTHERS)]) for number, seat in enumerate(seats)}


def painted(text: str, seats: Sequence[Seat]) -> str:
    """Return the text with the names of seats in colour; also letters on tiles, where a legend says whose they are."""
    known = codes(seats)
    if not known:
        return text
    letters = {letter: known[name] for name in known for letter in re.findall(rf"\b{re.escape(name)} \((\w)\)", text)}
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    text = re.sub(rf"\b({names})\b", lambda found: _in(known[found[1]], found[1]), text)
    if letters:
        signs = "".join(map(re.escape, letters))
        text = re.sub(rf"(?<=\d)([{signs}])(?=[ \\/])", lambda found: _in(letters[found[1]], found[1]), text)
    return text


def _in(code: int, text: str) -> str:
    return f"\x1b[1;{code}m{text}{PLAIN}"
