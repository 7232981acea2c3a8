"""The stack machine of pickles: interprets, opcode by opcode, those that make plain values, and refuses all others."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable

from parlour.deepmind.pickle_parts import (
    MAKERS,
    Cell,
    PickledArray,
    PickledName,
    PickledType,
    checked_key,
    filled,
    known_name,
    ordered_dict,
)
from parlour.errors import NotationError

MAX_STEPS = 5_000_000
"""Maximum number of opcodes; published files have some thousands."""
MAX_TEXT = 128 << 20
"""Maximum bytes of a text. Old protocols write the bytes of arrays as text."""
MAX_DIGITS = 400
SMALL = 64
"""Parts up to this size, for example names and shapes, may be reused freely."""


class PickleMark:
    """The start of a list on the stack."""


MARK = PickleMark()


def _place(number: int) -> int:
    """Return a place in the memo; raise NotationError if it is beyond the number of steps."""
    if not 0 <= number <= MAX_STEPS:
        raise NotationError(f"a reference beyond {MAX_STEPS:,}, which is not read")
    return number


class PickleMachine:
    """A stack machine for the opcodes of pickle protocols 0 to 5 that make plain values."""

    def __init__(self, content: bytes | mmap.mmap) -> None:
        self.content = content
        self.whole = memoryview(content)
        # A sound result is not larger than the file. Without this bound, shared parts could be copied repeatedly.
        self.allowance = len(content)
        self.at = 0
        self.stack: list[Cell] = []
        self.memo: dict[int, Cell] = {}

    def run(self) -> Cell:
        """Interpret the pickle to its end, and return the value left on the stack."""
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
        """Return the next bytes; a view of the content if they are many."""
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

    def push(self, value: Cell) -> None:
        self.stack.append(value)

    def since_mark(self) -> list[Cell]:
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise NotationError("a list without a beginning")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def name(self, module: Cell, name: Cell) -> None:
        self.push(known_name(module, name))

    def reduce(self) -> None:
        arguments, maker = self.stack.pop(), self.stack.pop()
        if not isinstance(maker, PickledName) or maker not in MAKERS or not isinstance(arguments, tuple):
            raise NotationError("asks for something other than plain values")
        sizes = [len(part) for part in arguments if isinstance(part, (str, bytes, memoryview, list, tuple, dict))]
        self.allowance -= sum(size for size in sizes if size > SMALL)
        if self.allowance < 0:
            raise NotationError("makes more of its parts than there is in the file")
        self.push(MAKERS[maker](*arguments))

    def build(self) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        if isinstance(made, PickledType) and isinstance(state, tuple) and state[1] in ("<", ">", "|", "="):
            made.order = state[1]
        elif isinstance(made, PickledArray) and isinstance(state, tuple):
            made.value = filled(*state[1:])
        else:
            raise NotationError("asks for something other than plain values")

    def extend(self, items: list[Cell]) -> None:
        if not isinstance(self.stack[-1], list):
            raise NotationError("appends to something that is not a list")
        self.stack[-1].extend(items)

    def update(self, items: list[Cell]) -> None:
        if not isinstance(self.stack[-1], dict) or len(items) % 2:
            raise NotationError("sets an item of what is no dict")
        self.stack[-1].update((checked_key(key), value) for key, value in zip(items[::2], items[1::2], strict=True))

    def last(self, count: int) -> list[Cell]:
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
_OPCODES: dict[int, Callable[[PickleMachine], None]] = {
    0x80: lambda m: void(m.take(1)),  # skips the number of the protocol
    0x95: lambda m: void(m.take(8)),  # skips the length of a frame
    ord("("): lambda m: m.push(MARK),
    ord("0"): lambda m: void(m.stack.pop()),
    ord("1"): lambda m: void(m.since_mark()),
    ord("2"): lambda m: m.push(m.stack[-1]),
    ord("N"): lambda m: m.push(None),
    0x88: lambda m: m.push(True),
    0x89: lambda m: m.push(False),
    ord("I"): PickleMachine.line_number,
    ord("L"): PickleMachine.line_number,
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
    ord("d"): lambda m: m.push(ordered_dict(zip(*[iter(m.since_mark())] * 2, strict=True))),
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
    ord("R"): PickleMachine.reduce,
    ord("b"): PickleMachine.build,
}


def void(_: object) -> None:
    """Drop a value."""


def _short(digits: str) -> str:
    if len(digits) > MAX_DIGITS:
        raise NotationError(f"a number of {len(digits):,} digits, at most {MAX_DIGITS} are read")
    return digits
