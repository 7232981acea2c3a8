"""Checkpoints of long thoughts: an agent passes them while it thinks, and its caller can hold it up or end it there.

An agent that is asked by a match whose turn is over, or that others wait for, does not see that. Its caller does. So
agents call `checkpoint` every few milliseconds, and kernels `is_stopped`; what happens there is the caller's affair.
Outside of a thought that somebody watches, both do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from parlour.errors import ThinkingStopped

_check: ContextVar[Callable[[], bool] | None] = ContextVar("check", default=None)


@contextmanager
def watched_thought(check: Callable[[], bool]) -> Iterator[None]:
    """Call `check` at each checkpoint of this thread while the block runs; it may wait; False means continue."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def is_stopped() -> bool:
    """Return True if the thought is to end, since nobody waits for it. May wait until others have had their turn."""
    check = _check.get()
    return check is not None and check()


def checkpoint() -> None:
    """Raise ThinkingStopped if the thought is to end."""
    if is_stopped():
        raise ThinkingStopped("nobody waits for this thought any more")
