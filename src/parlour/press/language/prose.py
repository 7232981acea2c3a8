"""Prose with a formal core: one message of free text whose last line is a message of the press language.

The core begins with the mark `::`, on the last line that is not empty. Only the core binds; the prose never does. A
line that quotes another message begins with another sign, so it is never read as a core.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from parlour.press.agreements.clauses import flat
from parlour.press.language import message_types as v
from parlour.press.language.tokens import Lexicon

MARK = "::"
_NOT = re.compile(r"\b(?:not|never|no longer|won't|don't|refuse|reject)\b", re.IGNORECASE)
_PEACE = re.compile(r"\b(?:peace|truce|ally|alliance|friends?)\b", re.IGNORECASE)
_WAR = re.compile(r"\b(?:war|attack|invade|betray|stab)\b", re.IGNORECASE)


class FormalMessage(NamedTuple):
    """A message in two parts; without a core the whole text is prose."""

    prose: str
    core: str


def parted(text: str) -> FormalMessage:
    """Return the prose of a message and its core; the core is empty if there is none."""
    lines = text.rstrip().splitlines() if MARK in text else []
    if not lines or not lines[-1].lstrip().startswith(MARK):
        return FormalMessage(text, "")
    return FormalMessage("\n".join(lines[:-1]).strip(), lines[-1].lstrip().removeprefix(MARK).strip())


def formal(text: str) -> str:
    """Return the part of a message that is read as press: its core, or the whole text."""
    return parted(text).core or text


def disagreements(text: str, message: v.Message, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the contradictions between the prose of a message and its core, found by rules.

    The rules compare refusals, peace or war, and the named powers. A contradiction changes no verdict.
    """
    prose = parted(text).prose
    what = message.what if isinstance(message, (v.Propose, v.Insist, v.Accept)) else None
    what = what.what if isinstance(what, (v.Propose, v.Insist)) else what
    if not prose or what is None or isinstance(what, (v.Query, v.NotSo)):
        return ()
    found = []
    if isinstance(message, v.Accept) and _NOT.search(prose) and not _PEACE.search(prose):
        found.append("the core agrees, the prose refuses")
    for part in flat(what):  # type: ignore[arg-type]  # what is proposed or accepted is an arrangement
        if isinstance(part, (v.Peace, v.Alliance)):
            if _WAR.search(prose) and not _PEACE.search(prose):
                found.append("the core offers peace, the prose speaks of war")
            named = {word for word, seat in lexicon.seat_of.items() if re.search(rf"\b{seat}\b", prose, re.IGNORECASE)}
            strangers = named - {*part.powers, *getattr(part, "enemies", ())}
            if strangers:
                found.append(f"the prose names {', '.join(sorted(strangers))}, the core does not")
    return tuple(found)
