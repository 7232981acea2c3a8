"""The safetensors format: arrays by name behind a header of JSON, which can be mapped into memory as they are."""

from __future__ import annotations

import json
import math
import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from parlour.errors import NotationError
from parlour.files import open_regular

MAX_HEADER = 16 << 20
_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "|u1"}
_CODES = {np.dtype(code): name for name, code in _TYPES.items()}
_ALIGNMENT = 64
"""The first array begins at a multiple of this, so that arrays can be used in place."""

Named = dict[str, npt.NDArray[Any]]


def read_safetensors(path: Path) -> tuple[Named, dict[str, str]]:
    """Return the arrays, mapped into memory and read-only, and the words that come with them.

    Raise NotationError if the file is damaged.
    """
    with open_regular(path) as file:
        size = path.stat().st_size
        if size < 8:
            raise NotationError(f"cut off after {size} bytes")
        (length,) = struct.unpack("<Q", file.read(8))
        if not 2 <= length <= min(MAX_HEADER, size - 8):
            raise NotationError("not in the safetensors format: its header does not fit")
        header = _header(file.read(length))
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))[8 + length :]
    words = header.pop("__metadata__", {})
    if not isinstance(words, dict) or not all(isinstance(part, str) for pair in words.items() for part in pair):
        raise NotationError("metadata: expected text by name")
    return {name: _array(name, entry, content) for name, entry in header.items()}, words


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise NotationError("not in the safetensors format: its header is no JSON") from None
    if not isinstance(header, dict):
        raise NotationError("not in the safetensors format: its header is not an object")
    return header


def _array(name: str, entry: Any, content: memoryview) -> npt.NDArray[Any]:
    """Return one array, mapped in place."""
    try:
        code, shape, (begin, end) = _TYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
        fits = all(type(size) is int and size >= 0 for size in (*shape, begin, end))
    except (KeyError, TypeError, ValueError):
        raise NotationError(f"{name[:60]!r}: expected dtype, shape and data_offsets of numbers") from None
    if not fits or not begin <= end <= len(content):
        raise NotationError(f"{name[:60]!r}: cut off, or its place is not in the file")
    if math.prod(shape) * np.dtype(code).itemsize != end - begin:
        raise NotationError(f"{name[:60]!r}: {end - begin:,} bytes for shape {list(shape)!r:.60}")
    try:
        return np.frombuffer(content[begin:end], code).reshape(shape)
    except ValueError as error:  # more dimensions, or a larger empty shape, than NumPy supports
        raise NotationError(f"{name[:60]!r}: {error!s:.80}") from None


def write_safetensors(file: BinaryIO, arrays: Mapping[str, npt.NDArray[Any]], words: Mapping[str, str]) -> None:
    """Write arrays and words; the safetensors library reads the file too."""
    header: dict[str, Any] = {"__metadata__": dict(words)}
    at = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": _CODES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    # No gaps are allowed between arrays, so only the first is placed; ours are multiples of 4 bytes long, which suits.
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    file.write(struct.pack("<Q", len(text)) + text)
    for array in arrays.values():
        file.write(np.ascontiguousarray(array).data)
