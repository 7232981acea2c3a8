"""What happens in a tournament. Its record is nothing but these; the matches have records of their own."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.core.game import Plain, Seed
from parlour.core.terms import Terms
from parlour.tournament.values import Departure, TableResult, TournamentResult


class Entrant(msgspec.Struct, frozen=True):
    """Who takes part: a name that nobody else has, and the agent that plays under it if it is one of the house."""

    name: str
    agent: str = ""
    """Empty for a player who comes over the wire."""


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """Base of all events."""

    at: float


class Announced(_Event, frozen=True, tag="announced"):
    """There is a tournament, with these entrants in order of age. Always the first event."""

    tournament: str
    game: str
    config: dict[str, Plain]
    terms: Terms
    format: str
    seed: Seed
    entrants: tuple[Entrant, ...]
    protocol: str = ""


class FieldSet(_Event, frozen=True, tag="field set"):
    """All were told that it begins; those who did not answer have departed."""

    departed: tuple[Departure, ...] = ()


class RoundDrawn(_Event, frozen=True, tag="round drawn"):
    """Who meets whom next."""

    number: int
    tables: tuple[tuple[str, ...], ...]


class TableEnded(_Event, frozen=True, tag="table ended"):
    """A match of a round is over."""

    round: int
    table: int
    match: str
    result: TableResult


class Decided(_Event, frozen=True, tag="decided"):
    """The last round is over; the players are yet to be told."""

    result: TournamentResult


class Closed(_Event, frozen=True, tag="closed"):
    """All were told. The result is final: a winner who did not take the news may have lost by it."""

    result: TournamentResult


TournamentEvent: TypeAlias = Announced | FieldSet | RoundDrawn | TableEnded | Decided | Closed
