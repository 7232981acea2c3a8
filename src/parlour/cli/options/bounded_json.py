"""Reads JSON from outside within bounds: size, depth, one value or one per line, with errors that name the place."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

import click
import msgspec

from parlour.cli.options.kinds import flag
from parlour.core.game import Plain
from parlour.errors import NotationError, ParlourError, RemoteWireError
from parlour.net.framing.json_stream import MAX_DEPTH, ValueReader, deeper_than

MAX_BYTES = 1 << 20
jsonl_option = flag("--jsonl", "Read one position per line and answer each; an invalid line gets its error.")

_MARK = b"\xef\xbb\xbf"
"""The byte order mark that some editors put before a text."""


def read_value(text: bytes) -> Plain:
    """Return the one JSON value in text; raise NotationError if it is not JSON, too large or too deep.

    A byte order mark at the beginning is skipped.
    """
    if len(text) > MAX_BYTES:
        raise _too_large()
    text = text.removeprefix(_MARK)
    if not text.strip():
        raise NotationError("input is not JSON: expected one JSON value, got nothing")
    try:
        value = msgspec.json.decode(text)
    except UnicodeDecodeError:
        raise NotationError("input is not JSON: expected UTF-8, got other bytes") from None
    except msgspec.DecodeError as error:
        raise NotationError(f"input is not JSON: {error}{_near(text, str(error))}") from None
    except RecursionError:
        raise _too_deep() from None
    if deeper_than(MAX_DEPTH, value):
        raise _too_deep()
    return value


def read_stream(stream: BinaryIO) -> Plain:
    """Return the one JSON value in a stream, of which at most MAX_BYTES + 1 bytes are read."""
    return read_value(stream.read(MAX_BYTES + 1))


def each_line(stream: BinaryIO, *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines, with blank ones if wanted; of a line beyond the bound only its beginning."""
    number = 0
    while line := stream.readline(MAX_BYTES + 2):
        number += 1
        rest = line
        while len(line) > MAX_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_BYTES)
            if not rest:
                break
        if blank or line.strip():
            yield number, line


def each_value(stream: BinaryIO) -> Iterator[Plain]:
    """Yield the JSON values of a stream, each as soon as it is whole, so that a waiting sender gets its answer."""
    reader = ValueReader(max_value=MAX_BYTES)
    begun, since = False, 0
    try:
        while chunk := cast(io.BufferedIOBase, stream).read1(1 << 16):
            since += len(chunk)
            for text in reader.feed(chunk):
                if begun or text != _MARK:
                    yield read_value(text)
                begun, since = True, 0
            if since > MAX_BYTES:
                raise _too_large()
        if (last := reader.close()) is not None or not begun:
            yield read_value(last or b"")
    except RemoteWireError as error:
        raise NotationError(f"input is not JSON: {error}, expected one JSON value") from None


def answer(stream: BinaryIO, reply: Callable[[Plain], Plain], *, jsonl: bool) -> None:
    """Print the reply to each value of a stream; with jsonl, each line is one value, and a bad line gets its error."""
    if not jsonl:
        for value in each_value(stream):
            click.echo(msgspec.json.encode(reply(value)))
        return
    for number, line in each_line(stream):
        try:
            value = reply(read_value(line))
        except ParlourError as error:
            value = {"error": str(error), "line": number}
        click.echo(msgspec.json.encode(value))


def _too_large() -> NotationError:
    return NotationError(f"input is too large: at most {MAX_BYTES:,} bytes are read, expected one JSON value")


def _too_deep() -> NotationError:
    return NotationError(f"input is nested too deeply: at most {MAX_DEPTH} levels")


def _near(text: bytes, message: str) -> str:
    """Return the text where the decoder stopped; empty if its message does not give the place."""
    _, found, rest = message.rpartition("(byte ")
    place = int(rest.rstrip(")")) if found and rest.rstrip(")").isdigit() else len(text)
    there = text[place : place + 20].decode("utf-8", "replace").strip()
    return f", near {there!r}, expected a JSON value" if there else ""
