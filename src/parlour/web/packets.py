"""Messages for pages, ready to be sent: made once, however many pages get them; packed where that is worth it."""

from __future__ import annotations

import gzip
from typing import Any, TypeAlias

import msgspec

Packet: TypeAlias = dict[str, Any]
"""A message as the server sends it: JSON as text, or the same packed as bytes; and whole, as the socket writes it."""

WORTH = 1400
"""Bytes that one packet of the network takes: what is shorter gains nothing by being packed."""


def packet(value: object) -> Packet:
    """A value for a page."""
    plain = msgspec.json.encode(value)
    if len(plain) < WORTH:
        return {"type": "websocket.send", "text": plain.decode(), "frame": _framed(0x81, plain)}
    packed = gzip.compress(plain, 4, mtime=0)
    return {"type": "websocket.send", "bytes": packed, "frame": _framed(0x82, packed)}


def unpacked(message: Packet) -> Any:
    """What is in a packet."""
    return msgspec.json.decode(message["text"] if "text" in message else gzip.decompress(message["bytes"]))


def _framed(kind: int, body: bytes) -> bytes:
    """A message as a websocket writes it; what a server says has no mask, so that it is the same for all."""
    size = len(body)
    if size < 126:
        return bytes((kind, size)) + body
    return (
        bytes((kind, 126)) + size.to_bytes(2, "big") + body
        if size < 1 << 16
        else (bytes((kind, 127)) + size.to_bytes(8, "big") + body)
    )
