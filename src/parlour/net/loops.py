"""The event loop that servers run on: uvloop where it is installed, which costs about half, or else asyncio's own."""

from __future__ import annotations

import gc
import importlib
import importlib.util
from types import ModuleType

COLLECT_AFTER = 50_000
"""Objects that a server makes before it looks for cycles among the newest: more than it has in hand at once when it is
busy, for to look at those again and again costs a tenth of all.
"""


def quick_loop() -> ModuleType:
    """The module whose run runs a server."""
    return importlib.import_module("uvloop" if importlib.util.find_spec("uvloop") else "asyncio")


def settle_down() -> None:
    """All that a server begins with stays until it ends: the collector need not look at it again, and seldom at all."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 10, 10)
