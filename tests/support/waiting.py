"""Waits for something that no event tells of."""

# Why real time passes here: what is waited for happens in another task, thread or process.

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(reached: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is the case. Raise TimeoutError if it is not in time."""
    async with asyncio.timeout(seconds):
        while not reached():  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
            await asyncio.sleep(0.005)
