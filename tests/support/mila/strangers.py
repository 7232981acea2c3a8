"""A match with secrets, and strangers who meet there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import websockets

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.hall.people import session_of
from support.mila.house import HOST, House, mila_server
from support.mila.wire import Wire, entered
from support.waiting import PATIENCE

FRANCE, ITALY = Seat("FRANCE"), Seat("ITALY")

SECRET, ORDER = "our secret pact", "A PAR - GAS"

TERMS = Terms(
    HOSTED,
    press=PressTerms(PressMode.ANYTIME, level=8000),
    vacancy=Vacancy.AWAITED,
    seats_to_start=1,
    wait_flags_up=True,
)


async def table(house: House, name: str, agents: dict[Seat, str] | None = None) -> str:
    """A match in which somebody plays France under that name, has ordered, and has written to Italy in secret."""
    owner, ann = session_of(house.hall, "owner"), session_of(house.hall, "ann")
    match = await owner.open(MatchSetup(game="diplomacy", terms=TERMS, match="m", agents=agents or {}))
    assert (await ann.join(match, FRANCE, name=name)).refusal is None
    for intent in (it.Act(FRANCE, [ORDER]), it.Say(FRANCE, SECRET, (ITALY,)), it.Note(FRANCE, SECRET)):
        assert (await ann.submit(match, intent))[0].refusal is None
    return match


def meeting(path: Path, scenario: Callable[[House, Callable[[str], Awaitable[tuple[Wire, str]]]], Any]) -> None:
    async def run() -> None:
        async with mila_server(path) as house, asyncio.timeout(PATIENCE):
            sockets = []

            async def enters(name: str) -> tuple[Wire, str]:
                socket = await websockets.connect(f"ws://{HOST}:{house.port}")
                sockets.append(socket)
                return await entered(socket, name)

            try:
                await scenario(house, enters)
            finally:
                for socket in sockets:
                    await socket.close()

    asyncio.run(run())
