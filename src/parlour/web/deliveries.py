"""Messages that pages send again when they do not know whether they arrived: each is taken once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from parlour.core.game import Plain

KEPT = 10_000
"""Answers that are remembered, of all pages."""
LONGEST_KEY = 64


class Deliveries:
    """Answers to messages with a key, by account, match and key. A restart forgets them."""

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str, str], asyncio.Task[Mapping[str, Plain]]] = OrderedDict()

    async def once(
        self, account: str, match: str, key: str, take: Callable[[], Coroutine[Any, Any, Mapping[str, Plain]]]
    ) -> Mapping[str, Plain]:
        """Take a message, or return the answer to it if it was taken before. A failure is not remembered."""
        if not account or not key or len(key) > LONGEST_KEY:
            return await take()
        place = account, match, key
        task = self._answers.get(place)
        if task is None:
            # In a task of its own: the line may be cut while it is taken.
            task = self._answers[place] = asyncio.create_task(take())
            task.add_done_callback(lambda done: self._forget_failure(place, done))
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        return await asyncio.shield(task)

    def _forget_failure(self, place: tuple[str, str, str], task: asyncio.Task[Mapping[str, Plain]]) -> None:
        if (task.cancelled() or task.exception() is not None) and self._answers.get(place) is task:
            del self._answers[place]
