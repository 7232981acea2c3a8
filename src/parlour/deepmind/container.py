"""Reads the container of the published files: a pickle of arrays and plain values, and nothing else.

The pickle is interpreted here, opcode by opcode. A name in it is only ever a word: nothing is imported, nothing that
the file names is called. Arrays of numbers, numbers, strings, lists, tuples and dicts come out; all else is refused.
The published files were written by dill, which wraps arrays and names in functions of its own. A large file is mapped
into memory, and its arrays are left where they lie.
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain
from parlour.errors import NotationError

MAX_BYTES = 512 << 20
MAX_MAPPED = 8 << 30
"""Of a file that is mapped; it takes no memory of its own."""
MAX_STEPS = 5_000_000
"""Opcodes; published files have some thousands."""
MAX_DEPTH = 32
MAX_TEXT = 128 << 20
"""Old protocols write the bytes of arrays as text."""
MAX_DIGITS = 400
MAX_KEY = 1 << 53
SMALL = 64
"""Parts up to this size may be used again freely: names, shapes."""
_DTYPE = re.compile(r"[<>=|]?(?:[biuf](?:1|2|4|8)|\?)")


class _Name(NamedTuple):
    module: str
    name: str


class _Module(NamedTuple):
    name: str


class _Array:
    """An array that the pickle makes first and fills later."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: np.ndarray[Any, Any] | None = None


class _Dtype:
    """A type of numbers; its byte order comes later."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code, self.order = code.lstrip("<>=|"), "<"

    def type(self) -> np.dtype[Any]:
        return np.dtype(self.order + self.code)


class _Mark:
    pass


_MARK = _Mark()
_Cell = Any


def read_pickle(path: Path | str) -> Plain:
    """The value in a file; NotationError if it is too large, cut off, or holds anything but plain values."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotationError(f"{path.name}: cannot be read: {error.strerror}") from None
    try:
        return loads(content)
    except NotationError as error:
        raise NotationError(f"{path.name}: {error}") from None


