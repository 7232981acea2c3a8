"""Widths of words on a map, in the widest typeface of a picture: DejaVu Serif, bold.

A word that fits in this typeface also fits in Georgia or Times, which are narrower.
"""

from __future__ import annotations

import unicodedata

SPACING = 0.4
"""Room after every letter of a label on land."""
RISE = 0.4
"""Height of a capital above the middle of its line, with a small margin, as a part of the type size."""

_HUNDREDTHS = {
    31: "'",
    35: " ,.",
    38: "/:;ijl",
    42: "-",
    48: "!()IJft",
    53: '"r',
    59: "?svxyz",
    61: "c",
    65: "ae",
    70: "0123456789bdgkopq",
    75: "FLSTYZhnu",
    80: "ACEPVX",
    88: "BDGKOQRUw",
    95: "&HN",
    114: "MWm",
}
_WIDTHS = {letter: width / 100 for width, letters in _HUNDREDTHS.items() for letter in letters}


def width_of(text: str) -> float:
    """Return the width of a line as a multiple of its type size; an unknown letter is as wide as the type size."""
    plain = unicodedata.normalize("NFD", text)
    return sum(_WIDTHS.get(letter, 1.0) for letter in plain if not unicodedata.combining(letter))
