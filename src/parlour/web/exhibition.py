"""The exhibition: while nothing is played, house agents play a match, slowly enough to follow."""

from __future__ import annotations

import asyncio
import contextlib

from parlour.core.game import Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.errors import Denied
from parlour.games import declared, games, load_game
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup, about_of
from parlour.referee.conduct import preset
from parlour.store import Filter, RecordHead, RecordKind

PACE = 7.0
"""Seconds of a phase."""
TITLE = "Exhibition: agents of the house"


class Exhibition:
    """Keeps a match moving while somebody looks at the list of matches."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._own = ""
        """Id of the last match that was opened here."""
        self._opening = asyncio.Lock()

    async def shown(self) -> RecordHead | None:
        """Return the running match that changed last. If none runs, open one between house agents.

        Return None if that is refused.
        """
        async with self._opening:
            running = await self._running()
            if running is None:
                try:
                    await self._open()
                except Denied:
                    return None
                running = await self._running()
            return running

    async def _running(self) -> RecordHead | None:
        page = await Session(self._hall).page(Filter(kind=RecordKind.MATCH, unfinished=True), limit=50)
        heads = [*page.heads]
        if self._own:  # strangers may have filled the page since then
            with contextlib.suppress(Denied):
                heads.append(await self._hall.head(self._own))
        running = [head for head in heads if head.status == "running" and not about_of(head).admission.guarded]
        return max(running, key=lambda head: head.updated, default=None)

    async def _open(self) -> None:
        declaration = next((declared(name) for name in games() if declared(name).showpiece), None)
        if declaration is None or declaration.showpiece is None:
            return
        config, bots = dict(declaration.showpiece.config), declaration.showpiece.agents
        terms = Terms(
            conduct=preset(declaration.lenient_conduct),
            clock=Clock(per_turn=PACE),
            press=PressTerms(PressMode.ANYTIME if declaration.talks else PressMode.NONE),
            wait_flags_up=True,
        )
        seats = load_game(declaration.name).seats(config)
        agents = {Seat(seat): bot for seat, bot in zip(seats, bots, strict=True)}
        name = declaration.name
        setup = MatchSetup(game=name, config=config, terms=terms, title=TITLE, agents=agents, paced=True, unveiled=True)
        self._own = await self._hall.open(setup)
