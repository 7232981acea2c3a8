"""Fixtures of the tests of this door."""

from __future__ import annotations

from support.mila.synchronized import table

__all__ = ["table"]
