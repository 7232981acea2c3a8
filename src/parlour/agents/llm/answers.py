"""Reads a model's answer: the last JSON object of its text. Prose is not searched.

A search of prose for moves would submit moves that the model rejected. So an answer without an object is unparsable,
and the model is told so.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from parlour.agents.llm.endpoint import ModelReply

MAX_TRIES = 500
"""Maximum number of opening brackets that are tried."""
MAX_LOOKS = 8
"""Maximum number of passes over a text with unmatched brackets."""
CUT_SHORT = ("length", "max_tokens")
"""Providers' words for an answer that became too long."""


class ReplyClass(StrEnum):
    """The ways in which an answer could be read."""

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
    """Return the last JSON object that stands in a text, not within another; None if there is none."""
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
    """Return the reason that a reply has nothing to read; None if it may have."""
    if reply.fault:
        return ReplyClass.TRANSPORT
    if reply.finish in CUT_SHORT:
        return ReplyClass.TRUNCATED
    return None if reply.text.strip() else ReplyClass.EMPTY
