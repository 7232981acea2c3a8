"""The head of a websocket frame from a server: it has no mask, so all receivers get the same bytes."""

from __future__ import annotations

TEXT, BYTES = 0x81, 0x82
"""First byte of an unfragmented text message, and of a binary one."""


def frame_head(kind: int, length: int) -> bytes:
    """Return the head of a message of that many bytes."""
    if length < 126:
        return bytes((kind, length))
    if length < 1 << 16:
        return bytes((kind, 126)) + length.to_bytes(2, "big")
    return bytes((kind, 127)) + length.to_bytes(8, "big")
