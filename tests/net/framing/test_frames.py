"""Frames that say their own length: any cut into pieces, bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.errors import RemoteWireError
from parlour.net.framing.frames import FrameReader


def frame(kind: int, body: bytes, pad: int = 0) -> bytes:
    return bytes([kind, pad]) + len(body).to_bytes(2, "big") + body


@given(
    st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=300), st.integers(0, 255)), max_size=6),
    st.lists(st.integers(0, 2000), max_size=20),
)
def test_frames_come_back_however_the_stream_is_cut(frames: list[tuple[int, bytes, int]], cuts: list[int]) -> None:
    written = [frame(*each) for each in frames]
    text = b"".join(written)
    reader = FrameReader()
    found: list[bytes] = []
    places = sorted(cut for cut in cuts if cut <= len(text))
    for start, end in zip([0, *places], [*places, len(text)], strict=True):
        found += reader.feed(text[start:end])
    assert found == written
    assert not reader.pending


def test_a_frame_that_says_it_is_too_long_is_refused_before_it_comes() -> None:
    reader = FrameReader(max_body=16)
    assert list(reader.feed(frame(2, b"x" * 16))) == [frame(2, b"x" * 16)]
    assert list(reader.feed(b"\x02\x00\x00")) == []
    assert reader.pending
    with pytest.raises(RemoteWireError, match="at most 16 bytes"):
        list(reader.feed(b"\x11"))


@pytest.mark.parametrize(("first", "second"), [(256, 252), (0, 0), (1, 0), (255, 253), (512, 508)])
def test_two_frames_in_one_piece_are_two_whatever_their_lengths_add_up_to(first: int, second: int) -> None:
    frames = [frame(2, b"x" * first), frame(2, b"y" * second)]
    assert list(FrameReader().feed(b"".join(frames))) == frames
    assert list(FrameReader().feed(frames[0])) == frames[:1]
