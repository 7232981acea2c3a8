"""A table at which the phase loop of a client plays."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.states import write_state
from parlour.net.client import Connection, NetworkGame
from support.client.scripted_server import ScriptedServer, play, signed_in

STATE = write_state(start())

LONG = 1000.0
"""Seconds for which a bot would talk if nothing else happened."""


def phase_named(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "state": STATE | {"name": name}, "orders": {}, "results": {}, "messages": [], **more}


class Table(ScriptedServer):
    """A game of two press bots, France and Italy, as France's server tells of it."""

    async def seat(self, connection: Connection, phase: str = "S1901M", **more: Any) -> NetworkGame:
        channel = await signed_in(self, connection)
        players = {"FRANCE": "anna", "ITALY": "bert"}
        powers = {
            name: {
                "name": name,
                "role": "FRANCE",
                "units": units,
                "centers": STATE["centers"][name],
                "controller": {"1": players.get(name, "dummy")},
                "player_type": "press_bot" if name in players else "human",
            }
            for name, units in STATE["units"].items()
        }
        sheet = {"game_id": "g", "role": "FRANCE", "status": "active", "powers": powers, "phase_abbr": phase, **more}
        asking = asyncio.ensure_future(channel.join_game(game_id="g", power_name="FRANCE", player_type="press_bot"))
        await self.answer("data_game", to="join_game", data=sheet)
        return await asking

    async def ready(self, power: str, status: str = "ready") -> None:
        await self.notify("power_comm_status_update", power_name=power, comm_status=status)

    async def processed(self, over: str, now: str) -> None:
        await self.notify("game_processed", previous_phase_data=phase_named(over), current_phase_data=phase_named(now))

    async def refuse(self, error: str, *, to: str) -> None:
        await self.answer("error", to=to, error_type=error, message="no")

    async def over(self) -> None:
        await self.notify("game_status_update", status="canceled")

    def nothing_asked(self) -> bool:
        return self.asked.empty()


def at_table(scene: Callable[[Table, Connection], Awaitable[None]]) -> None:
    play(scene, Table)
