"""Lanes: the waiting calls of a player at a live table, in order, and its pending answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

from parlour.referee.match import Ask

Call: TypeAlias = tuple[str, Ask | None, Callable[..., Any], tuple[Any, ...]]
"""The name of a call, its question (None if the call asks nothing), the method and the arguments."""


class Lane:
    """The calls that wait for one player, and the tasks that make them."""

    __slots__ = ("calls", "clogged", "thinking", "turn", "worker")

    def __init__(self) -> None:
        self.calls: deque[Call] = deque()
        self.clogged = False
        self.thinking: asyncio.Future[Any] | None = None
        """The pending answer to the last question; None once it has arrived or is no longer needed."""
        self.turn = 0
        """The turn of the last question."""
        self.worker: asyncio.Task[None] | None = None

    @property
    def open(self) -> int:
        """Number of calls that have not returned."""
        return len(self.calls) + (self.thinking is not None)

    def close(self) -> None:
        """Stop calling the player."""
        self.calls.clear()
        self.give_up()
        if self.worker is not None:
            self.worker.cancel()

    def give_up(self) -> None:
        """Cancel the pending answer, if there is one."""
        if (thinking := self.thinking) is not None:
            self.thinking = None
            thinking.cancel()
