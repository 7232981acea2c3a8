"""Text from outside, made safe to store and show: one line of bounded length without control characters."""

from __future__ import annotations

from collections.abc import Iterable

MAX_QUOTED = 300


def printable(said: object, limit: int = MAX_QUOTED) -> str:
    """Return the first `limit` characters of a text or error, with "?" for each one that cannot be printed."""
    text = str(said)[:limit]
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)


def too_large(what: str, most: int) -> str:
    """Return the message for input that is too large, in the same words for every reader."""
    return f"the {what} is too large: at most {most:,} bytes"


def hint(word: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown word: the word that was probably meant, or nothing."""
    by_case = {name.lower(): name for name in known}
    import difflib  # imported here, because only typing errors need it

    near = difflib.get_close_matches(word[:MAX_QUOTED].lower(), by_case, n=1, cutoff=0.6)
    return f"; did you mean {by_case[near[0]]}?" if near else ""
