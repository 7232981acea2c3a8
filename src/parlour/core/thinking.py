"""Checkpoints in long computations of agents, at which the caller can delay or stop the agent.

An agent cannot see that its turn is over, or that other agents wait for their share of the machine; its caller can. So
agents call `checkpoint` every few milliseconds, and kernels `is_stopped`; the caller decides what happens there.
Outside of `watched_thought` both do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from parlour.errors import ThinkingStopped

_check: ContextVar[Callable[[], bool] | None] = ContextVar("check", default=None)


@contextmanager
def watched_thought(check: Callable[[], bool]) -> Iterator[None]:
    """Call `check` at each checkpoint of this thread while the block runs; it may wait. True stops the agent."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def is_stopped() -> bool:
    """Return True if the agent is to stop, because nobody waits for its result. May wait while other agents run."""
    check = _check.get()
    return check is not None and check()


def checkpoint() -> None:
    """Raise ThinkingStopped if the agent is to stop."""
    if is_stopped():
        raise ThinkingStopped("nobody waits for this thought any more")
