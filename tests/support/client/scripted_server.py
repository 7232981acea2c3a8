"""A websocket server that answers the `diplomacy` client by a script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from websockets.asyncio.server import ServerConnection, serve

from parlour.net.client import Channel, Connection, NetworkGame, connect
from support.waiting import PATIENCE

HOST = "127.0.0.1"


class ScriptedServer:
    """A server: what it was asked, and what it says when the test wants it to."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sockets: list[ServerConnection] = []

    async def serve(self, socket: ServerConnection) -> None:
        self.sockets.append(socket)
        async for frame in socket:
            self.asked.put_nowait(json.loads(frame))

    async def say(self, **fields: Any) -> None:
        await self.sockets[-1].send(json.dumps(fields))

    async def answer(self, name: str = "ok", *, to: str, **fields: Any) -> dict[str, Any]:
        """Wait for a request of that name and answer it."""
        request = await self.asked.get()
        assert request["name"] == to
        await self.say(name=name, request_id=request["request_id"], **fields)
        return request

    async def notify(self, name: str, token: str = "t", **fields: Any) -> None:
        about = {"notification_id": "n", "token": token, "game_id": "g", "game_role": "FRANCE"}
        await self.say(name=name, **about, **fields)

    def cut(self) -> None:
        self.sockets[-1].transport.abort()


Script = TypeVar("Script", bound=ScriptedServer)

Scene = Callable[[Script, Connection], Awaitable[None]]


def play(scene: Scene[Script], script_of: Callable[[], Script] = ScriptedServer, **how: Any) -> None:  # type: ignore[assignment]
    async def run() -> None:
        script = script_of()
        async with asyncio.timeout(PATIENCE), serve(script.serve, HOST, 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with connect(HOST, port, pause=0.01, **how) as connection:
                await scene(script, connection)

    asyncio.run(run())


async def signed_in(script: ScriptedServer, connection: Connection) -> Channel:
    asking = asyncio.ensure_future(connection.authenticate("anna", "password"))
    await script.answer("data_token", to="sign_in", data="t")
    return await asking


async def joined(script: ScriptedServer, connection: Connection, channel: Channel) -> NetworkGame:
    asking = asyncio.ensure_future(channel.join_game(game_id="g", power_name="FRANCE"))
    powers = {name: {"name": name, "role": "FRANCE", "controller": {"1": "anna"}} for name in ("FRANCE", "ITALY")}
    sheet = {"game_id": "g", "role": "FRANCE", "status": "active", "powers": powers, "phase_abbr": "S1901M"}
    await script.answer("data_game", to="join_game", data=sheet)
    return await asking
