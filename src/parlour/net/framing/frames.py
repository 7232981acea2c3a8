"""Cuts a stream into frames that say their own length in a header of four bytes."""

from __future__ import annotations

from collections.abc import Iterator

from parlour.core.text import too_large
from parlour.errors import RemoteWireError

HEADER = 4
"""Bytes before the body: a kind, one that means nothing, and two that count the body, the higher first."""
MAX_BODY = 1 << 14
"""Bytes of a body; the longest lawful message, all orders of a power or a long proposal, is a fraction of it."""


class OverlongFrame(RemoteWireError):
    """A frame says that it is longer than any may be."""

    def __init__(self, kind: int, length: int, most: int) -> None:
        super().__init__(too_large("frame", most))
        self.kind, self.length = kind, length


class FrameReader:
    """Cuts what is fed into whole frames, each with its header; how long they may be can be changed between two."""

    def __init__(self, *, max_body: int = MAX_BODY) -> None:
        self.max_body = max_body
        self._pieces = bytearray()

    @property
    def pending(self) -> bool:
        """True if a frame has begun and is not complete."""
        return bool(self._pieces)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Return the frames that this chunk completes; OverlongFrame as soon as a header announces too long a body.

        The iterator must be used up before the next chunk is fed.
        """
        pieces = self._pieces
        if not pieces and HEADER <= len(chunk) <= HEADER + self.max_body:
            if len(chunk) == HEADER + (chunk[2] << 8 | chunk[3]):  # as nearly always: one frame, and nothing else
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
