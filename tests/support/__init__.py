"""Shared support of the tests: a package per subject. No test imports another; code that two of them need lies here."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parents[1]
"""The folder of the tests; a world runs alone as `python -m support.hall.world 17` in it."""
