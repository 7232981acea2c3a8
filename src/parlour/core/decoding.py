"""The exceptions that decoding may raise, in one list for every reader of outside input."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of a decoder: bytes of another form, bytes that are not text, or nesting without end."""
