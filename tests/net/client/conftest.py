"""The two servers at which our client library is tried: the original one of the `diplomacy` package, and our own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from support.mila.house import mila_server
from support.mila.servers import original_server
from support.waiting import PATIENCE

Scenario: TypeAlias = Callable[[int], Coroutine[Any, Any, None]]
"""A script of a server, given its port."""
Play: TypeAlias = Callable[[Scenario], None]


@pytest.fixture(scope="module")
def original_port() -> Iterator[int]:
    pytest.importorskip("diplomacy")
    with original_server() as found:
        yield found


@pytest.fixture(params=["original", "ours"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    """Plays a scenario at one of the two servers."""

    async def at_ours(scenario: Scenario) -> None:
        async with mila_server(tmp_path) as house, asyncio.timeout(PATIENCE):
            await scenario(house.port)

    async def at_original(scenario: Scenario) -> None:
        async with asyncio.timeout(PATIENCE):
            await scenario(port)

    if request.param == "ours":
        return lambda scenario: asyncio.run(at_ours(scenario))
    port: int = request.getfixturevalue("original_port")
    return lambda scenario: asyncio.run(at_original(scenario))
