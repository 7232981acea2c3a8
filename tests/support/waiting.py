"""Runs scenarios, and waits for something that no event tells of."""

# Why real time passes here: what is waited for happens in another task, thread or process.

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import closing
from typing import Any, TypeVar

from parlour.testing.simulation import SimulatedLoop

T = TypeVar("T")

PATIENCE = 200.0
"""Seconds after which a test that waits gives up: more than load can cost, less than a test may take."""


async def until(reached: Callable[[], object]) -> None:
    """Wait until something is the case. Raise TimeoutError if it is not in time."""
    async with asyncio.timeout(PATIENCE):
        while not reached():  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
            await asyncio.sleep(0.005)


async def settled() -> None:
    """Let tasks and callbacks do what is due now."""
    for _ in range(10):
        await asyncio.sleep(0)


def run(scenario: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a scenario in real time. Raise TimeoutError if it does not end."""
    return asyncio.run(asyncio.wait_for(scenario(), PATIENCE))


def run_simulated(scenario: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a scenario in simulated time, in which waiting takes none."""
    with closing(SimulatedLoop()) as loop:
        return loop.run_until_complete(scenario())
