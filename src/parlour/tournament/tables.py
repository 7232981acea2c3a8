"""Plays the matches of a tournament: opens or resumes them, keeps their records, gives their results."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence

import msgspec

from parlour.core.events import Event
from parlour.core.game import Game, Seat
from parlour.core.player import Told
from parlour.referee.match import Match
from parlour.referee.table import KeepAsync
from parlour.store import Finished, Journal, Progress, RecordHead, RecordKind, Store, read_events
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

    def write(self, events: Sequence[Event]) -> None:
        """Keep events and return when they are durable."""
        if self._journal is not None:
            self._journal.write(events)

    @property
    def keep(self) -> KeepAsync | None:
        """Keeps events and is done when they are durable; None if nothing is kept."""
        return None if self._journal is None else self._journal.keep

    async def finish(self) -> TableResult:
        """The result of the match, kept."""
        result = result_of(self.match.record, self.seats)
        if self.store is not None and self.store.result(self.fixture.match) is None:
            ended = Progress(self.fixture.match, "over", self.match.turn, updated=time.time())
            await self.store.keep(ended, Finished(self.fixture.match, msgspec.json.encode(result)))
        return result


class Relay:
    """An observer of one match that passes its events on."""

    def __init__(self, tell: Callable[[Event], object]) -> None:
        self._tell = tell

    def told(self, told: Told) -> None:
        self._tell(told.event)


def player_seed(fixture: Fixture, name: str) -> int:
    """The seed of one player in one match: the same whenever the match is played again."""
    return int.from_bytes(hashlib.blake2b(f"{fixture.seed}/{name}".encode(), digest_size=7).digest(), "big")
