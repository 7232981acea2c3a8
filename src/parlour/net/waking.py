"""Reads a match from the store, from its last snapshot on, so that long matches wake as quickly as short ones."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.net.accounts.principals import Principal, of_account
from parlour.net.quotas import Volume, read_volume, volume_key
from parlour.net.stand_ins import Return, returns_of
from parlour.net.tenures import Tenures, tenures_key
from parlour.referee.match import Match
from parlour.referee.snapshots import thaw
from parlour.referee.state import MatchState
from parlour.store import RecordHead, RecordKind, Seating, Store

_log = logging.getLogger(__name__)
MUCH = 60.0
"""Seconds by which a match may be ahead of the clock before the clock counts as wrong."""
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


@dataclass(slots=True)
class StoredMatch:
    """A match as it is in the store."""

    head: RecordHead
    match: Match
    snapshot: int = 0
    """Number of events that the last snapshot covers."""
    seating: dict[Seat, Seating] = field(default_factory=dict)
    roles: dict[Principal, str] = field(default_factory=dict)
    """Roles of accounts in the match."""
    returning: dict[Seat, Return] = field(default_factory=dict)
    """Players who have asked for their seat back from a stand-in."""
    volume: Volume = field(default_factory=Volume)
    """Number of the record's bytes, by seat."""
    tenures: Tenures = field(default_factory=Tenures)
    """Holders of seats that have had several."""


def ahead_of(stored: StoredMatch, now: float) -> float:
    """Return the seconds by which a match's time is ahead of the clock; 0 unless it was played with a wrong clock.

    Time in a record cannot go back, so the match continues from its own time. Its head holds the deadline on the
    server's clock, so while a deadline is set the lead is the difference of the two deadlines.
    """
    due, played = stored.match.due(), stored.match.state.now
    if due is not None and stored.head.due is not None and due - stored.head.due > MUCH:
        return due - stored.head.due
    return played - now if played - now > MUCH else 0.0


def read_stored(store: Store, match: str) -> StoredMatch | None:
    """Return a match from the store; None if there is none. Blocks: call it off the loop."""
    head = store.head(match)
    if head is None or head.kind is not RecordKind.MATCH:
        return None
    state, covered = _snapshot(store, head)
    volume = (read_volume(store.setting(volume_key(match))) or _volume(store, match, covered)) if covered else Volume()
    events: list[Event] = []
    for body in store.entries(match, state.count):
        events.append(event := _events.decode(body))
        volume.add(event, len(body))
    seating = {Seat(sitting.seat): sitting for sitting in store.seating(match)}
    return StoredMatch(
        head,
        Match.from_state(state, events) if covered else _from_start(head, events),
        covered,
        seating,
        {of_account(permission.account): permission.role for permission in store.permissions(match)},
        returns_of(store, match, seating),
        volume,
        Tenures(store.setting(tenures_key(match))),
    )


def _volume(store: Store, match: str, covered: int) -> Volume:
    """Return the volume of the first events of a record, if it was not stored with their snapshot."""
    found = Volume()
    for body in islice(store.entries(match), covered):
        found.add(_events.decode(body), len(body))
    return found


class StateBehind:
    """A match's state at an earlier time. Each event is read once, however often the state is needed."""

    def __init__(self, head: RecordHead) -> None:
        self.lock = asyncio.Lock()
        """The lock of those who advance the state or use it."""
        self._match = head.id
        self._state = MatchState(load_game(head.game))

    def at(self, store: Store, until: float) -> MatchState:
        """Return the state at a time, not before that of the last call. Blocks: call it off the loop, with the lock."""
        for body in store.entries(self._match, self._state.count):
            event = _events.decode(body)
            if event.at > until and self._state.count:
                break
            self._state.fold(event)
        return self._state


def _snapshot(store: Store, head: RecordHead) -> tuple[MatchState, int]:
    """Return the state of the last snapshot and the number of events that it covers; an empty state without one."""
    game = load_game(head.game)
    if (found := store.snapshot(head.id)) is not None:
        try:
            if found.length > store.length(head.id):
                raise RecordError("its snapshot covers more events than are stored")
            return thaw(found.body, game), found.length
        except RecordError as error:
            _log.info("match %s: %s; its record is read instead", head.id, error)
    return MatchState(game), 0


def _from_start(head: RecordHead, events: list[Event]) -> Match:
    state = MatchState(load_game(head.game))
    if events:
        state.fold(events[0])
    return Match.from_state(state, events[1:])
