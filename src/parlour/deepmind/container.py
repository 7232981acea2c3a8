"""Reads the container of the published files: a pickle of arrays and plain values, and nothing else.

The pickle is interpreted opcode by opcode (pickle_machine). A name in it stays a word (pickle_parts): nothing is
imported or called. Arrays of numbers, numbers, strings, lists, tuples and dicts are read; all else is refused.
The published files were written by dill, which wraps arrays and names in functions of its own. A large file is mapped
into memory, and its arrays stay in the file.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain
from parlour.deepmind.pickle_machine import PickleMachine, PickleMark
from parlour.deepmind.pickle_parts import Cell, PickledArray, PickledModule, PickledName, PickledType
from parlour.errors import NotationError
from parlour.files import open_regular

MAX_BYTES = 512 << 20
MAX_MAPPED = 8 << 30
"""Maximum bytes of a mapped file, which takes no memory of its own."""
MAX_DEPTH = 32


def read_pickle(path: Path | str) -> Plain:
    """Return the value in a file; raise NotationError if it is too large, cut off, or has other than plain values."""
    path = Path(path)
    try:
        with open_regular(path) as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotationError(f"{path.name}: cannot be read: {error.strerror}") from None
    try:
        return loads(content)
    except NotationError as error:
        raise NotationError(f"{path.name}: {error}") from None


def map_pickle(path: Path) -> Plain:
    """Return the value in a large file: arrays are read-only and stay in the file, mapped into memory."""
    with open_regular(path) as file:
        if path.stat().st_size == 0:
            raise NotationError("cut off after 0 bytes")
        return _loads(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), MAX_MAPPED)


def let_go(array: npt.NDArray[Any]) -> None:
    """Free the memory of an array of a mapped file; a later use reads it from the file again."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    mapped = owner.obj if isinstance(owner, memoryview) else owner
    if not isinstance(mapped, mmap.mmap) or not hasattr(mapped, "madvise"):
        return
    begin = array.ctypes.data - np.frombuffer(mapped, np.uint8).ctypes.data
    first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    # Pages at the ends of the array belong to its neighbours as well.
    length = (begin + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - first
    if length > 0:
        mapped.madvise(mmap.MADV_DONTNEED, first, length)


def loads(content: bytes) -> Plain:
    """Return the value of a pickle in memory."""
    return _loads(content, MAX_BYTES)


def _loads(content: bytes | mmap.mmap, most: int) -> Plain:
    if len(content) > most:
        raise NotationError(f"too large: at most {most:,} bytes are read")
    if content[:2] == b"PK":
        raise NotationError("is a zip archive, expected a pickle as published")
    machine = PickleMachine(content)
    try:
        value = machine.run()
    except (IndexError, TypeError, KeyError, ValueError, struct.error, OverflowError) as error:
        if isinstance(error, NotationError):
            raise
        raise NotationError(f"not a pickle of plain values: damaged near byte {machine.at:,}") from None
    return _finished(value, MAX_DEPTH, {})


def _finished(value: Cell, depth: int, seen: dict[int, Plain]) -> Plain:
    """Return the value with its arrays in place; shared parts are visited once, endless nesting is refused."""
    if depth == 0:
        raise NotationError(f"nested too deeply: at most {MAX_DEPTH} levels")
    if isinstance(value, PickledArray):
        if value.value is None:
            raise NotationError("an array without content")
        return value.value
    if isinstance(value, (PickledName, PickledModule, PickledType, PickleMark)):
        raise NotationError("holds something other than plain values")
    if isinstance(value, memoryview):
        return bytes(value)
    if not isinstance(value, (list, tuple, dict)):
        return value
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, dict):
        result: Plain = {key: _finished(part, depth - 1, seen) for key, part in value.items()}
    else:
        result = type(value)(_finished(part, depth - 1, seen) for part in value)
    seen[id(value)] = result
    return result
