"""Waits for something that no event tells of."""

# Why real time passes here: what is waited for happens in another task, thread or process.

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE = 200.0
"""Seconds after which a test that waits gives up: more than load can cost, less than a test may take."""


async def until(reached: Callable[[], object]) -> None:
    """Wait until something is the case. Raise TimeoutError if it is not in time."""
    async with asyncio.timeout(PATIENCE):
        while not reached():  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
            await asyncio.sleep(0.005)
