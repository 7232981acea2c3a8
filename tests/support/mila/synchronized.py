"""People who leave a table, come back and ask what they missed."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import websockets

from support.mila.house import HOST, House, mila_server
from support.mila.wire import Wire, entered
from support.waiting import PATIENCE

GAME, PHASE = "g", "S1901M"

Frame = dict[str, Any]


class Person:
    """Somebody with a token, on one socket after the other."""

    def __init__(self, port: int, name: str) -> None:
        self.port, self.name, self.token = port, name, ""
        self.wire: Wire

    async def connect(self) -> None:
        self.wire = Wire(await websockets.connect(f"ws://{HOST}:{self.port}/"))

    async def sign_in(self) -> Person:
        await self.connect()
        self.wire, self.token = await entered(self.wire.socket, self.name)
        return self

    async def ask(self, name: str, **fields: Any) -> Frame:
        number = len(self.wire.frames)
        return await self.wire.ask({"request_id": f"{name} {number}", "name": name, "token": self.token, **fields})

    async def play(self, name: str, role: str, **fields: Any) -> Frame:
        return await self.ask(name, **{"game_id": GAME, "game_role": role, "phase": PHASE, **fields})

    async def come_back(self, role: str, since: int = 0) -> tuple[Frame, list[Frame]]:
        """Connect again and synchronise; what is answered, and what is told."""
        await self.wire.socket.close()
        await self.connect()
        answer = await self.play("synchronize", role, timestamp=since)
        return answer, await self.heard()

    async def heard(self) -> list[Frame]:
        """Return the notifications on this socket so far."""
        await self.ask("get_games_info", games=[])
        return [frame for frame in self.wire.frames if "notification_id" in frame]


def names(frames: list[Frame]) -> list[str]:
    return [frame["name"] for frame in frames]


def of(frames: list[Frame], name: str) -> list[Frame]:
    return [frame for frame in frames if frame["name"] == name]


Scenario = Callable[[House, Person, Person, Person], Awaitable[None]]


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., None]:
    """Runs a scenario at a table of a moderator, France and England."""

    async def run(scenario: Scenario, setup: Frame) -> None:
        async with mila_server(tmp_path) as house, asyncio.timeout(PATIENCE):
            anna, bert, host = [await Person(house.port, name).sign_in() for name in ("anna", "bert", "host")]
            await host.ask(
                "create_game",
                game_id=GAME,
                n_controls=2,
                deadline=0,
                map_name="standard",
                rules=["POWER_CHOICE"],
                **setup,
            )
            password = setup.get("registration_password")
            for person, power in ((anna, "FRANCE"), (bert, "ENGLAND")):
                await person.ask("join_game", game_id=GAME, power_name=power, registration_password=password)
            await scenario(house, anna, bert, host)

    return lambda scenario, **setup: asyncio.run(run(scenario, setup))


def said(recipient: str, text: str, phase: str = PHASE, sender: str = "ENGLAND") -> Frame:
    return {"sender": sender, "recipient": recipient, "phase": phase, "message": text, "time_sent": None}
