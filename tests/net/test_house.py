"""Agents of the house in matches whose terms they know nothing of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.core.events import Ended
from parlour.core.terms import Terms
from parlour.core.viewers import SPECTATOR
from parlour.games.diplomacy.game import GAME
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.store import SQLiteStore


@pytest.mark.parametrize("flags_up", [True, False])
def test_wait_flags_that_are_up_at_first_do_not_stop_a_match_of_the_house(tmp_path: Path, flags_up: bool) -> None:
    async def scenario() -> None:
        with SQLiteStore(tmp_path / "house.db") as store:
            hall = Hall(store)
            await hall.start()
            agents = dict.fromkeys(GAME.seats({}), "hold")
            terms = Terms(conduct=HOSTED, wait_flags_up=flags_up)
            setup = MatchSetup(game="diplomacy", terms=terms, config={"last_year": 1901}, agents=agents)
            match = await hall.open(setup)
            over = asyncio.Event()
            await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None, 0)
            await asyncio.wait_for(over.wait(), 30)
            assert (await hall.view(match, SPECTATOR)).turn == 2
            refused = hall.counts["intents refused"]
            await hall.close()
            assert refused == 0

    asyncio.run(scenario())
