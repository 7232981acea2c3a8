"""Opens regular files only, so that no pipe, terminal or device that a user names can make a reader wait."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

_WAITLESS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def open_regular(path: Path | str) -> io.BufferedReader:
    """Return a regular file opened for reading; raise OSError for anything else, without waiting.

    Opening a pipe waits for its writer, and opening some devices has side effects. So the file is opened without
    waiting, and returned only if it is a regular one.
    """
    number = os.open(path, os.O_RDONLY | _WAITLESS | _BINARY)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_regular(path: Path | str, most: int = -1) -> bytes:
    """Return the bytes of a regular file, at most `most` of them; all by default."""
    with open_regular(path) as file:
        return file.read(most)