def map_pickle(path: Path) -> Plain:
    """As read_pickle, for large files: arrays are read-only and stay in the file, which is mapped into memory."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise NotationError("cut off after 0 bytes")
        return _loads(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), MAX_MAPPED)


def let_go(array: npt.NDArray[Any]) -> None:
    """Free the memory of an array of a mapped file that is not needed any more; it would be read again if it were."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    mapped = owner.obj if isinstance(owner, memoryview) else owner
    if not isinstance(mapped, mmap.mmap) or not hasattr(mapped, "madvise"):
        return
    begin = array.ctypes.data - np.frombuffer(mapped, np.uint8).ctypes.data
    first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    # Pages at its ends belong to its neighbours too.
    length = (begin + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - first
    if length > 0:
        mapped.madvise(mmap.MADV_DONTNEED, first, length)


def loads(content: bytes) -> Plain:
    """The value of a pickle in memory."""
    return _loads(content, MAX_BYTES)


def _loads(content: bytes | mmap.mmap, most: int) -> Plain:
    if len(content) > most:
        raise NotationError(f"too large: at most {most:,} bytes are read")
    if content[:2] == b"PK":
        raise NotationError("is a zip archive, expected a pickle as published")
    machine = _Machine(content)
    try:
        value = machine.run()
    except (IndexError, TypeError, KeyError, ValueError, struct.error, OverflowError) as error:
        if isinstance(error, NotationError):
            raise
        raise NotationError(f"not a pickle of plain values: damaged near byte {machine.at:,}") from None
    return _finished(value, MAX_DEPTH, {})


def _finished(value: _Cell, depth: int, seen: dict[int, Plain]) -> Plain:
    """The value with its arrays in place; shared parts are visited once, endless ones refused."""
    if depth == 0:
        raise NotationError(f"nested too deeply: at most {MAX_DEPTH} levels")
    if isinstance(value, _Array):
        if value.value is None:
            raise NotationError("an array without content")
        return value.value
    if isinstance(value, (_Name, _Module, _Dtype, _Mark)):
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


# What a pickle may ask to be made


def shown(value: _Cell) -> str:
    """A value in an error message: short, on one line, and cheap however large it is."""
    if isinstance(value, str):
        return repr(value[:60])
    return f"{value!r:.40}" if isinstance(value, (int, float)) else f"a {type(value).__name__}"


def _dtype(code: _Cell, *_: _Cell) -> _Dtype:
    if not isinstance(code, str) or not _DTYPE.fullmatch(code):
        raise NotationError(f"arrays of {shown(code)} are not read, expected numbers")
    return _Dtype(code)


def _filled(shape: _Cell, dtype: _Cell, fortran: _Cell, raw: _Cell) -> np.ndarray[Any, Any]:
    if not isinstance(dtype, _Dtype) or not isinstance(raw, (bytes, memoryview)) or not isinstance(shape, tuple):
        raise NotationError("an array that is not of numbers")
    if len(shape) > 8 or not all(type(size) is int and 0 <= size <= MAX_BYTES for size in shape):
        raise NotationError("an array of impossible shape")
    if math.prod(shape) * dtype.type().itemsize != len(raw):
        raise NotationError(f"an array of shape {shape} with {len(raw):,} bytes")
    return np.frombuffer(raw, dtype.type()).reshape(shape, order="F" if fortran else "C")


def _from_buffer(raw: _Cell, dtype: _Cell, shape: _Cell, order: _Cell) -> _Array:
    made = _Array()
    made.value = _filled(shape, dtype, order == "F", raw)
    return made


def _scalar(dtype: _Cell, raw: _Cell) -> Plain:
    return _filled((), dtype, False, raw).item()


def _wrapped_array(made: _Cell, _args: _Cell, state: _Cell, _more: _Cell = None) -> _Array:
    """An array as dill wraps it, or one that lived on an accelerator."""
    if made != _Name("numpy.core.multiarray", "_reconstruct"):
        raise NotationError("an array that is not of numbers")
    array = _Array()
    array.value = _filled(*state[1:])
    return array


def _known(module: _Cell, name: _Cell) -> _Name:
    if not isinstance(module, str) or not isinstance(name, str):
        raise NotationError(f"a name that is no text but {shown(name if isinstance(module, str) else module)}")
    # NumPy 2 calls its inside numpy._core, and dill may name the compiled half of a module.
    plain = module[:200].replace("numpy._core", "numpy.core").replace("._multiarray_umath", ".multiarray")
    found = _Name(plain, name)
    if found not in _KNOWN:
        whole = f"{module[:60]}.{name[:60]}"
        raise NotationError(f"asks for {whole if whole.isprintable() else ascii(whole)}, which is not read")
    return found


def _module(name: _Cell, _safe: _Cell = False) -> _Module:
    if not isinstance(name, str):
        raise NotationError(f"a name that is no text but {shown(name)}")
    return _Module(name)


def _attribute(module: _Cell, name: _Cell) -> _Name:
    """A function as dill names it; still only a word."""
    if not isinstance(module, _Module):
        raise NotationError("asks for something other than plain values")
    return _known(module.name, name)


def _encoded(text: _Cell, codec: _Cell) -> bytes:
    if codec != "latin1" or not isinstance(text, str):
        raise NotationError("text in an unknown code")
    return text.encode("latin1")


def _mapping(pairs: _Cell) -> dict[Any, Any]:
    """A mapping of a library's own kind, which is only ever made from a plain one."""
    if not isinstance(pairs, Mapping):
        raise NotationError(f"a mapping made of {shown(pairs)}")
    return dict(pairs)


def _ordered_dict(pairs: _Cell = ()) -> dict[Any, Any]:
    return {_key(key): value for key, value in pairs}


_MAKERS: dict[_Name, Callable[..., _Cell]] = {
    _Name("numpy", "dtype"): _dtype,
    _Name("numpy.core.multiarray", "_reconstruct"): lambda *_: _Array(),
    _Name("numpy.core.multiarray", "scalar"): _scalar,
    _Name("numpy.core.numeric", "_frombuffer"): _from_buffer,
    _Name("_codecs", "encode"): _encoded,
    _Name("__builtin__", "bytes"): lambda: b"",
    _Name("collections", "OrderedDict"): _ordered_dict,
    _Name("jax.interpreters.xla", "reconstruct_device_array"): _wrapped_array,
    _Name("jax._src.device_array", "reconstruct_device_array"): _wrapped_array,
    _Name("jax._src.array", "_reconstruct_array"): _wrapped_array,
}
for _kind in ("FlatMapping", "FlatMap", "frozendict"):
    _MAKERS[_Name("haiku._src.data_structures", _kind)] = _mapping
for _dill in ("dill._dill", "dill.dill"):
    _MAKERS[_Name(_dill, "_create_array")] = _wrapped_array
    _MAKERS[_Name(_dill, "_import_module")] = _module
    _MAKERS[_Name(_dill, "_get_attr")] = _attribute
_KNOWN = {*_MAKERS, _Name("numpy", "ndarray")}


def _key(value: _Cell) -> str | int:
    if not isinstance(value, (str, int)):
        raise NotationError(f"a key that is neither text nor number but {shown(value)}")
    # Larger numbers can be chosen so that all have one hash, and a dict of them takes quadratic time.
    if isinstance(value, int) and not -MAX_KEY <= value <= MAX_KEY:
        raise NotationError(f"a key beyond {MAX_KEY:,}, which is not read")
    return value


def _place(number: int) -> int:
    """A place in the memo; there are no more of them than steps."""
    if not 0 <= number <= MAX_STEPS:
        raise NotationError(f"a reference beyond {MAX_STEPS:,}, which is not read")
    return number


class _Machine:
    """A stack machine for the opcodes of pickle protocols 0 to 5 that make plain values."""

    def __init__(self, content: bytes | mmap.mmap) -> None:
        self.content = content
        self.whole = memoryview(content)
        # A file says everything once, so what is made of its parts is no larger than it; shared parts could be
        # made into something again and again.
        self.allowance = len(content)
        self.at = 0
        self.stack: list[_Cell] = []
        self.memo: dict[int, _Cell] = {}

    def run(self) -> _Cell:
        """Interpret until the end; the value left on the stack."""
        for _ in range(MAX_STEPS):
            code = self.content[self.at]
            self.at += 1
            if code == _STOP:
                return self.stack[-1]
            step = _OPCODES.get(code)
            if step is None:
                raise NotationError(f"opcode {code} near byte {self.at:,} makes no plain value")
            step(self)
        raise NotationError(f"more than {MAX_STEPS:,} steps")

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.content) - self.at:
            raise NotationError(f"cut off after {len(self.content):,} bytes")
        self.at += size
        return self.content[self.at - size : self.at]

    def raw(self, size: int) -> bytes | memoryview:
        """Bytes; if they are many, where they lie."""
        if size <= SMALL or self.at + size > len(self.content):
            return self.take(size)
        self.at += size
        return self.whole[self.at - size : self.at]

    def number(self, form: str) -> int:
        value: int = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]
        return value

    def line(self) -> str:
        end = self.content.find(b"\n", self.at, self.at + MAX_TEXT)
        if end < 0:
            raise NotationError(f"cut off after {len(self.content):,} bytes")
        return self.take(end + 1 - self.at)[:-1].decode("latin1")

    def push(self, value: _Cell) -> None:
        self.stack.append(value)

    def since_mark(self) -> list[_Cell]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise NotationError("a list without a beginning")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def name(self, module: _Cell, name: _Cell) -> None:
        self.push(_known(module, name))

    def reduce(self) -> None:
        arguments, maker = self.stack.pop(), self.stack.pop()
        if not isinstance(maker, _Name) or maker not in _MAKERS or not isinstance(arguments, tuple):
            raise NotationError("asks for something other than plain values")
        sizes = [len(part) for part in arguments if isinstance(part, (str, bytes, memoryview, list, tuple, dict))]
        self.allowance -= sum(size for size in sizes if size > SMALL)
        if self.allowance < 0:
            raise NotationError("makes more of its parts than there is in the file")
        self.push(_MAKERS[maker](*arguments))

    def build(self) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        if isinstance(made, _Dtype) and isinstance(state, tuple) and state[1] in ("<", ">", "|", "="):
            made.order = state[1]
        elif isinstance(made, _Array) and isinstance(state, tuple):
            made.value = _filled(*state[1:])
        else:
            raise NotationError("asks for something other than plain values")

    def extend(self, items: list[_Cell]) -> None:
        if not isinstance(self.stack[-1], list):
            raise NotationError("appends to what is no list")
        self.stack[-1].extend(items)

    def update(self, items: list[_Cell]) -> None:
        if not isinstance(self.stack[-1], dict) or len(items) % 2:
            raise NotationError("sets an item of what is no dict")
        self.stack[-1].update((_key(key), value) for key, value in zip(items[::2], items[1::2], strict=True))

    def last(self, count: int) -> list[_Cell]:
        items = self.stack[len(self.stack) - count :]
        if len(items) < count:
            raise NotationError("takes more than there is")
        del self.stack[len(self.stack) - count :]
        return items

    def text(self, raw: bytes) -> None:
        if len(raw) > MAX_TEXT:
            raise NotationError(f"text of {len(raw):,} bytes, at most {MAX_TEXT:,} are read")
        self.push(raw.decode("utf-8", "surrogatepass"))

    def line_number(self) -> None:
        text = self.line()
        self.push({"00": False, "01": True}[text] if text in ("00", "01") else int(_short(text.rstrip("L"))))


