"""Reads a stream of concatenated JSON values within bounds, in time linear in its length, and writes lines of JSON.

Peers may put any white space between values, or none, and may send a value in any number of pieces down to single
bytes. So the stream is cut by a scanner that remembers its state. It skips flat values (numbers, words, whole strings,
lists without lists in them) in one step of a compiled pattern: only nesting, and values that a piece cuts in two, need
further steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Plain
from parlour.core.text import printable, too_large
from parlour.errors import RemoteWireError

MAX_VALUE = 1 << 20
"""Maximum bytes of one value, without white space before it."""
MAX_SPACE = 1 << 16
"""Maximum bytes of white space before a value: the CS4500 course's programs send two thousand."""
MAX_DEPTH = 32

_NOT_SPACE = re.compile(rb"[^ \t\n\r]")
_IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
"""The received part of a string: up to its closing quote, or to a backslash at the end of the chunk."""
_FLAT = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+"|\[[^"\[\]{}]*+\]|\{[^"\[\]{}]*+\})*+', re.DOTALL)
"""Inside brackets: up to a bracket that opens or closes a level, or an incomplete string."""
_SCALAR_ENDS = re.compile(rb'[\s"\[\]{},:]')


def _whole(levels: int) -> bytes:
    """Return the pattern of a string, or of a list or object of some levels."""
    string = rb'"(?:[^"\\]++|\\.)*+"'
    if not levels:
        return string
    return rb'(?:%b|[\[{](?:[^"\[\]{}]++|%b)*+[\]}])' % (string, _whole(levels - 1))


_ALONE = re.compile(rb"[ \t\n\r]*+(%b)[ \t\n\r]*+" % _whole(3), re.DOTALL)
"""One whole value of at most three levels with white space around it: nearly every chunk, handled in one step."""

_encoder = msgspec.json.Encoder()


def encoded_in_parts(value: Any, levels: int = 4) -> bytes:
    """Return a large value as JSON; lists and objects on the first `levels` levels are encoded item by item.

    No other thread, not even the event loop's, runs while an encoder does; between items they can.
    """
    if levels and isinstance(value, dict):
        fields = (_encoder.encode(name) + b":" + encoded_in_parts(one, levels - 1) for name, one in value.items())
        return b"{" + b",".join(fields) + b"}"
    if levels and isinstance(value, list):
        return b"[" + b",".join(encoded_in_parts(one, levels - 1) for one in value) + b"]"
    return _encoder.encode(value)


class ValueReader:
    """Cuts a stream of bytes into complete JSON values, still as bytes."""

    def __init__(self, *, max_value: int = MAX_VALUE, max_space: int = MAX_SPACE) -> None:
        self._max_value = max_value
        self._max_space = max_space
        self._pieces = bytearray()
        self._space = 0
        """Bytes of white space since the last value."""
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._in_scalar = False
        """True if the last piece ended in a number or word that stands alone."""

    @property
    def pending(self) -> bool:
        """True if a value has begun and is not complete."""
        return bool(self._pieces)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the values that are complete with this chunk; raise RemoteWireError if one passes a bound.

        The iterator must be used up before the next chunk is fed.
        """
        if not self._pieces and (alone := _ALONE.fullmatch(chunk)) is not None:
            begin, end = alone.span(1)
            if self._space + len(chunk) <= self._max_space and end - begin <= self._max_value:
                self._space = len(chunk) - end
                yield chunk[begin:end]
                return
        at = 0
        while at < len(chunk):
            if not self._pieces:
                at = self._skip_space(chunk, at)
                if at == len(chunk):
                    return
            end, complete = self._scan(chunk, at)
            if len(self._pieces) + end - at > self._max_value:
                raise RemoteWireError(too_large("value", self._max_value))
            self._pieces += chunk[at:end]
            at = end
            if complete:
                value = bytes(self._pieces)
                self._pieces.clear()
                yield value

    def close(self) -> bytes | None:
        """Return the number or word that the end of the stream completes.

        Raise RemoteWireError if another value is incomplete.
        """
        if not self._pieces:
            return None
        if self._depth or self._in_string:
            raise RemoteWireError("the stream ended in the middle of a value")
        return bytes(self._pieces)

    def _skip_space(self, chunk: bytes, at: int) -> int:
        """Return the index at which the next value begins, or the end of the chunk."""
        begin = _NOT_SPACE.search(chunk, at)
        end = len(chunk) if begin is None else begin.start()
        self._space += end - at
        if self._space > self._max_space:
            raise RemoteWireError(f"more than {self._max_space:,} bytes of white space")
        if begin is not None:
            self._space = 0
        return end

    def _scan(self, chunk: bytes, at: int) -> tuple[int, bool]:
        """Return the index at which the value ends in this chunk, and True if it is complete."""
        if self._in_scalar:
            return self._scan_scalar(chunk, at)
        while at < len(chunk):
            if self._in_string:
                at = self._scan_string(chunk, at)
                if self._in_string:
                    return at, False
            else:
                if self._depth and (at := _end(_FLAT, chunk, at)) == len(chunk):
                    return at, False
                byte = chunk[at]
                if not self._depth and byte not in b'"[]{}':
                    return self._scan_scalar(chunk, at)
                self._structural(byte)
                at += 1
            if not self._depth and not self._in_string:
                return at, True
        return at, False

    def _structural(self, byte: int) -> None:
        """Process a quote or bracket."""
        if byte == 0x22:
            self._in_string = True
        elif byte in b"[{":
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise RemoteWireError(f"a value is nested deeper than {MAX_DEPTH} levels")
        else:
            self._depth -= 1
            if self._depth < 0:
                raise RemoteWireError("a bracket closes that was never opened")

    def _scan_string(self, chunk: bytes, at: int) -> int:
        """Return the place after a string; the next chunk continues a string that this one cuts."""
        if self._escaped:
            self._escaped = False
            at += 1
        at = _end(_IN_STRING, chunk, at)
        if at == len(chunk):
            return at
        if chunk[at] == 0x22:
            self._in_string = False
        else:
            self._escaped = True
        return at + 1

    def _scan_scalar(self, chunk: bytes, at: int) -> tuple[int, bool]:
        """Return the place after a number or word, and True if it ended; otherwise the next chunk continues it."""
        ends = _SCALAR_ENDS.search(chunk, at)
        self._in_scalar = ends is None
        if ends is None:
            return len(chunk), False
        if ends.start() == at and not self._pieces:
            raise RemoteWireError("a comma or colon stands outside of any value")
        return ends.start(), True


def _end(pattern: re.Pattern[bytes], chunk: bytes, at: int) -> int:
    found = pattern.match(chunk, at)
    assert found is not None  # the patterns match an empty text, too
    return found.end()


def decode(value: bytes) -> Plain:
    """Return the plain value; raise RemoteWireError if the bytes are not JSON."""
    try:
        return msgspec.json.decode(value)
    except UNREADABLE as error:
        raise RemoteWireError(f"not JSON: {printable(error)}") from None


def deeper_than(most: int, value: Plain) -> bool:
    """Return True if lists and objects of a value are nested deeper than `most` levels."""
    level: list[Plain] = [value]
    for _ in range(most):
        level = [
            child
            for item in level
            if isinstance(item, (list, dict))
            for child in (item.values() if isinstance(item, dict) else item)
        ]
    return any(isinstance(item, (list, dict)) for item in level)


def encode_line(value: Any) -> bytes:
    """Return the value as compact JSON with a newline."""
    return _encoder.encode(value) + b"\n"
