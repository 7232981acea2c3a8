"""Tables of a tournament whose players are all in this program, for tests of whoever runs tournaments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias

from parlour.core.game import Game
from parlour.core.player import Observer, Player
from parlour.referee.local import play
from parlour.store import Store
from parlour.tournament.audience import Audience
from parlour.tournament.course import Fixture
from parlour.tournament.events import Announced
from parlour.tournament.tables import MatchFile, Relay, player_seed
from parlour.tournament.threads import on_thread
from parlour.tournament.values import TableResult

MakePlayer: TypeAlias = Callable[[str, int], Player]
"""Makes the player of that name for one match, from a seed."""


class LocalTables:
    """Plays matches with players in this program, each match on a thread of its own."""

    def __init__(
        self, game: Game, announced: Announced, make: MakePlayer, *, store: Store | None = None, audience: Audience
    ) -> None:
        self._game = game
        self._announced = announced
        self._make = make
        self._store = store
        self._audience = audience

    async def play(self, fixture: Fixture) -> TableResult:
        """Play one match to its end; one that was interrupted goes on."""
        file = MatchFile(self._game, self._announced, fixture, self._store)
        if not file.match.over:
            await on_thread(self._play, file, self._relay(fixture.match))
        return await file.finish()

    def _relay(self, match: str) -> list[Observer]:
        """Whoever passes the events of a match on to the audience, on the loop's own thread; nobody if none watches."""
        if not self._audience:
            return []
        loop = asyncio.get_running_loop()
        return [Relay(lambda event: loop.call_soon_threadsafe(self._audience.told_of_match, match, event))]

    def _play(self, file: MatchFile, observers: Sequence[Observer]) -> None:
        players = {seat: self._make(name, player_seed(file.fixture, name)) for seat, name in file.seats.items()}
        play(file.match, players, names=file.seats, keep=file.write, observers=observers)
