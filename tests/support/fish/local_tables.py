"""Tables of a tournament whose players are all in this program, for tests of whoever runs tournaments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from parlour.core import seeds
from parlour.core.events import Event
from parlour.core.game import Game
from parlour.core.player import Player
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.net.threads import on_thread
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.spectators import Watcher
from parlour.store import Journal, RecordHead, RecordKind, Store, read_events
from parlour.tournament.knock_out.events import Announced, TableResult, result_of
from parlour.tournament.reports.audience import Audience
from parlour.tournament.schedules.blocks import Sitting

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

    async def play(self, sitting: Sitting, name: str) -> TableResult:
        """Play one match to its end; one that was interrupted goes on."""
        announced = self._announced
        record = read_events(self._store, name) if self._store is not None else []
        if record:
            match = Match.resume(record, self._game)
        else:
            match = Match(self._game, announced.config, announced.terms, sitting.seed, name)
        names = dict(zip(self._game.seats(announced.config), sitting.players, strict=False))
        head = RecordHead(name, RecordKind.MATCH, self._game.name, announced.tournament)
        journal: Journal[Event] | None = None
        if self._store is not None:
            journal = Journal(self._store, head, length=len(record))

        def played(shown: Mapping[Viewer, Watcher]) -> None:
            players = {seat: self._make(who, seeds.hosted_player(sitting.seed, who)) for seat, who in names.items()}
            play(match, players, names=names, keep=journal.write if journal else None, shown=shown)

        if not match.over:
            await on_thread(played, self._relay(name))
        return result_of(match.record, names)

    def _relay(self, match: str) -> Mapping[Viewer, Watcher]:
        """Return the watcher that passes events to the audience, on the loop's own thread; none if nobody watches."""
        if not self._audience:
            return {}
        loop = asyncio.get_running_loop()
        tell = partial(self._audience.told_of_match, match)
        return {SPECTATOR: lambda told: loop.call_soon_threadsafe(tell, told.event)}
