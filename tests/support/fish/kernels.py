"""The kernels of Fish run from source beside the compiled ones, base classes included."""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType

from parlour.core.kernels import uncompiled

PACKAGE = "parlour.games.fish.kernel"
IN_ORDER = ("play", "lookahead", "terrain", "duel", "mcts")
"""Each after the one that its class extends."""


@cache
def source_kernels() -> dict[str, ModuleType]:
    """Return each kernel module by its short name, uncompiled."""
    compiled = {name: sys.modules.get(f"{PACKAGE}.{name}") for name in IN_ORDER}
    found = {}
    try:
        for name in IN_ORDER:
            found[name] = sys.modules[f"{PACKAGE}.{name}"] = uncompiled(f"{PACKAGE}.{name}")
    finally:
        for name, module in compiled.items():
            if module is None:
                sys.modules.pop(f"{PACKAGE}.{name}", None)
            else:
                sys.modules[f"{PACKAGE}.{name}"] = module
    return found
