"""Plays the matches of a tournament: opens or resumes them, keeps their records, gives their results."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Game, Seat
from parlour.core.player import Told
from parlour.referee.match import Match
from parlour.referee.table import KeepAsync
from parlour.store import Finished, Journal, Progress, RecordHead, RecordKind, Store, Write, read_events
from parlour.tournament.course import Fixture
from parlour.tournament.events import Announced
from parlour.tournament.values import TableResult, result_of


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
            head = msgspec.structs.replace(head, status="running", updated=now)
            self._journal = Journal(store, head, length=len(record))
        self._result: TableResult | None = None
        """Once it was kept with the end of the match."""

    def write(self, events: Sequence[Event]) -> None:
        """Keep events and return when they are durable."""
        if self._journal is not None:
            self._journal.write(events, *self._besides(events))

    @property
    def keep(self) -> KeepAsync | None:
        """Keeps events and is done when they are durable; None if nothing is kept."""
        return None if self._journal is None else self._keep

    async def finish(self) -> TableResult:
        """The result of the match, kept."""
        if self._result is not None:
            return self._result
        result = result_of(self.match.record, self.seats)
        if self.store is not None and self.store.result(self.fixture.match) is None:
            await self.store.keep(*self._ending(result))
        return result

    def _keep(self, events: Sequence[Event]) -> asyncio.Future[None]:
        assert self._journal is not None
        return self._journal.keep(events, *self._besides(events))

    def _besides(self, events: Sequence[Event]) -> Sequence[Write]:
        """With the end goes the result, which follows from it."""
        if ev.Ended not in map(type, events):
            return ()
        self._result = result_of(self.match.record, self.seats)
        return self._ending(self._result)

    def _ending(self, result: TableResult) -> tuple[Write, ...]:
        name = self.fixture.match
        ended = Progress(name, "over", self.match.turn, updated=time.time())
        return ended, Finished(name, msgspec.json.encode(result))


class Relay:
    """An observer of one match that passes its events on."""

    def __init__(self, tell: Callable[[Event], object]) -> None:
        self._tell = tell

    def told(self, told: Told) -> None:
        self._tell(told.event)


def player_seed(fixture: Fixture, name: str) -> int:
    """The seed of one player in one match: the same whenever the match is played again."""
    return int.from_bytes(hashlib.blake2b(f"{fixture.seed}/{name}".encode(), digest_size=7).digest(), "big")
