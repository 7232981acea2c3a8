"""The exceptions that decoding may raise, in one list for every reader of outside input."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Bytes are of another form, are no text where there should be some, or are nested without end."""
