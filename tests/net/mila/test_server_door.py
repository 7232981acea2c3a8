"""The door on the HTTP server's own port: who is let in, and that clients play there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import websockets

from parlour.net.client import connect
from support.mila.house import HOST, mila_server
from support.waiting import inside


def at_the_door(path: Path, scenario: Callable[[int], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with mila_server(path, origins=["https://trusted.example"]) as house:
            return await scenario(house.port)

    return asyncio.run(run())


@inside(at_the_door)
async def test_a_client_plays_on_the_port_of_pages(port: int) -> None:
    async with connect(HOST, port) as connection:
        channel = await connection.authenticate("anna", "password")
        game = await channel.create_game(game_id="g", power_name="FRANCE", n_controls=1, deadline=0)
        await game.set_orders(orders=["A PAR - BUR"])
        assert game.get_orders("FRANCE") == ["A PAR - BUR"]


@pytest.mark.parametrize(
    ("origin", "let_in"),
    [
        (None, True),
        ("null", True),
        (f"http://{HOST}", True),
        (f"http://{HOST}:9", True),
        ("https://trusted.example", True),
        ("https://evil.example", False),
        (f"https://{HOST}.evil.example", False),
    ],
)
def test_pages_of_other_sites_are_not_let_in(tmp_path: Path, origin: str | None, let_in: bool) -> None:
    async def scenario(port: int) -> bool:
        try:
            async with websockets.connect(f"ws://{HOST}:{port}/", origin=origin) as socket:  # type: ignore[arg-type]
                await socket.send("[]")
                return "JSON object" in str(await socket.recv())
        except websockets.InvalidStatus:
            return False

    assert at_the_door(tmp_path, scenario) is let_in


@inside(at_the_door)
async def test_a_frame_that_is_too_long_closes_that_socket_only(port: int) -> None:
    async with connect(HOST, port) as other:
        channel = await other.authenticate("anna", "password")
        async with websockets.connect(f"ws://{HOST}:{port}/") as socket:
            await socket.send("x" * (2 << 20))
            with pytest.raises(websockets.ConnectionClosed):
                await socket.recv()
        assert await channel.list_games() == []
