"""JSON from outside, within bounds: as large, as deep and as many as may be, and no more."""

from __future__ import annotations

import io

import pytest

from parlour.cli.options.bounded_json import MAX_BYTES, answer, each_line, each_value, read_stream, read_value
from parlour.errors import NotationError
from parlour.net.framing.json_stream import MAX_DEPTH


def test_a_value_is_read_up_to_a_size() -> None:
    largest = b'"' + b"x" * (MAX_BYTES - 2) + b'"'
    assert read_value(largest) == read_stream(io.BytesIO(largest)) == "x" * (MAX_BYTES - 2)
    for read in (read_value, lambda text: read_stream(io.BytesIO(text))):
        with pytest.raises(NotationError, match=f"too large: at most {MAX_BYTES:,} bytes"):
            read(largest + b" ")


def test_no_more_is_read_of_a_stream_than_tells_that_it_is_too_large() -> None:
    stream = io.BytesIO(b" " * (3 * MAX_BYTES))
    with pytest.raises(NotationError, match="too large"):
        read_stream(stream)
    assert stream.tell() == MAX_BYTES + 1
    with pytest.raises(NotationError, match="JSON"):
        list(each_value(io.BytesIO(b" " * (3 * MAX_BYTES))))
    with pytest.raises(NotationError, match="JSON"):
        list(each_value(io.BytesIO(b"[" + b"1," * MAX_BYTES)))


def test_a_value_is_read_up_to_a_depth() -> None:
    deepest = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    read_value(deepest)
    for nested in (b"[" + deepest + b"]", b"[" * 100_000 + b"]" * 100_000):
        with pytest.raises(NotationError, match=f"nested too deeply: at most {MAX_DEPTH} levels"):
            read_value(nested)


def test_a_line_that_is_too_long_is_answered_as_one_and_the_next_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    lines = b'"' + b"x" * (2 * MAX_BYTES) + b'"\n\n7\n'
    assert [number for number, _ in each_line(io.BytesIO(lines))] == [1, 3]
    answer(io.BytesIO(lines), lambda value: [value], jsonl=True)
    first, second = capsys.readouterr().out.splitlines()
    assert "too large" in first
    assert '"line":1' in first
    assert second == "[7]"
