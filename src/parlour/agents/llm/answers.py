"""Reads a model's answer: the last JSON object of its text. Prose is not searched.

A search of prose for moves would submit moves that the model rejected. Therefore an answer without an object is
unparsable, and the model is informed.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from parlour.agents.llm.endpoint import ModelReply

MAX_TRIES = 500
"""Maximum number of opening brackets at which decoding may fail."""
MAX_LOOKS = 8
"""Maximum number of passes over a text with unmatched brackets."""
CUT_SHORT = ("length", "max_tokens")
"""Providers' words for an answer that was cut off because it became too long."""


class ReplyClass(StrEnum):
    """The ways in which an answer could be read."""

    EXACT = "exact"
    LENIENT = "lenient"  # understood, but not in the requested spelling
    REPAIRED = "repaired"  # good after a retry
    TRUNCATED = "truncated"
    EMPTY = "empty"
    UNPARSABLE = "unparsable"
    ILLEGAL = "illegal"
    TRANSPORT = "transport"  # the answer did not arrive, which is not the model's fault


GOOD = frozenset({ReplyClass.EXACT, ReplyClass.LENIENT, ReplyClass.REPAIRED})


def last_object(text: str) -> dict[str, Any] | None:
    """Return the last outermost JSON object in a text; None if there is none."""
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
    """Return the class of a reply without a readable text; None if the text can be read."""
    if reply.fault:
        return ReplyClass.TRANSPORT
    if reply.finish in CUT_SHORT:
        return ReplyClass.TRUNCATED
    return None if reply.text.strip() else ReplyClass.EMPTY
