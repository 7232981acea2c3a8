"""Process settings of a server: a loop (uvloop, if installed, costs about half), open files, few collections."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from types import ModuleType

try:
    import resource
except ImportError:  # not on this system, which then sets no limit that we could ask for
    resource = None  # type: ignore[assignment]

MANY_FILES = 1 << 16
"""Files that a server asks for: each connection is one, and the store must not be left without."""
COLLECT_AFTER = 50_000
"""Objects that a server makes before it looks for cycles among the newest: more than it has in hand at once when it is
busy, for to look at those again and again costs a tenth of all.
"""


SWITCH = 0.0005
"""Seconds after which a computing thread lets the loop continue, which needs that several times per answer."""


def quick_loop() -> ModuleType:
    """Return the module whose run runs a server."""
    return importlib.import_module("uvloop" if importlib.util.find_spec("uvloop") else "asyncio")


def ask_for_files() -> None:
    """Let this program open as many files as it may ask for; unasked it often has fewer than one door takes.

    To be called before doors are made, which look how many there are.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_FILES if hard == resource.RLIM_INFINITY else min(MANY_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def settle_down() -> None:
    """Let the collector pass over all that a server begins with, and let the loop not wait long for other threads."""
    sys.setswitchinterval(SWITCH)
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 10, 10)
