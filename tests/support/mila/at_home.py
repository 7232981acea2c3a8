"""A server with our own client signed in, and tables for two."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from parlour.net.client import Channel, Connection, NetworkGame, connect, strings
from support.mila.house import HOST, House, mila_server
from support.waiting import PATIENCE, until


def at_home(path: Path, scenario: Callable[[House, Connection], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with mila_server(path) as house, connect(HOST, house.port, pause=0.05) as connection:
            async with asyncio.timeout(PATIENCE):
                return await scenario(house, connection)

    return asyncio.run(run())


async def sign_in(connection: Connection, name: str) -> Channel:
    return await connection.authenticate(name, "password")


async def table_for_two(connection: Connection, **setup: Any) -> tuple[NetworkGame, NetworkGame, NetworkGame]:
    """Return a moderator, France and England."""
    setup = {"n_controls": 2, "deadline": 0, "rules": ["POWER_CHOICE"], **setup}
    master = await (await sign_in(connection, "host")).create_game(game_id="two", **setup)
    bot = strings.PRESS_BOT
    france = await (await sign_in(connection, "anna")).join_game(game_id="two", power_name="FRANCE", player_type=bot)
    england = await (await sign_in(connection, "bert")).join_game(game_id="two", power_name="ENGLAND", player_type=bot)
    await until(lambda: all(game.is_game_active for game in (master, france, england)))
    return master, france, england
