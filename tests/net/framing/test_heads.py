"""Heads of frames: the same bytes as the websocket library writes, wherever they are used."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode

from parlour.net.framing.heads import BYTES, TEXT, frame_head
from parlour.net.mila.kernel.telling import framed
from parlour.web.packets import packet, unpacked

LENGTHS = [0, 1, 125, 126, 127, 1023, 1024, 65_535, 65_536, 100_000]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("kind", "opcode"), [(TEXT, Opcode.TEXT), (BYTES, Opcode.BINARY)])
def test_a_head_is_that_of_the_library(kind: int, opcode: Opcode, length: int) -> None:
    body = b"x" * length
    assert frame_head(kind, length) + body == Frame(opcode, body).serialize(mask=False)


@pytest.mark.parametrize("length", LENGTHS)
def test_texts_of_the_busiest_door_have_it(length: int) -> None:
    text = b"x" * length
    assert framed(text) == frame_head(TEXT, length) + text


@pytest.mark.parametrize("length", [0, 123, 124, 1000, 5000, 200_000])
def test_messages_to_pages_have_it_short_or_packed(length: int) -> None:
    message = packet("x" * length)
    body = message["text"].encode() if "text" in message else message["bytes"]
    assert message["frame"] == frame_head(TEXT if "text" in message else BYTES, len(body)) + body
    assert unpacked(message) == "x" * length
