"""The names that a published pickle may use, and the value of each: arrays of numbers, types, plain mappings.

A name is only a word here: nothing is imported, and nothing that the file names is called.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from parlour.core.game import Plain
from parlour.errors import NotationError

MAX_SIZE = 512 << 20
"""Maximum length of one side of an array."""
MAX_KEY = 1 << 53
_DTYPE = re.compile(r"[<>=|]?(?:[biuf](?:1|2|4|8)|\?)")

Cell = Any
"""A value on the stack of the machine."""


class PickledName(NamedTuple):
    """The name of a function or a class in a pickle."""

    module: str
    name: str


class PickledModule(NamedTuple):
    """The name of a module in a pickle made by dill."""

    name: str


class PickledArray:
    """An array that the pickle makes first and fills later."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: np.ndarray[Any, Any] | None = None


class PickledType:
    """A type of numbers; its byte order follows later in the pickle."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code, self.order = code.lstrip("<>=|"), "<"

    def type(self) -> np.dtype[Any]:
        return np.dtype(self.order + self.code)


def shown(value: Cell) -> str:
    """Return a value in an error message: short, on one line, and cheap however large it is."""
    if isinstance(value, str):
        return repr(value[:60])
    return f"{value!r:.40}" if isinstance(value, (int, float)) else f"a {type(value).__name__}"


def _dtype(code: Cell, *_: Cell) -> PickledType:
    if not isinstance(code, str) or not _DTYPE.fullmatch(code):
        raise NotationError(f"arrays of {shown(code)} are not read, expected numbers")
    return PickledType(code)


def filled(shape: Cell, dtype: Cell, fortran: Cell, raw: Cell) -> np.ndarray[Any, Any]:
    """Return an array of numbers that uses its bytes in place."""
    if not isinstance(dtype, PickledType) or not isinstance(raw, (bytes, memoryview)) or not isinstance(shape, tuple):
        raise NotationError("an array that is not of numbers")
    if len(shape) > 8 or not all(type(size) is int and 0 <= size <= MAX_SIZE for size in shape):
        raise NotationError("an array of impossible shape")
    if math.prod(shape) * dtype.type().itemsize != len(raw):
        raise NotationError(f"an array of shape {shape} with {len(raw):,} bytes")
    return np.frombuffer(raw, dtype.type()).reshape(shape, order="F" if fortran else "C")


def _from_buffer(raw: Cell, dtype: Cell, shape: Cell, order: Cell) -> PickledArray:
    made = PickledArray()
    made.value = filled(shape, dtype, order == "F", raw)
    return made


def _scalar(dtype: Cell, raw: Cell) -> Plain:
    return filled((), dtype, False, raw).item()


def _wrapped_array(made: Cell, _args: Cell, state: Cell, _more: Cell = None) -> PickledArray:
    """Return an array as dill wraps it, or one that lived on an accelerator."""
    if made != PickledName("numpy.core.multiarray", "_reconstruct"):
        raise NotationError("an array that is not of numbers")
    array = PickledArray()
    array.value = filled(*state[1:])
    return array


def known_name(module: Cell, name: Cell) -> PickledName:
    """Return a name if it is known here; raise NotationError for any other."""
    if not isinstance(module, str) or not isinstance(name, str):
        raise NotationError(f"a name that is no text but {shown(name if isinstance(module, str) else module)}")
    # NumPy 2 calls its internals numpy._core, and dill may name the compiled half of a module.
    plain = module[:200].replace("numpy._core", "numpy.core").replace("._multiarray_umath", ".multiarray")
    found = PickledName(plain, name)
    if found not in KNOWN:
        whole = f"{module[:60]}.{name[:60]}"
        raise NotationError(f"asks for {whole if whole.isprintable() else ascii(whole)}, which is not read")
    return found


def _module(name: Cell, _safe: Cell = False) -> PickledModule:
    if not isinstance(name, str):
        raise NotationError(f"a name that is no text but {shown(name)}")
    return PickledModule(name)


def _attribute(module: Cell, name: Cell) -> PickledName:
    """Return a function as dill names it; still only a word."""
    if not isinstance(module, PickledModule):
        raise NotationError("asks for something other than plain values")
    return known_name(module.name, name)


def _encoded(text: Cell, codec: Cell) -> bytes:
    if codec != "latin1" or not isinstance(text, str):
        raise NotationError("text in an unknown code")
    return text.encode("latin1")


def _mapping(pairs: Cell) -> dict[Any, Any]:
    """Return a dict for a library's own kind of mapping, which is always made from a plain mapping."""
    if not isinstance(pairs, Mapping):
        raise NotationError(f"a mapping made of {shown(pairs)}")
    return dict(pairs)


def ordered_dict(pairs: Cell = ()) -> dict[Any, Any]:
    """Return a dict of pairs; raise NotationError for a key that is not allowed."""
    return {checked_key(key): value for key, value in pairs}


MAKERS: dict[PickledName, Callable[..., Cell]] = {
    PickledName("numpy", "dtype"): _dtype,
    PickledName("numpy.core.multiarray", "_reconstruct"): lambda *_: PickledArray(),
    PickledName("numpy.core.multiarray", "scalar"): _scalar,
    PickledName("numpy.core.numeric", "_frombuffer"): _from_buffer,
    PickledName("_codecs", "encode"): _encoded,
    PickledName("__builtin__", "bytes"): lambda: b"",
    PickledName("collections", "OrderedDict"): ordered_dict,
    PickledName("jax.interpreters.xla", "reconstruct_device_array"): _wrapped_array,
    PickledName("jax._src.device_array", "reconstruct_device_array"): _wrapped_array,
    PickledName("jax._src.array", "_reconstruct_array"): _wrapped_array,
}
for _kind in ("FlatMapping", "FlatMap", "frozendict"):
    MAKERS[PickledName("haiku._src.data_structures", _kind)] = _mapping
for _dill in ("dill._dill", "dill.dill"):
    MAKERS[PickledName(_dill, "_create_array")] = _wrapped_array
    MAKERS[PickledName(_dill, "_import_module")] = _module
    MAKERS[PickledName(_dill, "_get_attr")] = _attribute
KNOWN = {*MAKERS, PickledName("numpy", "ndarray")}


def checked_key(value: Cell) -> str | int:
    """Return a key of a dict; raise NotationError if it is not a text or a number of bounded size."""
    if not isinstance(value, (str, int)):
        raise NotationError(f"a key that is neither text nor number but {shown(value)}")
    # Larger numbers can be chosen so that all have one hash, and a dict of them takes quadratic time.
    if isinstance(value, int) and not -MAX_KEY <= value <= MAX_KEY:
        raise NotationError(f"a key beyond {MAX_KEY:,}, which is not read")
    return value
