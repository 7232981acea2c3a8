"""Reads what a model wrote: the last JSON object of its text. Nothing is looked for in prose.

Whoever searches prose for moves submits those that the model rejected. So an answer without an object is unparsable,
and the model is told so.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from parlour.agents.llm.endpoint import ModelReply

MAX_TRIES = 500
"""Opening brackets that lead nowhere before one stops to look."""
MAX_LOOKS = 8
"""How often a text is gone through in all, by brackets that lead nowhere."""
CUT_SHORT = ("length", "max_tokens")
"""What providers call an answer that became too long."""


class ReplyClass(StrEnum):
    """How an answer could be read."""

    EXACT = "exact"
    LENIENT = "lenient"  # understood, though not in the spelling asked for
    REPAIRED = "repaired"  # good after it was asked for again
    TRUNCATED = "truncated"
    EMPTY = "empty"
    UNPARSABLE = "unparsable"
    ILLEGAL = "illegal"
    TRANSPORT = "transport"  # it did not get here: no fault of the model


GOOD = frozenset({ReplyClass.EXACT, ReplyClass.LENIENT, ReplyClass.REPAIRED})


def last_object(text: str) -> dict[str, Any] | None:
    """The last JSON object that stands in a text, not within another; None if there is none."""
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    at, tries, looks = text.find("{"), 0, MAX_LOOKS * len(text)
    while at >= 0 and tries < MAX_TRIES and looks > 0:
        try:
            value, end = decoder.raw_decode(text, at)
            found = value
        except (ValueError, RecursionError) as error:
            looks -= (error.pos if isinstance(error, json.JSONDecodeError) else len(text)) - at
            tries, end = tries + 1, at + 1
        at = text.find("{", end)
    return found


def silence_of(reply: ModelReply) -> ReplyClass | None:
    """Why there is nothing to read in a reply; None if there may be."""
    if reply.fault:
        return ReplyClass.TRANSPORT
    if reply.finish in CUT_SHORT:
        return ReplyClass.TRUNCATED
    return None if reply.text.strip() else ReplyClass.EMPTY
