"""Records on disk: one JSON line per event after a line with the format.

A last line that was cut off by a crash is reported and dropped. Anything else that is not an event in its place is a
RecordError that names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from parlour.core import events as ev
from parlour.core.decoding import UNREADABLE
from parlour.core.events import VERSION, Event
from parlour.errors import RecordError
from parlour.files import open_regular

FORMAT = "parlour record"
MAX_LINE = 16 << 20

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_packer = msgspec.msgpack.Encoder()
_unpacker: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(Event)


_CHANGEABLE = frozenset(
    (ev.Opened, ev.Started, ev.TurnBegan, ev.Acted, ev.Sealed, ev.TurnEnded, ev.PositionSet, ev.Resumed, ev.Ended)
)
"""Events with dicts and lists in them; the others are of values that never change."""


class _Header(msgspec.Struct, frozen=True):
    format: str
    version: int
    spec: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """The order of the match (matches.spec), as the writer of the record gave it."""


_HEADERS = tuple(_encoder.encode(_Header(FORMAT, version + 1)) + b"\n" for version in range(VERSION))
"""The first line of a record of each version; new ones have the last."""
_WITH_SPEC = tuple(header.removesuffix(b"}\n") + b',"spec":' for header in _HEADERS)
"""Beginnings of that line if it holds the order of the match."""


def encode(event: Event) -> bytes:
    """Return an event as a line of JSON, without the line's end."""
    return _encoder.encode(event)


def record_lines(events: Iterable[Event]) -> Iterator[bytes]:
    """The lines of a record file, each with its end."""
    yield _HEADERS[-1]
    for event in events:
        yield _encoder.encode(event) + b"\n"


def decode(line: bytes | str, number: int) -> Event:
    """The event that a line of JSON is; RecordError with its number if it is none."""
    try:
        return _decoder.decode(line)
    except UNREADABLE as error:
        raise RecordError(f"not an event: {error}", number=number) from None


def copied(event: Event) -> Event:
    """An event that shares nothing with the original that could be changed, for someone who may try to."""
    if type(event) not in _CHANGEABLE or (type(event) is ev.Acted and event.action is None):
        return event
    return _unpacker.decode(_packer.encode(event))


class RecordWriter:
    """Appends events to a record file; if durable, events are on disk when write returns."""

    def __init__(self, path: Path | str, *, durable: bool = False, spec: bytes = b"") -> None:
        """Open a file; a new one begins with `spec`, the JSON of what the match is played from, if given."""
        self._durable = durable
        self._file: BinaryIO = Path(path).open("ab")  # noqa: SIM115 - open for as long as the writer is
        if self._file.tell() == 0:
            self._file.write(
                _encoder.encode(_Header(FORMAT, VERSION, msgspec.Raw(spec) if spec else msgspec.UNSET)) + b"\n"
            )

    def write(self, events: Iterable[Event]) -> None:
        """Append events; one flush (and, if durable, one sync) for all of them."""
        self._file.write(b"".join(_encoder.encode(event) + b"\n" for event in events))
        self._file.flush()
        if self._durable:
            os.fdatasync(self._file.fileno())

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class RecordReader:
    """Iterates over the events of a record file; afterwards dropped is what a crash left of a last line."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.dropped: bytes | None = None
        self.spec = b""
        """The JSON of what the match was played from; empty if the file does not say, or is not read yet."""

    def __iter__(self) -> Iterator[Event]:
        with open_regular(self.path) as file:
            header = file.readline(MAX_LINE)
            if not header.endswith(b"\n") and _may_begin(header):
                self.dropped = header or None
                return
            self._refuse_foreign(header)
            number = 0
            while line := file.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise RecordError(f"longer than {MAX_LINE:,} bytes", number=number)
                if not line.endswith(b"\n"):
                    self.dropped = line
                    return
                yield decode(line, number)
                number += 1

    def _refuse_foreign(self, line: bytes) -> None:
        try:
            header = msgspec.json.decode(line, type=_Header)
        except UNREADABLE:
            raise RecordError(f"{self.path.name} is not a record: its first line is no header") from None
        if header.format != FORMAT or not 1 <= header.version <= VERSION:
            raise RecordError(
                f"{self.path.name} is {header.format!r} version {header.version}, "
                f"expected {FORMAT!r} version 1 to {VERSION}"
            )
        self.spec = b"" if header.spec is msgspec.UNSET else bytes(header.spec)


def is_record(path: Path | str) -> bool:
    """Return True if a file is a record, or the empty beginning of one."""
    with open_regular(path) as file:
        start = file.read(len(_HEADERS[-1]))
    return _may_begin(start)


def _may_begin(start: bytes) -> bool:
    """Return True if the first line of a record begins like that."""
    plain = any(header.startswith(start) for header in _HEADERS)
    return plain or any(start.startswith(header) or header.startswith(start) for header in _WITH_SPEC)


def read_record(path: Path | str) -> list[Event]:
    """Return all events of a record file; a cut-off last line is dropped (RecordReader has it).

    Args:
        path: Record file.
    """
    return list(RecordReader(path))
