"""Reads a stream of concatenated JSON values within bounds, in time linear in its length, and writes lines of them.

Peers may put any white space between values, or none, and may send a value in any number of pieces down to single
bytes. So the stream is cut by a scanner that looks at each byte once and remembers where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from parlour.core.game import Plain
from parlour.core.text import printable
from parlour.errors import RemoteWireError

MAX_VALUE = 1 << 20
"""Bytes of one value; white space before it does not count."""
MAX_DEPTH = 32
MAX_SCALAR = 64
"""Bytes of a number or word outside strings: enough for any number that a protocol here has."""

"""Characters of what a peer said that are passed on to people."""

_SPACE = b" \t\n\r"
_NOT_SPACE = re.compile(rb"[^ \t\n\r]")
_IN_STRING = re.compile(rb'["\\]')
_OUTSIDE = re.compile(rb'["\[\]{}]|[^\s"\[\]{},:]+')
_SCALAR_ENDS = re.compile(rb'[\s"\[\]{},:]')

_encoder = msgspec.json.Encoder()


class ValueReader:
    """Cuts what is fed into complete JSON values, still as bytes."""

    def __init__(self, *, max_value: int = MAX_VALUE, max_depth: int = MAX_DEPTH) -> None:
        self.max_value = max_value
        self._max_depth = max_depth
        self._pieces = bytearray()
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._scalar = 0
        """Bytes so far of the number or word that the last piece ended in."""

    @property
    def pending(self) -> bool:
        """Whether a value has begun and is not complete."""
        return bool(self._pieces)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The values that are complete with this chunk; RemoteWireError if one passes a bound.

        The iterator must be used up before the next chunk is fed.
        """
        at = 0
        while at < len(chunk):
            if not self._pieces:
                begin = _NOT_SPACE.search(chunk, at)
                if begin is None:
                    return
                at = begin.start()
            end, complete = self._scan(chunk, at)
            if len(self._pieces) + end - at > self.max_value:
                raise RemoteWireError(f"a value is longer than {self.max_value:,} bytes")
            self._pieces += chunk[at:end]
            at = end
            if complete:
                value = bytes(self._pieces)
                self._pieces.clear()
                yield value

    def close(self) -> bytes | None:
        """The number or word that the end of the stream completes; RemoteWireError if something else was begun."""
        if not self._pieces:
            return None
        if self._depth or self._in_string:
            raise RemoteWireError("the stream ended in the middle of a value")
        value = bytes(self._pieces)
        self._pieces.clear()
        self._scalar = 0
        return value

    def _scan(self, chunk: bytes, at: int) -> tuple[int, bool]:
        """Where the value that begins or goes on at the place ends in this chunk, and whether it is complete."""
        while at < len(chunk):
            if self._in_string:
                at = self._scan_string(chunk, at)
                if self._in_string:
                    return at, False
                if not self._depth:
                    return at, True
                continue
            if self._scalar:
                at = self._scan_scalar(chunk, at)
                if self._scalar:
                    return at, False
                if not self._depth:
                    return at, True
                continue
            found = _OUTSIDE.search(chunk, at)
            if found is None:
                return len(chunk), False
            at = found.start()
            if chunk[at] in b'"[]{}':
                at += 1
                if self._structural(chunk[at - 1]):
                    return at, True
            else:
                at = self._scan_scalar(chunk, at)
                if not self._scalar and not self._depth:
                    return at, True
        return at, False

    def _structural(self, byte: int) -> bool:
        """Take in a quote or bracket; whether it completes the value."""
        if byte == 0x22:
            self._in_string = True
        elif byte in b"[{":
            self._depth += 1
            if self._depth > self._max_depth:
                raise RemoteWireError(f"a value is nested deeper than {self._max_depth} levels")
        else:
            self._depth -= 1
            if self._depth < 0:
                raise RemoteWireError("a bracket closes that was never opened")
            return self._depth == 0
        return False

    def _scan_string(self, chunk: bytes, at: int) -> int:
        while at < len(chunk):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            found = _IN_STRING.search(chunk, at)
            if found is None:
                return len(chunk)
            at = found.end()
            if chunk[at - 1] == 0x22:
                self._in_string = False
                return at
            self._escaped = True
        return at

    def _scan_scalar(self, chunk: bytes, at: int) -> int:
        """Past the number or word at the place; it goes on in the next chunk if this one ends in it."""
        ends = _SCALAR_ENDS.search(chunk, at)
        end = len(chunk) if ends is None else ends.start()
        self._scalar += end - at
        if self._scalar > MAX_SCALAR:
            raise RemoteWireError(f"a number or word is longer than {MAX_SCALAR} bytes")
        if ends is not None:
            self._scalar = 0
        return end


def decode(value: bytes) -> Plain:
    """The plain value; RemoteWireError if the bytes are no JSON."""
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RemoteWireError(f"not JSON: {printable(error)}") from None


def encode_line(value: Any) -> bytes:
    """The value as compact JSON and the end of the line."""
    return _encoder.encode(value) + b"\n"
