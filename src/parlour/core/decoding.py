"""What decoding may raise: one list for all who read what comes from outside, so that none forgets a part of it."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Bytes are of another form, are no text where there should be some, or are nested without end."""
