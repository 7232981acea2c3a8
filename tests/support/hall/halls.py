"""Short ways to open a hall, and matches of Diplomacy in it, for tests of what a server does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from parlour.core.game import Seat
from parlour.core.terms import Clock, Terms
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.store import SQLiteStore
from support.hall.people import session_of

FRANCE, ENGLAND = Seat("FRANCE"), Seat("ENGLAND")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")


def in_a_hall(path: Path, *stories: Callable[[Hall], Awaitable[Any]], **more: Any) -> Any:
    """Return the result of the last story; with several, a server is restarted on one store."""

    async def told(story: Callable[[Hall], Awaitable[Any]]) -> Any:
        with SQLiteStore(path / "hall.db") as store:
            hall = Hall(store, **more)
            await hall.start()
            try:
                return await story(hall)
            finally:
                await hall.close()

    return [asyncio.run(told(story)) for story in stories][-1]


def diplomacy(**more: Any) -> MatchSetup:
    terms = more.pop("terms", Terms(DIPLOMACY, Clock(per_turn=more.pop("per_turn", None))))
    return MatchSetup(game="diplomacy", terms=terms, **more)


async def seven(hall: Hall, match: str) -> dict[Seat, Session]:
    """Return a session for each power, all of them seated."""
    sessions = {Seat(power): session_of(hall, power.lower()) for power in POWERS}
    for seat, session in sessions.items():
        answer = await session.join(match, seat)
        assert answer.refusal is None
    return sessions
