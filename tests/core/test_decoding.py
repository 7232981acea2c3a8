"""Whatever bytes are decoded, what that raises is in the list."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core.decoding import UNREADABLE

DEEP = 100_000


class Form(msgspec.Struct):
    """Something to read."""

    number: int
    text: str = ""


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b'{"number": "x"}', b'{"number": 1, "text": "\xff"}', b'{"more": ' + b"[" * DEEP + b"]" * DEEP],
    ids=["nothing", "cut off", "a list", "no number", "no text", "deep"],
)
def test_json_that_cannot_be_read(text: bytes) -> None:
    with pytest.raises(UNREADABLE):
        msgspec.json.decode(text, type=Form)


@pytest.mark.parametrize(
    "body",
    [b"", b"\xc1", b"\x82\xa6number\x01\xa4text\xa1\xff", b"\x81\xa4more" + b"\x91" * DEEP + b"\x01"],
    ids=["nothing", "never used", "no text", "deep"],
)
def test_message_pack_that_cannot_be_read(body: bytes) -> None:
    with pytest.raises(UNREADABLE):
        msgspec.msgpack.decode(body, type=Form)
