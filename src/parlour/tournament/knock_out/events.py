"""The events and values of a knock-out: its tables, results and departures. Its matches have records of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Plain, Seat, Seed
from parlour.core.terms import Terms
from parlour.errors import RecordError


class Entrant(msgspec.Struct, frozen=True):
    """A participant: a unique name, and the agent that plays under it if it is a house agent."""

    name: str
    agent: str = ""
    """The agent; empty for a player who comes over the network."""


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """Base of all events."""

    at: float


class Announced(_Event, frozen=True, tag="announced"):
    """A tournament with these entrants, in order of age. Always the first event."""

    tournament: str
    game: str
    config: dict[str, Plain]
    terms: Terms
    format: str
    seed: Seed
    entrants: tuple[Entrant, ...]
    protocol: str = ""


class FieldSet(_Event, frozen=True, tag="field set"):
    """All entrants received the start; those who did not answer have departed."""

    departed: tuple[Departure, ...] = ()


class RoundDrawn(_Event, frozen=True, tag="round drawn"):
    """The tables of the next round."""

    number: int
    tables: tuple[tuple[str, ...], ...]


class TableEnded(_Event, frozen=True, tag="table ended"):
    """A match of a round is over."""

    round: int
    table: int
    match: str
    result: TableResult


class Decided(_Event, frozen=True, tag="decided"):
    """The last round is over; the players have yet to receive the result."""

    result: TournamentResult


class Closed(_Event, frozen=True, tag="closed"):
    """All players received the result, which is final. A winner who did not answer may have lost by it."""

    result: TournamentResult


TournamentEvent: TypeAlias = Announced | FieldSet | RoundDrawn | TableEnded | Decided | Closed


class Departure(msgspec.Struct, frozen=True):
    """A player who is out of the tournament for a foul."""

    name: str
    standing: Standing
    reason: str


class TableResult(msgspec.Struct, frozen=True):
    """The result of one match of a round, by the names of its players."""

    places: tuple[tuple[str, ...], ...]
    """Places from first to last; equals share a place, departed players have none."""
    scores: dict[str, float] = {}
    departed: tuple[Departure, ...] = ()
    reason: str = ""

    @property
    def winners(self) -> tuple[str, ...]:
        """All who share the first place."""
        return self.places[0] if self.places else ()


class RoundTable(msgspec.Struct, frozen=True):
    """The players of a match of a round, in seat order, and its result once it is over."""

    players: tuple[str, ...]
    result: TableResult | None = None


class Round(msgspec.Struct, frozen=True):
    """The tables that are played at the same time."""

    tables: tuple[RoundTable, ...]

    def players(self) -> tuple[str, ...]:
        """Return all players of this round."""
        return tuple(name for table in self.tables for name in table.players)

    def winners(self) -> tuple[str, ...]:
        """Return all players who took a first place."""
        return tuple(name for table in self.tables if table.result for name in table.result.winners)


class TournamentResult(msgspec.Struct, frozen=True):
    """The result of a tournament. Every player is in exactly one of the lists."""

    winners: tuple[str, ...]
    losers: tuple[str, ...]
    cheaters: tuple[Departure, ...] = ()
    failures: tuple[Departure, ...] = ()
    rounds: int = 0
    reason: str = ""

    @staticmethod
    def of(
        entrants: Sequence[str], winners: Iterable[str], departed: Sequence[Departure], rounds: int, reason: str
    ) -> TournamentResult:
        """Return the result: a winner who departed has not won, and all others who did not depart have lost."""
        gone = {departure.name for departure in departed}
        won = tuple(name for name in entrants if name in set(winners) - gone)
        return TournamentResult(
            winners=won,
            losers=tuple(name for name in entrants if name not in gone and name not in won),
            cheaters=tuple(departure for departure in departed if departure.standing is Standing.CHEATER),
            failures=tuple(departure for departure in departed if departure.standing is Standing.FAILURE),
            rounds=rounds,
            reason=reason,
        )


def result_of(record: Iterable[Event], names: Mapping[Seat, str]) -> TableResult:
    """Return the result of a finished match, by the names of its players.

    If fouls before the start left too few players for a match, those who are left have the first place.
    """
    departed: list[Departure] = []
    played = False
    for event in record:
        if type(event) is ev.Removed:
            standing = event.standing or Standing.FAILURE
            departed.append(Departure(names[event.seat], standing, event.reason_words))
        elif type(event) is ev.Started:
            played = True
        elif type(event) is ev.Ended:
            outcome = event.outcome
            if not played:
                gone = {departure.name for departure in departed}
                left = tuple(name for name in names.values() if name not in gone)
                return TableResult((left,) if left else (), {}, tuple(departed), outcome.reason)
            places = tuple(tuple(names[Seat(seat)] for seat in place) for place in outcome.places)
            scores = {names[Seat(seat)]: score for seat, score in outcome.scores.items()}
            return TableResult(places, scores, tuple(departed), outcome.reason)
    raise RecordError("the match has not ended, so it has no result")
