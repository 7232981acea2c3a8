"""Runs what a test computes once more in a process in which the kernels run from source."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from support import TESTS

CODE = """
import sys
sys.path[:0] = {path!r}
import {module}
from parlour.core.kernels import is_compiled
print({module}.{function}(*{arguments!r}))
kernels = [module for name, module in sys.modules.items() if name.startswith("parlour.") and ".kernel." in name]
assert kernels and not any(map(is_compiled, kernels)), "kernels were to run from source"
"""


def from_source(function: Callable[..., str], *arguments: object) -> str:
    """Return the result of a function of a test file in a process with uncompiled kernels, or here if they are so."""
    file = Path(inspect.getfile(function))
    module = ".".join(file.relative_to(TESTS).with_suffix("").parts)
    code = CODE.format(path=[str(TESTS), *sys.path], module=module, function=function.__name__, arguments=arguments)
    environment = {**os.environ, "PARLOUR_PURE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()
