"""Runs async tests and scenarios, and waits for conditions that no event reports."""

# Why real time passes here: what is waited for happens in another task, thread or process.

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from contextlib import closing
from functools import partial, wraps
from typing import Any, TypeVar

from support.simulation.world import SimulatedLoop

T = TypeVar("T")
Test = Callable[..., Coroutine[Any, Any, None]]

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

    async def in_time() -> T:
        async with asyncio.timeout(PATIENCE):
            return await scenario()

    return asyncio.run(in_time())


def run_simulated(scenario: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a scenario in simulated time, in which waiting takes none."""
    with closing(SimulatedLoop()) as loop:
        return loop.run_until_complete(scenario())


def inside(place: Callable[..., object], /, *more: Any, **options: Any) -> Callable[[Test], Callable[..., None]]:
    """Run an async test as the scenario of a place: a function that sets something up and calls a scenario with it.

    The test's positional parameters are the place's gifts; its keyword-only parameters are fixtures. A place whose
    first parameter is called `path` or `tmp_path` also receives the test's own folder.
    """
    folder = inspect.Parameter("tmp_path", inspect.Parameter.KEYWORD_ONLY)
    wants_path = next(iter(inspect.signature(place).parameters)) in ("path", folder.name)

    def decorate(test: Test) -> Callable[..., None]:
        own = {name: one for name, one in inspect.signature(test).parameters.items() if one.kind is one.KEYWORD_ONLY}

        @wraps(test)
        def run_it(**fixtures: Any) -> None:
            path = [fixtures[folder.name]] if wants_path else []
            place(*path, partial(test, **{name: fixtures[name] for name in own}), *more, **options)

        asked = own | {folder.name: folder} if wants_path else own
        run_it.__signature__ = inspect.Signature(list(asked.values()))  # type: ignore[attr-defined]
        return run_it

    return decorate
