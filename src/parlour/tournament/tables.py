"""Plays the matches of a tournament: opens or resumes them, keeps their records, gives their results."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from parlour.core.events import Event
from parlour.core.game import Game, Seat
from parlour.core.player import Observer, Player, Told
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.store import Finished, Journal, RecordHead, RecordKind, Store, read_events
from parlour.tournament.audience import Audience
from parlour.tournament.course import Fixture
from parlour.tournament.events import Announced
from parlour.tournament.threads import on_thread
from parlour.tournament.values import TableResult, result_of

MakePlayer: TypeAlias = Callable[[str, int], Player]
"""Makes the player of that name for one match, from a seed."""


class MatchFile:
    """One match of a tournament and where its record goes."""

    def __init__(self, game: Game, announced: Announced, fixture: Fixture, store: Store | None) -> None:
        self.fixture = fixture
        self.store = store
        record = read_events(store, fixture.match) if store is not None else []
        if record:
            self.match = Match.resume(record, game)
        else:
            self.match = Match(game, announced.config, announced.terms, fixture.seed, fixture.match)
        self.seats: dict[Seat, str] = dict(zip(game.seats(announced.config), fixture.players, strict=False))
        """Who sits where."""
        self._journal: Journal[Event] | None = None
        if store is not None:
            now, players = time.time(), {str(seat): name for seat, name in self.seats.items()}
            head = RecordHead(fixture.match, RecordKind.MATCH, game.name, announced.tournament, now, players=players)
            self._journal = Journal(store, head, length=len(record))

    def write(self, events: Sequence[Event]) -> None:
        """Keep events and return when they are durable."""
        if self._journal is not None:
            self._journal.write(events)

    async def keep(self, events: Sequence[Event]) -> None:
        """Keep events and resume when they are durable."""
        if self._journal is not None:
            await self._journal.keep(events)

    async def finish(self) -> TableResult:
        """The result of the match, kept."""
        result = result_of(self.match.record, self.seats)
        if self.store is not None and self.store.result(self.fixture.match) is None:
            await self.store.keep(Finished(self.fixture.match, msgspec.json.encode(result)))
        return result


class Relay:
    """An observer of one match that passes its events on."""

    def __init__(self, tell: Callable[[Event], object]) -> None:
        self._tell = tell

    def told(self, told: Told) -> None:
        self._tell(told.event)


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


def player_seed(fixture: Fixture, name: str) -> int:
    """The seed of one player in one match: the same whenever the match is played again."""
    return int.from_bytes(hashlib.blake2b(f"{fixture.seed}/{name}".encode(), digest_size=7).digest(), "big")
