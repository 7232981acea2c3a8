"""Limits the linear algebra library to one thread while a network runs.

Its products are many and small; sharing each among threads that wait for one another by spinning costs several times
more than it gains. Threads work on whole batches instead.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

_FOLDERS = ("../numpy.libs", ".libs", ".dylibs")
"""Folders of OpenBLAS in NumPy's packages, beside or within NumPy."""
_SPELLINGS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")
_lock = threading.Lock()


class Threads(NamedTuple):
    """The functions that read and set the number of threads of the library."""

    number: Callable[[], int]
    set_number: Callable[[int], None]


class _OneThread:
    """The number of callers inside the block, and the number of threads before it."""

    inside = 0
    before = 1


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread within this block; the last caller to leave restores the old number. Only OpenBLAS is changed."""
    threads = blas_threads()
    if threads is None:
        yield
        return
    with _lock:
        if not _OneThread.inside:
            _OneThread.before = threads.number()
            threads.set_number(1)
        _OneThread.inside += 1
    try:
        yield
    finally:
        with _lock:
            _OneThread.inside -= 1
            if not _OneThread.inside:
                threads.set_number(_OneThread.before)


@cache
def blas_threads() -> Threads | None:
    """Return the threads of the OpenBLAS that NumPy came with; None if it came with another library."""
    home = Path(np.__file__).parent
    for path in (path for folder in _FOLDERS for path in sorted((home / folder).glob("*openblas*"))):
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(str(path))
            for spelling in _SPELLINGS:
                names = spelling.format("get_num_threads"), spelling.format("set_num_threads")
                if all(hasattr(library, name) for name in names):
                    return Threads(*(getattr(library, name) for name in names))
    return None
