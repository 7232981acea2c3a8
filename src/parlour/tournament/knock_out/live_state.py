"""The state of a knock-out: a fold over its events that gives its matches and the next round. It never waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from parlour.core import seeds
from parlour.core.fouls import Standing
from parlour.core.game import Game, Plain
from parlour.errors import ConfigError, RecordError
from parlour.tournament.knock_out.events import (
    Announced,
    Closed,
    Decided,
    Departure,
    FieldSet,
    Round,
    RoundDrawn,
    RoundTable,
    TableEnded,
    TableResult,
    TournamentEvent,
    TournamentResult,
)
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


MAX_ROUNDS = 100
"""Maximum number of rounds of a knock-out, far above the number that it needs."""


class Conclusion(msgspec.Struct, frozen=True):
    """The end of a tournament: its winners and the reason."""

    winners: tuple[str, ...]
    reason: str


class KnockOut(msgspec.Struct, frozen=True):
    """Winners of a table advance until they fit at one table: the final.

    Also over when fewer than two are left, when two rounds in a row had the same winners, or after max_rounds.
    """

    largest: int = 4
    smallest: int = 2
    max_rounds: int = MAX_ROUNDS
    name: str = "knock-out"

    def next_round(self, field: Sequence[str], rounds: Sequence[Round]) -> tuple[RoundTable, ...] | Conclusion:
        """Return the tables of the next round, with the survivors in order of age, or the end of the tournament."""
        survivors = _in_order(field, rounds[-1].winners()) if rounds else tuple(field)
        if rounds and len(rounds[-1].tables) == 1:
            return Conclusion(survivors, "final played")
        if len(survivors) < self.smallest:
            return Conclusion(survivors, "too few players left")
        if len(rounds) >= 2 and set(survivors) == set(rounds[-2].winners()):
            return Conclusion(survivors, "same winners in two rounds")
        if len(rounds) >= self.max_rounds:
            return Conclusion(survivors, f"no decision in {self.max_rounds} rounds")
        return tuple(RoundTable(group) for group in allot(survivors, self.largest, self.smallest))


def check_tables(game: Game, config: Mapping[str, Plain], players: int) -> None:
    """Raise ConfigError if a table that this many players may sit at could not be played.

    Tables shrink as players leave, and a smaller one may need more: three have nine penguins, four have eight.
    """
    seats = game.seats(config)
    fewest = game.fewest(config)
    for taken in range(fewest, max(fewest, min(players, len(seats))) + 1):
        game.start(config, seats[:taken], 0)


def allot(players: Sequence[str], largest: int = 4, smallest: int = 2) -> list[tuple[str, ...]]:
    """Return the players in groups, in order, with as many groups of the largest size as possible.

    If too few players are left over, the last group is dissolved and smaller groups follow.
    """
    if largest < 2 * smallest - 1:
        raise ConfigError(f"tables of {smallest} to {largest} cannot seat every number of players", field="largest")
    groups: list[tuple[str, ...]] = []
    size, at = largest, 0
    while at < len(players):
        left = len(players) - at
        if left >= smallest:
            groups.append(tuple(players[at : at + size]))
            at += len(groups[-1])
        else:
            at -= len(groups.pop())
            size -= 1
    return groups


def _in_order(field: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    chosen = set(names)
    return tuple(name for name in field if name in chosen)
