"""Shared support of the tests: a package per subject. No test imports another; code that two of them need lies here."""

from __future__ import annotations

import os
from pathlib import Path

# Tests run side by side. Threads of NumPy that wait for each other would take the processors from all other tests.
# NumPy reads this once, when it is first imported, which is after this module.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

TESTS = Path(__file__).parents[1]
"""The folder of the tests; a world runs alone as `python -m support.hall.world 17` in it."""