_STOP = ord(".")
_OPCODES: dict[int, Callable[[_Machine], None]] = {
    0x80: lambda m: void(m.take(1)),  # protocol
    0x95: lambda m: void(m.take(8)),  # frame
    ord("("): lambda m: m.push(_MARK),
    ord("0"): lambda m: void(m.stack.pop()),
    ord("1"): lambda m: void(m.since_mark()),
    ord("2"): lambda m: m.push(m.stack[-1]),
    ord("N"): lambda m: m.push(None),
    0x88: lambda m: m.push(True),
    0x89: lambda m: m.push(False),
    ord("I"): _Machine.line_number,
    ord("L"): _Machine.line_number,
    ord("J"): lambda m: m.push(m.number("i")),
    ord("K"): lambda m: m.push(m.number("B")),
    ord("M"): lambda m: m.push(m.number("H")),
    0x8A: lambda m: m.push(int.from_bytes(m.take(m.number("B")), "little", signed=True)),
    ord("F"): lambda m: m.push(float(_short(m.line()))),
    ord("G"): lambda m: m.push(struct.unpack(">d", m.take(8))[0]),
    ord("V"): lambda m: m.push(m.line().encode("latin1").decode("raw_unicode_escape")),
    ord("X"): lambda m: m.text(m.take(m.number("I"))),
    0x8C: lambda m: m.text(m.take(m.number("B"))),
    0x8D: lambda m: m.text(m.take(m.number("Q"))),
    ord("B"): lambda m: m.push(m.raw(m.number("I"))),
    ord("C"): lambda m: m.push(m.raw(m.number("B"))),
    0x8E: lambda m: m.push(m.raw(m.number("Q"))),
    0x96: lambda m: m.push(m.raw(m.number("Q"))),
    ord("]"): lambda m: m.push([]),
    ord("l"): lambda m: m.push(m.since_mark()),
    ord("a"): lambda m: m.extend(m.last(1)),
    ord("e"): lambda m: m.extend(m.since_mark()),
    ord(")"): lambda m: m.push(()),
    ord("t"): lambda m: m.push(tuple(m.since_mark())),
    0x85: lambda m: m.push(tuple(m.last(1))),
    0x86: lambda m: m.push(tuple(m.last(2))),
    0x87: lambda m: m.push(tuple(m.last(3))),
    ord("}"): lambda m: m.push({}),
    ord("d"): lambda m: m.push(_ordered_dict(zip(*[iter(m.since_mark())] * 2, strict=True))),
    ord("s"): lambda m: m.update(m.last(2)),
    ord("u"): lambda m: m.update(m.since_mark()),
    ord("p"): lambda m: m.memo.__setitem__(_place(int(_short(m.line()))), m.stack[-1]),
    ord("q"): lambda m: m.memo.__setitem__(m.number("B"), m.stack[-1]),
    ord("r"): lambda m: m.memo.__setitem__(m.number("I"), m.stack[-1]),
    0x94: lambda m: m.memo.__setitem__(len(m.memo), m.stack[-1]),
    ord("g"): lambda m: m.push(m.memo[int(_short(m.line()))]),
    ord("h"): lambda m: m.push(m.memo[m.number("B")]),
    ord("j"): lambda m: m.push(m.memo[m.number("I")]),
    ord("c"): lambda m: m.name(m.line(), m.line()),
    0x93: lambda m: m.name(*m.last(2)),
    ord("R"): _Machine.reduce,
    ord("b"): _Machine.build,
}


def void(_: object) -> None:
    """Drop a value."""


def _short(digits: str) -> str:
    if len(digits) > MAX_DIGITS:
        raise NotationError(f"a number of {len(digits):,} digits, at most {MAX_DIGITS} are read")
    return digits
