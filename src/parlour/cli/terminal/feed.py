"""Standard input that can be ended from here: a thread that reads it would otherwise wait for ever."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable, Iterator

_PIECE = 1 << 16


@contextlib.contextmanager
def endable_input() -> Iterator[Callable[[], None]]:
    """Replace standard input by a pipe that passes all input on; call the yielded function to end it.

    A read that waits in another thread cannot be cancelled, but it returns when the pipe is closed.
    """
    real = os.dup(0)
    out, into = os.pipe()
    woken, wake = os.pipe()
    os.dup2(out, 0)
    os.close(out)
    os.set_blocking(into, False)

    def feed() -> None:
        pending = b""
        while True:
            readable, writable, _ = select.select([woken] if pending else [woken, real], [into] if pending else [], [])
            if woken in readable:
                break
            try:
                if writable:
                    pending = pending[os.write(into, pending) :]
                elif not (pending := os.read(real, _PIECE)):
                    break
            except OSError:  # the reader is gone, or the input has ended
                break
        os.close(into)

    # A daemon: input that is still unread when the program ends is not needed.
    thread = threading.Thread(target=feed, daemon=True, name="standard input")
    thread.start()
    try:
        yield lambda: _write(wake)
    finally:
        _write(wake)
        thread.join()
        os.dup2(real, 0)
        for handle in (real, woken, wake):
            os.close(handle)


def _write(handle: int) -> None:
    os.write(handle, b".")
