"""Chooses between compiled and uncompiled kernels: one source, two ways to run it.

A kernel is a module in a folder named `kernel`, in Cython's pure-Python syntax. Compiled, its shared library lies
beside the source and Python prefers it. With PARLOUR_PURE=1 in the environment the source is run instead, so that
the rules can be stepped through in a debugger.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

PURE = os.environ.get("PARLOUR_PURE", "") not in ("", "0")


class _SourceFinder:
    """Finds the source of kernels and hides their compiled form. It has no base class: importing one takes time."""

    def find_spec(
        self, fullname: str, path: object = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        parts = fullname.split(".")
        if parts[0] != "parlour" or "kernel" not in parts[:-1]:
            return None
        file = _source(fullname)
        return importlib.util.spec_from_file_location(fullname, file) if file.is_file() else None


def _source(name: str) -> Path:
    return Path(__file__).parents[2].joinpath(*name.split(".")).with_suffix(".py")


def prefer_source() -> None:
    """Make every kernel that is imported after this call run uncompiled."""
    if not any(isinstance(finder, _SourceFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _SourceFinder())


def uncompiled(name: str) -> ModuleType:
    """Return the kernel module of that dotted name, run from source, to compare it with the compiled one."""
    spec = importlib.util.spec_from_file_location(f"{name}__uncompiled", _source(name))
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_compiled(module: ModuleType) -> bool:
    """Return True if a kernel module runs from machine code."""
    return not str(module.__file__).endswith(".py")


def all_compiled() -> bool:
    """Return True if every kernel has its compiled file beside it; imports nothing."""
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    root = Path(__file__).parents[1]
    for source in root.glob("**/kernel/*.py"):
        if source.name == "__init__.py" or "import cython" not in source.read_text(encoding="utf-8"):
            continue
        if not any(source.with_name(source.stem + suffix).exists() for suffix in suffixes):
            return False
    return True
