"""One connection of a DAIDE client: where it comes from, and what becomes of its seat when it is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.net.daide.door import DaideDoor
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.daide.table import DaideTable, at_table
from support.daide.wire import DaideLine
from support.waiting import inside, until


@asynccontextmanager
async def opened(at: DaideTable) -> AsyncIterator[DaideDoor]:
    door = DaideDoor(at.hall)
    await door.open()
    try:
        async with DaideLine.hung_up_at_the_end():
            yield door
    finally:
        await door.close()


@inside(at_table)
async def test_from_where_a_client_is_connected_is_told_without_its_port(at: DaideTable) -> None:
    async with opened(at) as door:
        line = await DaideLine.open(door.port)
        (caller,) = door._callers
        assert caller._address() == "127.0.0.1"
        assert await line.ask("OBS") == "YES ( OBS )"


@inside(at_table)
async def test_who_hangs_up_while_its_press_waits_for_a_window_has_left(at: DaideTable) -> None:
    """A press bot that never gets ready keeps the window shut."""
    press = PressTerms(PressMode.WINDOW, level=10, window=30.0)
    terms = Terms(HOSTED, press=press, seats_to_start=0, vacancy=Vacancy.DEFAULT)
    await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="w"))
    await at.hall.submit("w", it.Join("silent", Seat("ITALY"), PlayerType.PRESS_BOT))
    hosted = await at.hall.wake("w")
    async with opened(at) as door:
        line = await DaideLine.open(door.port)
        await line.sit("FRA:bot@w")
        await until(lambda: hosted.match.state.places[Seat("FRANCE")].name)
        await at.hall.submit("w", it.Start("host"))
        await line.until("NOW")
        line.say("SND ( ITA ) ( PRP ( PCE ( FRA ITA ) ) )")
        (caller,) = door._callers
        await until(lambda: caller._guest._answering)
        await asyncio.sleep(0)
        assert not caller._guest._window.is_set(), "it waits"
        line.writer.close()
        await until(lambda: not hosted.match.state.places[Seat("FRANCE")].present)
