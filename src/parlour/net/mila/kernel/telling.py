"""Puts together what one listener is sent of all that waits to be told: a busy door does nothing more often."""

import cython

SHORT = cython.declare(cython.Py_ssize_t, 1024)


def _head(length):
    """What stands before a text of that length that a server sends by a websocket."""
    if length < 126:
        return bytes((0x81, length))
    if length < 1 << 16:
        return b"\x81\x7e" + length.to_bytes(2, "big")
    return b"\x81\x7f" + length.to_bytes(8, "big")


HEADS = cython.declare(list, [_head(length) for length in range(SHORT)])
# Of short texts, which nearly all are.


def framed(text: bytes):
    """The frame of a text."""
    length: cython.Py_ssize_t = len(text)
    return (HEADS[length] if length < SHORT else _head(length)) + text


def frames_for(waiting: list, prefix: bytes, role: str, fork: cython.bint):
    """The frames of all that is for that role and was not caused by who listens with that prefix, one after the other.

    What waits is a tuple: how it goes on after the prefix, in two parts; whether only the fork can read it; the prefix
    of who caused it; and the roles that it is for, None for all.
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
            parts.append(HEADS[length] if length < SHORT else _head(length))
            parts.append(prefix)
            parts.append(begin)
            parts.append(rest)
    return b"".join(parts)
