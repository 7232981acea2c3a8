"""The state of a knock-out: a fold over its events that gives its matches and the next step. It never waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from parlour.core import seeds
from parlour.core.fouls import Standing
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
from parlour.tournament.schedules.blocks import Sitting


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
        self._past = 0
        """Number of matches of all rounds before the current one."""
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
                self._past += len(self.rounds[-1].tables) if self.rounds else 0
                self.rounds.append(Round(tuple(RoundTable(players) for players in event.tables)))
            case TableEnded():
                self._end_table(event)
            case Decided():
                self.decided = event.result
            case Closed():
                self.closed = event.result
            case Announced():
                raise RecordError("a tournament is announced only once")

    def sittings(self) -> Iterator[Sitting]:
        """Yield the matches of the current round that have not ended."""
        drawn, past = len(self.rounds), self._past
        for index, table in enumerate(self.rounds[-1].tables if self.rounds else ()):
            if not self.has(number := past + index):
                seed = seeds.strangers_match(self.announced.seed, drawn, index)
                yield Sitting(number, drawn, index, table.players, seed)

    def has(self, number: int) -> bool:
        """Return True if the match of this number, of all rounds that were drawn, has ended."""
        return number < self._past or self.rounds[-1].tables[number - self._past].result is not None

    def match_id(self, sitting: Sitting) -> str:
        """Return the name under which a match is stored."""
        return f"{self.announced.tournament}.{sitting.block}.{sitting.table + 1}"

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

    def end_table(self, sitting: Sitting, result: TableResult, at: float) -> TableEnded:
        """Return the event of a match that is over."""
        return TableEnded(at, sitting.block, sitting.table, self.match_id(sitting), result)

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
