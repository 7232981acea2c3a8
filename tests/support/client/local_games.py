"""Games of the `diplomacy` client without a server."""

from __future__ import annotations

from typing import Any

from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.states import write_state
from parlour.net.client.questions import Questions
from parlour.net.mila.protocol_values import (
    DUMMY,
    GamePhase,
    GameSheet,
    GameStatus,
    PowerSheet,
)

STATE = write_state(start())

POWERS = tuple(STATE["units"])


def game_of(role: str = "FRANCE", phase: str = "S1901M", **more: Any) -> Questions:
    """Return a game at its start; France and Italy have players."""
    powers = {
        name: PowerSheet(
            name=name,
            role=role,
            units=STATE["units"][name],
            centers=STATE["centers"][name],
            homes=STATE["homes"][name],
            influence=STATE["influence"][name],
            controller={"5": DUMMY, "7": name.lower()} if name in ("FRANCE", "ITALY") else {"5": DUMMY},
        )
        for name in POWERS
    }
    sheet: dict[str, Any] = {"status": GameStatus.ACTIVE, "powers": powers, "phase_abbr": phase} | more
    return Questions(GameSheet(game_id="g", role=role, **sheet))


def phase_of(name: str, *, orders: dict[str, list[str] | None] | None = None, **more: Any) -> GamePhase:
    state = STATE | {"name": name, "note": f"note of {name}"} | more.pop("state", {})
    return GamePhase(name=name, state=state, orders=orders or {}, **({"results": {}, "messages": []} | more))
