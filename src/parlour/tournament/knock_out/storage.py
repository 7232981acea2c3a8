"""The stored knock-outs: their journals, those that were cut short, and their results."""

from __future__ import annotations

from functools import cache

import msgspec

from parlour.errors import ParlourError
from parlour.store import Filter, Journal, RecordHead, RecordKind, Store
from parlour.store.journal import read_entries
from parlour.tournament.knock_out.events import Announced, TournamentEvent
from parlour.tournament.knock_out.live_state import LiveState
from parlour.tournament.knock_out.table_results import TournamentResult


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
