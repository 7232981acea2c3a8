"""Runs a knock-out: starts it for its players, plays each round's tables at once, and stores every event."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from parlour.core.fouls import Standing
from parlour.core.game import FoulKind
from parlour.errors import ParlourError
from parlour.referee.callers import Crashed, awaited
from parlour.store import Filter, Finished, Journal, RecordHead, RecordKind, Store
from parlour.store.journal import read_entries
from parlour.tournament.knock_out.events import Announced, TournamentEvent
from parlour.tournament.knock_out.live_state import Fixture, LiveState
from parlour.tournament.knock_out.table_results import Departure, TableResult, TournamentResult
from parlour.tournament.reports.audience import Audience

Play: TypeAlias = Callable[[Fixture], Awaitable[TableResult]]
"""Plays one match to its end."""


@cache
def _decoder() -> msgspec.json.Decoder[TournamentEvent]:
    """Return the decoder of records, made on first use: that takes milliseconds, and few servers resume anything."""
    return msgspec.json.Decoder(TournamentEvent)


class Runner:
    """Runs one tournament from wherever it stands to its end.

    A participant may have two methods, sync or async: tournament_started(), and tournament_ended(won). An error in
    them counts as no answer. The runner does not limit their time.
    """

    def __init__(
        self,
        course: LiveState,
        participants: Mapping[str, object],
        play: Play,
        *,
        journal: Journal[TournamentEvent] | None = None,
        audience: Audience | None = None,
        at_once: int = 1000,
        silent_become: Standing | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.course = course
        self._participants = participants
        self._play = play
        self._journal = journal
        self._audience = audience or Audience()
        self._places = asyncio.Semaphore(at_once)
        self._silent_become = silent_become
        """The role of players who do not confirm the end: failures, or losers if None."""
        self._clock = clock

    async def run(self) -> TournamentResult:
        """Play until the result is final."""
        course = self.course
        told_before = course.decided is not None
        if self._journal is not None and not self._journal.length:
            await self._journal.keep([course.announced])
        self._audience.told(course.announced)
        if course.field is None:
            departed = await call_all(self._participants, course.entrants, "tournament_started")
            await self._happen(course.set_field(departed, self._clock()))
        while course.decided is None:
            if fixtures := course.fixtures():
                await self._play_all(fixtures)
            else:
                await self._happen(course.advance(self._clock()))
        if course.closed is None:
            silent = await self._announce_result(course.decided)
            if told_before:
                # The decision was stored before the interruption, so each player may have received and confirmed it.
                # The announced result stands, and a player who has left loses nothing.
                silent = []
            await self._happen(course.close(silent, become=self._silent_become, at=self._clock()))
        assert course.closed is not None
        if self._journal is not None:
            result = msgspec.json.encode(course.closed)
            await self._journal.store.keep(Finished(self._journal.head.id, result))
        return course.closed

    async def _happen(self, event: TournamentEvent) -> None:
        """Store the event, then count it, then send it."""
        if self._journal is not None:
            await self._journal.keep([event])
        self.course.fold(event)
        self._audience.told(event)

    async def _play_all(self, fixtures: list[Fixture]) -> None:
        async with asyncio.TaskGroup() as tables:
            for fixture in fixtures:
                tables.create_task(self._play_one(fixture))

    async def _play_one(self, fixture: Fixture) -> None:
        async with self._places:
            result = await self._play(fixture)
        await self._happen(self.course.end_table(fixture, result, self._clock()))

    async def _announce_result(self, result: TournamentResult) -> list[Departure]:
        """Send the result to all present players; return those who did not confirm it."""
        async with asyncio.TaskGroup() as calls:
            called = self._participants
            winners = calls.create_task(call_all(called, result.winners, "tournament_ended", True))
            losers = calls.create_task(call_all(called, result.losers, "tournament_ended", False))
        return [*winners.result(), *losers.result()]


async def call_all(
    participants: Mapping[str, object], names: Sequence[str], method: str, *arguments: Any
) -> list[Departure]:
    """Call a method of all named participants that have it, at the same time; return those who failed."""
    failed: dict[str, Departure] = {}

    async def one(name: str) -> None:
        found = getattr(participants.get(name), method, None)
        if found is None:
            return
        answer = await awaited(found, arguments)
        if isinstance(answer, Crashed):
            # The reason of a garbled answer stands alone: "is not ready" is well-formed, and "garbled" would be wrong.
            reason = answer.reason if answer.kind is FoulKind.GARBLED else f"{answer.kind.word}: {answer.reason}"
            failed[name] = Departure(name, Standing.FAILURE, reason)

    async with asyncio.TaskGroup() as calls:
        for name in names:
            calls.create_task(one(name))
    return [failed[name] for name in names if name in failed]


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
