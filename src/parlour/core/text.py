"""Text from outside, made fit to be written down and shown: one line of bounded length that no terminal acts upon."""

from __future__ import annotations

MAX_QUOTED = 300


def printable(said: object, limit: int = MAX_QUOTED) -> str:
    """What somebody said, or an error that quotes it, with a question mark for each sign that cannot be printed."""
    text = str(said)[:limit]
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)
