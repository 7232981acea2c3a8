"""Process settings of a server: event loop (uvloop if installed, about twice as fast), open files, collector."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from types import ModuleType

try:
    import resource
except ImportError:  # Windows has no resource limits
    resource = None  # type: ignore[assignment]

MANY_FILES = 1 << 16
"""Number of open files that a server asks for: each connection needs one, and so does the store."""
COLLECT_AFTER = 10_000
"""Number of new objects after which the garbage collector runs. It is more than a busy server holds at once, because
repeated scans of those cost a tenth of all time. It is not many more, because everything waits while it runs.
"""
COLLECTIONS = 5
"""Number of collections of the newest objects after which older ones are collected too."""
FULL_COLLECTIONS = 100
"""Number of those after which all objects are collected: a server with a thousand running matches stands still for half
a second, so it must be rare even while strangers make much garbage.
"""

SWITCH = 0.0005
"""Seconds after which a computing thread lets the loop run, which needs that several times per answer."""


def quick_loop() -> ModuleType:
    """Return the module whose `run` runs the event loop: uvloop if installed, else asyncio."""
    return importlib.import_module("uvloop" if importlib.util.find_spec("uvloop") else "asyncio")


def ask_for_files() -> None:
    """Raise the limit of open files as far as allowed; the default is often too low for one door.

    Call it before doors are made, which read the limit.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_FILES if hard == resource.RLIM_INFINITY else min(MANY_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def settle_down() -> None:
    """Exclude all present objects from garbage collection, and make threads switch sooner."""
    sys.setswitchinterval(SWITCH)
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, COLLECTIONS, FULL_COLLECTIONS)
