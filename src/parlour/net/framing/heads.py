"""The head of a websocket frame as a server sends it: without a mask, so that it is the same for all who get it."""

from __future__ import annotations

TEXT, BYTES = 0x81, 0x82
"""The first byte of a whole message of either kind."""


def frame_head(kind: int, length: int) -> bytes:
    """Return the head of a message of that many bytes."""
    if length < 126:
        return bytes((kind, length))
    if length < 1 << 16:
        return bytes((kind, 126)) + length.to_bytes(2, "big")
    return bytes((kind, 127)) + length.to_bytes(8, "big")
