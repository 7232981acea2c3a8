"""Lanes: the waiting calls of a player at a live table, in order, and the answer that it owes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

from parlour.referee.match import Ask

Call: TypeAlias = tuple[str, Ask | None, Callable[..., Any], tuple[Any, ...]]
"""The name of a call, the question if it is one, and the method with its arguments."""


class Lane:
    """The calls that wait for one player, and the tasks that make them."""

    __slots__ = ("calls", "clogged", "thinking", "turn", "worker")

    def __init__(self) -> None:
        self.calls: deque[Call] = deque()
        self.clogged = False
        self.thinking: asyncio.Future[Any] | None = None
        """The answer to the question that it was asked last, as long as that is of interest and has not come."""
        self.turn = 0
        """The turn that it was last asked about."""
        self.worker: asyncio.Task[None] | None = None

    @property
    def open(self) -> int:
        """Calls that have not come back; once it is closed they never do."""
        return len(self.calls) + (self.thinking is not None)

    def close(self) -> None:
        """Stop calling the player."""
        self.calls.clear()
        self.give_up()
        if self.worker is not None:
            self.worker.cancel()

    def give_up(self) -> None:
        """Drop the answer."""
        if (thinking := self.thinking) is not None:
            self.thinking = None
            thinking.cancel()
