"""The course of a tournament: a fold over its events that gives the next step. It never waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from parlour.core import seeds
from parlour.core.fouls import Standing
from parlour.core.game import Seed
from parlour.errors import RecordError
from parlour.tournament.knock_out.events import (
    Announced,
    Closed,
    Decided,
    FieldSet,
    RoundDrawn,
    TableEnded,
    TournamentEvent,
)
from parlour.tournament.knock_out.rounds import Conclusion, KnockOut
from parlour.tournament.knock_out.table_results import Departure, Round, RoundTable, TableResult, TournamentResult


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played."""

    match: str
    round: int
    table: int
    players: tuple[str, ...]
    seed: Seed


class LiveState:
    """The state of a knock-out. Each step returns its event; `fold` applies the event."""

    def __init__(self, announced: Announced) -> None:
        self.announced = announced
        self.format = KnockOut()
        if announced.format != self.format.name:
            raise RecordError(f"format: expected {self.format.name}, got {announced.format!r:.40}", number=0)
        self.entrants = tuple(entrant.name for entrant in announced.entrants)
        self.departed: list[Departure] = []
        self.field: tuple[str, ...] | None = None
        self.rounds: list[Round] = []
        self.decided: TournamentResult | None = None
        self.closed: TournamentResult | None = None

    @classmethod
    def replay(cls, events: Iterable[TournamentEvent]) -> LiveState:
        """Return the state at the end of a record; raise RecordError if the events do not fit together."""
        found = iter(events)
        first = next(found, None)
        if not isinstance(first, Announced):
            raise RecordError("a tournament's record begins with its announcement", number=0)
        course = cls(first)
        for number, event in enumerate(found, 1):
            try:
                course.fold(event)
            except (IndexError, AssertionError):
                raise RecordError("does not follow from what came before", number=number) from None
        return course

    def fold(self, event: TournamentEvent) -> None:
        """Apply one event."""
        match event:
            case FieldSet():
                self._depart(event.departed)
                gone = {departure.name for departure in event.departed}
                self.field = tuple(name for name in self.entrants if name not in gone)
            case RoundDrawn():
                assert event.number == len(self.rounds) + 1
                self.rounds.append(Round(tuple(RoundTable(players) for players in event.tables)))
            case TableEnded():
                self._end_table(event)
            case Decided():
                self.decided = event.result
            case Closed():
                self.closed = event.result
            case Announced():
                raise RecordError("a tournament is announced only once")

    def fixtures(self) -> list[Fixture]:
        """Return the matches of the current round that have not ended."""
        if not self.rounds:
            return []
        number = len(self.rounds)
        return [
            Fixture(
                self._match(number, index),
                number,
                index,
                table.players,
                seeds.strangers_match(self.announced.seed, number, index),
            )
            for index, table in enumerate(self.rounds[-1].tables)
            if table.result is None
        ]

    def set_field(self, departed: Iterable[Departure], at: float) -> FieldSet:
        """Return the event that removes the players who did not answer the start."""
        return FieldSet(at, tuple(departed))

    def advance(self, at: float) -> RoundDrawn | Decided:
        """Return the next round, or the decision, when no match is left to play."""
        assert self.field is not None
        step = self.format.next_round(self.field, self.rounds)
        if isinstance(step, Conclusion):
            return Decided(at, self._result(step.winners, step.reason))
        return RoundDrawn(at, len(self.rounds) + 1, tuple(table.players for table in step))

    def end_table(self, fixture: Fixture, result: TableResult, at: float) -> TableEnded:
        """Return the event of a match that is over."""
        return TableEnded(at, fixture.round, fixture.table, fixture.match, result)

    def close(self, unanswered: Iterable[Departure], *, become: Standing | None, at: float) -> Closed:
        """Return the final result; a player who did not confirm it gets the standing `become`, or loses (None)."""
        assert self.decided is not None
        silent = list(unanswered)
        if become is not None:
            self._depart(msgspec.structs.replace(departure, standing=become) for departure in silent)
        names = {departure.name for departure in silent}
        winners = tuple(name for name in self.decided.winners if name not in names)
        return Closed(at, self._result(winners, self.decided.reason))

    def _result(self, winners: Iterable[str], reason: str) -> TournamentResult:
        return TournamentResult.of(self.entrants, winners, self.departed, len(self.rounds), reason)

    def _end_table(self, event: TableEnded) -> None:
        tables = list(self.rounds[event.round - 1].tables)
        assert tables[event.table].result is None
        tables[event.table] = RoundTable(tables[event.table].players, event.result)
        self.rounds[event.round - 1] = Round(tuple(tables))
        self._depart(event.result.departed)

    def _depart(self, departed: Iterable[Departure]) -> None:
        known = {departure.name for departure in self.departed}
        self.departed.extend(departure for departure in departed if departure.name not in known)

    def _match(self, number: int, index: int) -> str:
        return f"{self.announced.tournament}.{number}.{index + 1}"
