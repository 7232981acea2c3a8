"""Phases that are played until something is there to be read."""

from __future__ import annotations

from parlour.net.client import NetworkGame
from support.waiting import until


async def play_on(master: NetworkGame, *games: NetworkGame) -> None:
    """End a phase, and wait until all have heard of the next."""
    before = master.get_current_phase()
    await master.process()
    await until(lambda: all(game.get_current_phase() != before for game in (master, *games)))
