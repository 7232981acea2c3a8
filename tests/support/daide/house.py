"""A hall with a DAIDE door on a real socket, for tests, and seven clients who have sat down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from parlour.store import open_store
from support.daide.table import POWERS
from support.daide.wire import DaideLine
from support.waiting import PATIENCE

Scene = Callable[[DaideDoor, Hall], Awaitable[None]]


@asynccontextmanager
async def house(path: Path, options: DaideOptions | None = None, **more: Any) -> AsyncIterator[tuple[DaideDoor, Hall]]:
    """Yield a hall with a DAIDE door; closed as a server closes."""
    store = open_store(str(path / "store.db"))
    hall = Hall(store)
    await hall.start()
    door = DaideDoor(hall, options, **more)
    await door.open()
    try:
        yield door, hall
    finally:
        await door.close()
        await hall.close()
        store.close()


def run(path: Path, scene: Scene, options: DaideOptions | None = None, **more: Any) -> None:
    async def whole() -> None:
        async with asyncio.timeout(PATIENCE), house(path, options, **more) as (door, hall):
            try:
                await scene(door, hall)
            finally:
                await DaideLine.hang_up()

    asyncio.run(whole())


async def seven(door: DaideDoor) -> dict[str, DaideLine]:
    """Return all seats taken; each has heard HLO, SCO and NOW."""
    lines = [await DaideLine.open(door.port) for _ in POWERS]
    for number, line in enumerate(lines):
        await line.sit(f"bot{number}")
    found = {}
    for line in lines:
        hello, supply, now = await line.hear(), await line.hear(), await line.hear()
        assert supply.startswith("SCO ( AUS")
        assert now.startswith("NOW ( SPR 1901 )")
        found[hello.split()[2]] = line
    assert sorted(found) == sorted(POWERS)
    return found
