"""Agents of the house in matches whose terms they know nothing of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.core.events import Acted, Ended, TurnEnded
from parlour.core.player import Told
from parlour.core.terms import Clock, Terms
from parlour.core.viewers import OMNISCIENT, SPECTATOR
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


def test_a_match_that_is_paced_takes_its_time_though_all_have_acted(tmp_path: Path) -> None:
    async def scenario() -> None:
        with SQLiteStore(tmp_path / "house.db") as store:
            hall = Hall(store)
            await hall.start()
            agents = dict.fromkeys(GAME.seats({}), "hold")
            terms = Terms(conduct=HOSTED, clock=Clock(per_turn=600), wait_flags_up=True)
            match = await hall.open(MatchSetup(game="diplomacy", terms=terms, agents=agents, paced=True))
            acted: set[str] = set()
            done = asyncio.Event()

            def told(one: Told) -> None:
                if isinstance(one.event, Acted):
                    acted.add(one.event.seat)
                if len(acted) == len(agents) or isinstance(one.event, TurnEnded):
                    done.set()

            await hall.watch(match, OMNISCIENT, told, 0)
            await asyncio.wait_for(done.wait(), 30)
            assert not any(isinstance(event, TurnEnded) for event in await hall.record(match))
            assert (await hall.view(match, SPECTATOR)).turn == 1
            await hall.close()

    asyncio.run(scenario())
