"""A knock-out as it is played and kept: every event is stored, then counts, and then goes to the spectators."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

import msgspec

from parlour.core.fouls import Standing
from parlour.errors import ParlourError
from parlour.store import Filter, Finished, Journal, RecordHead, RecordKind, Store
from parlour.store.journal import read_entries
from parlour.tournament.knock_out.events import Announced, Departure, TableResult, TournamentEvent, TournamentResult
from parlour.tournament.knock_out.live_state import LiveState
from parlour.tournament.reports.audience import Audience
from parlour.tournament.results import Delivery, MatchPlayed
from parlour.tournament.schedules.blocks import Sitting

Play: TypeAlias = Callable[[Sitting, str], Awaitable[TableResult]]
"""Plays one match, stored under this name, to its end."""


class KnockOutTournament:
    """A knock-out of players who signed up: a StrangersTournament, with its own matches and their store."""

    def __init__(
        self,
        state: LiveState,
        play: Play,
        *,
        journal: Journal[TournamentEvent] | None = None,
        audience: Audience | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.state = state
        self._play = play
        self._journal = journal
        self._audience = audience or Audience()
        self._clock = clock
        self._ended: dict[int, tuple[Sitting, TableResult]] = {}
        """Matches that ended and are not stored yet, by their number."""

    @property
    def matches(self) -> KnockOutTournament:
        """The tournament itself, which is the list of its matches and keeps its results."""
        return self

    results_store = matches

    # From its announcement to its result

    @property
    def entrants(self) -> Sequence[str]:
        return self.state.entrants

    @property
    def begun(self) -> bool:
        return self.state.field is not None

    async def open(self) -> None:
        if self._journal is not None and not self._journal.length:
            await self._journal.keep([self.state.announced])
        self._audience.told(self.state.announced)

    async def begin(self, silent: Sequence[Departure]) -> None:
        if not self.begun:
            await self._happen(self.state.set_field(silent, self._clock()))
        await self._advance()

    async def play(self, sitting: Sitting) -> Delivery:
        began = time.perf_counter()
        self._ended[sitting.number] = sitting, await self._play(sitting, self.state.match_id(sitting))
        took = time.perf_counter() - began
        return Delivery(
            MatchPlayed(number=sitting.number, block=sitting.block, table=sitting.table, seed=sitting.seed, took=took)
        )

    async def decide(self) -> TournamentResult:
        result = self.state.closed or self.state.decided
        assert result is not None
        return result

    async def close(self, silent: Sequence[Departure], *, become: Standing | None) -> TournamentResult:
        """Store the final result and return it; a winner who did not confirm it has not won."""
        if self.state.closed is None:
            await self._happen(self.state.close(silent, become=become, at=self._clock()))
        assert self.state.closed is not None
        if self._journal is not None:
            result = msgspec.json.encode(self.state.closed)
            await self._journal.store.keep(Finished(self._journal.head.id, result))
        return self.state.closed

    # Matches of the tournament

    @property
    def over(self) -> bool:
        """True if nothing is left to be played."""
        return self.state.decided is not None

    def wanted(self) -> Iterator[Sitting]:
        """Yield the matches of the current round that have no result yet."""
        return self.state.sittings()

    def left(self) -> None:
        """Return None: the number of all matches depends on results."""

    def has(self, number: int) -> bool:
        return self.state.has(number)

    async def keep_on_loop(self, deliveries: Sequence[Delivery], series: object) -> None:
        """Store the results of some matches, and draw the next round after the last one of a round."""
        ended = [self._ended.pop(delivery.played.number) for delivery in deliveries]
        await self._happen(*(self.state.end_table(*each, self._clock()) for each in ended))
        await self._advance()

    def add(self, played: MatchPlayed) -> None:
        """Do nothing: the result counts since it was stored."""

    async def _advance(self) -> None:
        """Draw the next round or decide, unless a match is left to play."""
        if not self.over and next(self.state.sittings(), None) is None:
            await self._happen(self.state.advance(self._clock()))

    async def _happen(self, *events: TournamentEvent) -> None:
        """Store events, then count them, then send them."""
        if self._journal is not None:
            await self._journal.keep(events)
        for event in events:
            self.state.fold(event)
            self._audience.told(event)


@cache
def _decoder() -> msgspec.json.Decoder[TournamentEvent]:
    """Return the decoder of records, made on first use: that takes milliseconds, and few servers resume anything."""
    return msgspec.json.Decoder(TournamentEvent)


def open_journal(store: Store, announced: Announced) -> Journal[TournamentEvent]:
    """Return the journal of a new tournament."""
    return Journal(store, _head(announced))


def resume(store: Store, tournament: str) -> tuple[LiveState, Journal[TournamentEvent]]:
    """Return a stored tournament where it was left, and its journal; raise RecordError if it does not replay."""
    events = read_entries(store, tournament, _decoder())
    course = LiveState.replay(events)
    return course, Journal(store, _head(course.announced), length=len(events))


def unfinished_heads(store: Store, game: str) -> list[RecordHead]:
    """Return the heads of a game's tournaments that were begun and never finished, oldest first."""
    return list(store.heads(Filter(kind=RecordKind.TOURNAMENT, game=game, unfinished=True)))


def is_announced(head: RecordHead) -> bool:
    """Return True for a knock-out of strangers: it begins with its announcement, not with a plan."""
    return not head.about


def read_result(store: Store, tournament: str) -> TournamentResult:
    """Return the result of a finished tournament."""
    result = store.result(tournament)
    if result is None:
        raise ParlourError(f"tournament {tournament!r} is not finished")
    return msgspec.json.decode(result, type=TournamentResult)


def _head(announced: Announced) -> RecordHead:
    return RecordHead(announced.tournament, RecordKind.TOURNAMENT, announced.game, opened=announced.at)
