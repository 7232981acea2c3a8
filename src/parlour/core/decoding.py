"""The exceptions that decoding may raise, in one list for every reader of outside input."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Exceptions of a decoder: malformed bytes, bytes that are not text, or too deep nesting."""
