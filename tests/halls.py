"""A hall that is open for as long as a test's story takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from parlour.net.hall import Hall
from parlour.store import SQLiteStore


def in_a_hall(path: Path, *stories: Callable[[Hall], Awaitable[Any]], **more: Any) -> Any:
    """What the last story gives; with several, a server is started again and again on one store."""

    async def told(story: Callable[[Hall], Awaitable[Any]]) -> Any:
        with SQLiteStore(path / "hall.db") as store:
            hall = Hall(store, **more)
            await hall.start()
            try:
                return await story(hall)
            finally:
                await hall.close()

    return [asyncio.run(told(story)) for story in stories][-1]
