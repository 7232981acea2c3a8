"""The event loop that servers run on: uvloop where it is installed, which costs about half, or else asyncio's own."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType


def quick_loop() -> ModuleType:
    """The module whose run runs a server."""
    return importlib.import_module("uvloop" if importlib.util.find_spec("uvloop") else "asyncio")
