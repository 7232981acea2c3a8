"""Records on disk: one JSON line per event after a line with the format.

A last line that was cut off by a crash is dropped, and RecordReader reports it. Any other line that is not an event
raises a RecordError with its number.
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
"""Events that may hold dicts or lists; all others are immutable."""


class _Header(msgspec.Struct, frozen=True):
    format: str
    version: int
    spec: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """The MatchSpec (matches.spec) of the match, if the writer of the record had one."""


_HEADERS = tuple(_encoder.encode(_Header(FORMAT, version + 1)) + b"\n" for version in range(VERSION))
"""The first line of a record by version; new records have the last."""
_WITH_SPEC = tuple(header.removesuffix(b"}\n") + b',"spec":' for header in _HEADERS)
"""Beginning of the first line of a record that holds a MatchSpec, by version."""


def encode(event: Event) -> bytes:
    """Return an event as a line of JSON, without the newline."""
    return _encoder.encode(event)


def record_lines(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield the lines of a record file, each with its newline."""
    yield _HEADERS[-1]
    for event in events:
        yield _encoder.encode(event) + b"\n"


def decode(line: bytes | str, number: int) -> Event:
    """Return the event in a line of JSON; raise RecordError with `number` if it is not an event."""
    try:
        return _decoder.decode(line)
    except UNREADABLE as error:
        raise RecordError(f"not an event: {error}", number=number) from None


def copied(event: Event) -> Event:
    """Return an event that shares no mutable value with the original, for receivers that may change it."""
    if type(event) not in _CHANGEABLE or (type(event) is ev.Acted and event.action is None):
        return event
    return _unpacker.decode(_packer.encode(event))


class RecordWriter:
    """Appends events to a record file; if durable, events are on disk when write returns."""

    def __init__(self, path: Path | str, *, durable: bool = False, spec: bytes = b"") -> None:
        """Open a file to append to; the header of a new one holds `spec`, the JSON of a MatchSpec, if given."""
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
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class RecordReader:
    """Iterates over the events of a record file; afterwards `dropped` is the last line if a crash cut it off."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.dropped: bytes | None = None
        self.spec = b""
        """The JSON of the MatchSpec; empty if the file has none or is not read yet."""

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
            raise RecordError(f"{self.path.name} is not a record: its first line is not a header") from None
        if header.format != FORMAT or not 1 <= header.version <= VERSION:
            raise RecordError(
                f"{self.path.name} is {header.format!r} version {header.version}, "
                f"expected {FORMAT!r} version 1 to {VERSION}"
            )
        self.spec = b"" if header.spec is msgspec.UNSET else bytes(header.spec)


def is_record(path: Path | str) -> bool:
    """Return True if a file begins as a record does; also if it is empty or its first line is cut off."""
    with open_regular(path) as file:
        start = file.read(len(_HEADERS[-1]))
    return _may_begin(start)


def _may_begin(start: bytes) -> bool:
    """Return True if `start` can be the beginning of a record."""
    plain = any(header.startswith(start) for header in _HEADERS)
    return plain or any(start.startswith(header) or header.startswith(start) for header in _WITH_SPEC)


def read_record(path: Path | str) -> list[Event]:
    """Return all events of a record file; a last line that was cut off is dropped.

    Args:
        path: Record file.

    Raises:
        RecordError: The file is not a record.
        OSError: The file cannot be read, or is not a regular file.
    """
    return list(RecordReader(path))
