"""The frames of the DAIDE protocol: five kinds, the greeting, and the error codes."""

from __future__ import annotations

from parlour.errors import RemoteWireError

INITIAL, REPRESENTATION, DIPLOMACY, FINAL, ERROR = range(5)
VERSION, MAGIC, SWAPPED = 1, 0xDA10, 0x10DA
FIRST_BODY = 64
"""Maximum bytes of an initial message that are awaited; a valid one has four."""
_FOUR_SWAPPED = 0x0400
_RESERVED = bytes(range(0x58, 0x60))
"""Categories of tokens that must never be sent."""


class Fault(RemoteWireError):
    """A frame that the protocol answers with an error message, after which the connection is closed."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def framed(kind: int, body: bytes = b"") -> bytes:
    """Return a message as it goes over the wire."""
    return bytes((kind, 0)) + len(body).to_bytes(2, "big") + body


GREETING = framed(INITIAL, VERSION.to_bytes(2, "big") + MAGIC.to_bytes(2, "big"))
"""First frame of a client."""


def check_greeting(kind: int, body: bytes) -> None:
    """Raise Fault if this is not a valid first frame of a client."""
    if kind != INITIAL:
        raise Fault(2, "did not begin with an initial message")
    if len(body) != 4:
        raise Fault(9, "sent an initial message of another length")
    magic = int.from_bytes(body[2:4], "big")
    if magic == SWAPPED:
        raise Fault(3, "sent its bytes in the wrong order")
    if magic != MAGIC:
        raise Fault(4, "is not a DAIDE client")
    if int.from_bytes(body[:2], "big") != VERSION:
        raise Fault(5, "uses another version")


def check_message(kind: int, body: bytes) -> None:
    """Raise Fault if a client may not send this frame after its greeting."""
    if kind == INITIAL:
        raise Fault(6, "sent a second initial message")
    if kind == REPRESENTATION:
        raise Fault(0x0D, "sent a representation message")
    _check_form(kind, body)
    if kind == DIPLOMACY and len(body[::2].translate(None, _RESERVED)) < len(body) // 2:
        raise Fault(0x0E, "sent a token that must never be sent")


def check_overlong(kind: int, length: int, *, greeted: bool) -> None:
    """Raise Fault if a too long frame has another error; the protocol has no code for its length."""
    if kind == INITIAL and not greeted and length == _FOUR_SWAPPED:
        raise Fault(3, "sent its bytes in the wrong order")
    if not greeted:
        check_greeting(kind, b"")
    elif kind != DIPLOMACY:
        check_message(kind, b"")


def check_served(kind: int, body: bytes, *, first: bool) -> None:
    """Raise Fault if a server may not send this frame, as its first or later."""
    if kind == INITIAL:
        raise Fault(7, "sent an initial message")
    if kind == REPRESENTATION and not first:
        raise Fault(0x0C, "sent a second representation message")
    if kind == DIPLOMACY and first:
        raise Fault(0x0B, "did not begin with a representation message")
    _check_form(kind, body)


def _check_form(kind: int, body: bytes) -> None:
    if kind > ERROR:
        raise Fault(8, f"sent a message of type {kind}")
    if kind == DIPLOMACY and (len(body) < 2 or len(body) % 2):
        raise Fault(9, "sent a message without a token, or with half of one")
