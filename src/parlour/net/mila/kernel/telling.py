"""Builds the frame of waiting notifications for one listener, the most frequent work of a busy door."""

import cython

from parlour.net.framing.heads import TEXT, frame_head

SHORT = cython.declare(cython.Py_ssize_t, 1024)
HEADS = cython.declare(list, [frame_head(TEXT, length) for length in range(SHORT)])
# The heads of frames with short texts, by length: nearly all texts are short.


def framed(text: bytes) -> bytes:
    """Return the frame of a text."""
    length: cython.Py_ssize_t = len(text)
    return (HEADS[length] if length < SHORT else frame_head(TEXT, length)) + text


def frames_for(waiting: list, prefix: bytes, role: str, fork: cython.bint) -> bytes:
    """Return the frames for a role, joined, without those that the listener with that prefix caused.

    A waiting notification is a tuple: its text after the prefix, in two parts; True if only the fork can read it; the
    prefix of its cause; and its roles, None for all.
    """
    size: cython.Py_ssize_t = len(prefix)
    length: cython.Py_ssize_t
    one: tuple
    begin: bytes
    rest: bytes
    parts: list = []
    for one in waiting:
        begin = one[0]
        rest = one[1]
        roles = one[4]
        if (roles is None or role in roles) and (fork or not one[2]) and one[3] != prefix:
            length = size + len(begin) + len(rest)
            parts.append(HEADS[length] if length < SHORT else frame_head(TEXT, length))
            parts.append(prefix)
            parts.append(begin)
            parts.append(rest)
    return b"".join(parts)
