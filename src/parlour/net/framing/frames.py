"""Cuts a stream into frames whose header of four bytes holds their length."""

from __future__ import annotations

from collections.abc import Iterator

from parlour.core.text import too_large
from parlour.errors import RemoteWireError

HEADER = 4
"""Bytes before the body: one for the kind, one unused, and two for the length of the body, big-endian."""
MAX_BODY = 1 << 14
"""Maximum bytes of a body; the longest valid message, all orders of a power or a long proposal, is far shorter."""


class OverlongFrame(RemoteWireError):
    """A frame that announces a body above the maximum."""

    def __init__(self, kind: int, length: int, most: int) -> None:
        super().__init__(too_large("frame", most))
        self.kind, self.length = kind, length


class FrameReader:
    """Cuts a stream into whole frames, each with its header; `max_body` may be changed between two frames."""

    def __init__(self, *, max_body: int = MAX_BODY) -> None:
        self.max_body = max_body
        self._pieces = bytearray()

    @property
    def pending(self) -> bool:
        """True if a frame has begun and is not complete."""
        return bool(self._pieces)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the frames that this chunk completes; raise OverlongFrame once a header announces too long a body.

        The iterator must be used up before the next chunk is fed.
        """
        pieces = self._pieces
        if not pieces and HEADER <= len(chunk) <= HEADER + self.max_body:
            if len(chunk) == HEADER + (chunk[2] << 8 | chunk[3]):  # the usual case: the chunk is exactly one frame
                yield chunk
                return
        pieces += chunk
        at = 0
        while len(pieces) - at >= HEADER:
            length = int.from_bytes(pieces[at + 2 : at + HEADER], "big")
            if length > self.max_body:
                raise OverlongFrame(pieces[at], length, self.max_body)
            end = at + HEADER + length
            if end > len(pieces):
                break
            yield bytes(pieces[at:end])
            at = end
        del pieces[:at]
