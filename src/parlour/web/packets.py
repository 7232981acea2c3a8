"""Messages for pages, ready to send: made once for all pages, and compressed if that is worthwhile."""

from __future__ import annotations

import gzip
from typing import Any, TypeAlias

import msgspec

from parlour.net.framing.heads import BYTES, TEXT, frame_head

Packet: TypeAlias = dict[str, Any]
"""A message as the server sends it: JSON as text, or compressed as bytes; with its frame as the socket writes it."""

WORTH = 1400
"""Bytes of a network packet: compressing anything shorter gains nothing."""


def packet(value: object) -> Packet:
    """Return a value as a websocket message: text if it is short, otherwise compressed bytes."""
    plain = msgspec.json.encode(value)
    if len(plain) < WORTH:
        return {"type": "websocket.send", "text": plain.decode(), "frame": frame_head(TEXT, len(plain)) + plain}
    packed = gzip.compress(plain, 4, mtime=0)
    return {"type": "websocket.send", "bytes": packed, "frame": frame_head(BYTES, len(packed)) + packed}


def unpacked(message: Packet) -> Any:
    """Return the content of a packet."""
    return msgspec.json.decode(message["text"] if "text" in message else gzip.decompress(message["bytes"]))
