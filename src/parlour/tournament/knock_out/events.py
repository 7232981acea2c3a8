"""The events of a knock-out. Its record holds nothing else; its matches have records of their own."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.core.game import Plain, Seed
from parlour.core.terms import Terms
from parlour.tournament.knock_out.table_results import Departure, TableResult, TournamentResult


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
