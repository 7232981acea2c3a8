"""The reader of concatenated JSON values: any cut into pieces, bounded, linear."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.errors import RemoteWireError
from parlour.net.fish.json.messages import from_player, read
from parlour.net.framing.json_stream import MAX_SPACE, MAX_VALUE, ValueReader, decode, deeper_than, encode_line

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
spaces = st.text(" \t\n\r", max_size=5)


def read_all(text: bytes, cuts: list[int]) -> list[Any]:
    """Return everything the reader makes of the text when it comes in those pieces."""
    reader = ValueReader()
    found: list[Any] = []
    last = 0
    for cut in [*sorted(cuts), len(text)]:
        found += [decode(value) for value in reader.feed(text[last:cut])]
        last = max(last, cut)
    rest = reader.close()
    return found if rest is None else [*found, decode(rest)]


@given(st.lists(st.tuples(plain, spaces), max_size=6), st.lists(st.integers(0, 400), max_size=20), st.booleans())
def test_values_come_back_however_the_stream_is_cut(
    values: list[tuple[Any, str]], cuts: list[int], ascii_only: bool
) -> None:
    text = b""
    for value, space in values:
        between = space or ("" if isinstance(value, (list, dict, str)) else " ")
        # Without space a number or word would run into the one before it.
        before = " " if text and text[-1:] not in b' \t\n\r"]}' and not isinstance(value, (list, dict, str)) else ""
        text += (before + json.dumps(value, ensure_ascii=ascii_only) + between).encode("utf-8", "surrogatepass")
    assert read_all(text, [cut for cut in cuts if cut <= len(text)]) == [value for value, _ in values]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=10))
def test_no_bytes_do_more_than_raise_a_wire_error(text: bytes, cuts: list[int]) -> None:
    with contextlib.suppress(RemoteWireError):
        read_all(text, [cut for cut in cuts if cut <= len(text)])


def test_byte_by_byte_after_many_spaces() -> None:
    reader = ValueReader()
    text = b" " * 2040 + b'[[0,1],[2,3]]\n"skip"'
    found = [value for byte in text for value in reader.feed(bytes([byte]))]
    assert found == [b"[[0,1],[2,3]]", b'"skip"']


@pytest.mark.parametrize("text", [b'""', b'"\\""', b'["",""]', b'{"":""}'])
def test_strings_without_letters_end_where_they_end(text: bytes) -> None:
    assert list(ValueReader().feed(text + text)) == [text, text]
    reader = ValueReader()
    assert [value for byte in text + text for value in reader.feed(bytes([byte]))] == [text, text]


def test_white_space_is_dropped_as_it_comes_up_to_a_bound() -> None:
    reader = ValueReader(max_space=100)
    for _ in range(5):
        assert [list(reader.feed(b" \n" * 10)) for _ in range(5)] == [[]] * 5
        assert not reader.pending
        assert list(reader.feed(b'"adam"')) == [b'"adam"']
    long = b'"' + b"x" * 80 + b'"'
    assert list(reader.feed(long + b" " * 90)) == [long], "only the space counts"
    assert list(reader.feed(b" 1 ")) == [b"1"]
    list(reader.feed(b"\t\r" * 49 + b"\t"))
    with pytest.raises(RemoteWireError, match="more than 100 bytes of white space"):
        list(reader.feed(b" "))


def test_what_is_flat_costs_no_steps_of_our_own() -> None:
    """A mebibyte of numbers or of strings is passed over in a few steps, not one for each."""
    for text in (b"1," * (1 << 19), b'"",' * (1 << 18), b"[0],{}," * (1 << 17), b'"' + b"x" * (1 << 20 - 1) + b'",'):
        reader = ValueReader()
        steps = 0
        structural = reader._structural

        def counted(byte: int) -> None:
            nonlocal steps
            steps += 1
            structural(byte)  # noqa: B023 - used at once

        reader._structural = counted  # type: ignore[method-assign]
        whole = b"[" + text[: (1 << 20) - 3] + b"]"
        pieces = [whole[at : at + (1 << 14)] for at in range(0, len(whole), 1 << 14)]
        for piece in pieces:
            list(reader.feed(piece))
        assert steps <= 4 * len(pieces)


def test_what_players_say_is_one_step_if_it_comes_whole() -> None:
    reader = ValueReader()

    def never(chunk: bytes, at: int) -> tuple[int, bool]:
        raise AssertionError(chunk[at:])

    reader._scan = never  # type: ignore[method-assign]
    for text in (b'"void"', b"[0,1]", b"[[0,1],[2,3]]", b'{"type":"player_respond_move","value":[[0,1],[2,3]]}'):
        assert list(reader.feed(b" \n" + text + b"\n")) == [text]


def test_each_byte_is_looked_at_once() -> None:
    """Trickling a long value costs steps in proportion to its length: no piece is scanned again."""
    reader = ValueReader()
    seen = 0
    scan = reader._scan

    def counted(chunk: bytes, at: int) -> tuple[int, bool]:
        nonlocal seen
        seen += len(chunk) - at
        return scan(chunk, at)

    reader._scan = counted  # type: ignore[method-assign]
    text = b'["' + b"x" * 20_000 + b'\\"",' + b"[1,2]," * 2_000 + b"0]"
    found = [value for byte in text for value in reader.feed(bytes([byte]))]
    assert found == [text]
    assert seen == len(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[" * 100_000, "deeper than 32"),
        (b'{"a":' * 33, "deeper than 32"),
        (b"9" * (MAX_VALUE + 1), "at most 1,048,576 bytes"),
        (b'"' + b"x" * MAX_VALUE, "at most 1,048,576 bytes"),
        (b"[" + b" " * MAX_VALUE, "at most 1,048,576 bytes"),
        (b"]", "never opened"),
        (b"}", "never opened"),
        (b",1", "outside of any value"),
        (b"1 : 2", "outside of any value"),
        (b" " * (MAX_SPACE + 1), "more than 65,536 bytes of white space"),
    ],
)
def test_what_passes_a_bound_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(RemoteWireError, match=message):
        list(ValueReader().feed(text))


def test_a_bound_holds_across_pieces() -> None:
    reader = ValueReader(max_value=100)
    assert [list(reader.feed(piece)) for piece in (b'"', b"x" * 99)] == [[], []]
    with pytest.raises(RemoteWireError, match="at most 100 bytes"):
        list(reader.feed(b"x"))
    numbers = ValueReader(max_value=64)
    assert [list(numbers.feed(b"7")) for _ in range(64)] == [[]] * 64
    with pytest.raises(RemoteWireError, match="at most 64 bytes"):
        list(numbers.feed(b"7"))


@pytest.mark.parametrize("text", [b'"abc', b"[1", b'{"a":1', b'["\\'])
def test_a_stream_that_ends_in_a_value_says_so(text: bytes) -> None:
    reader = ValueReader()
    assert list(reader.feed(text)) == []
    with pytest.raises(RemoteWireError, match="middle of a value"):
        reader.close()


@pytest.mark.parametrize("text", [b'"\xff\xfe"', b"nul", b"[1,]", b"{]", b'{"a"}', b'"\\x"'])
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(RemoteWireError, match="not JSON"):
        read_all(text, [])


def test_a_line_is_one_compact_value() -> None:
    assert encode_line({"type": "x", "value": [1, True]}) == b'{"type":"x","value":[1,true]}\n'
    assert msgspec.json.decode(encode_line("é")) == "é"


@pytest.mark.parametrize("text", [b'{"type": "\\u001b[31mX\\n", "value": 1}', b'{"type": "' + b"x" * 5000 + b'"}'])
def test_an_error_that_quotes_the_peer_is_one_short_line_that_no_terminal_acts_upon(text: bytes) -> None:
    with pytest.raises(RemoteWireError) as raised:
        read(from_player, text)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(("opened", "shut"), [("[", "]"), ('{"a":', "}")])
def test_levels_are_counted_in_lists_and_objects_alike(opened: str, shut: str) -> None:
    value = msgspec.json.decode(opened * 5 + "1" + shut * 5)
    assert deeper_than(4, value)
    assert not deeper_than(5, value)
    assert not deeper_than(0, 1)
