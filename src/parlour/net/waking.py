"""Reads a match from the store: from its last snapshot on, so that waking takes no longer the longer it was played."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import msgspec

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.net.stand_ins import Return, returns_of
from parlour.referee.match import Match
from parlour.referee.snapshots import thaw
from parlour.referee.state import MatchState
from parlour.store import RecordHead, RecordKind, Seating, Store, read_events

_log = logging.getLogger(__name__)
MUCH = 60.0
"""Seconds by which a match may be ahead of the clock: signs of life are a little older than what happened last."""
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


@dataclass(slots=True)
class Lying:
    """A match as it lies in the store."""

    head: RecordHead
    match: Match
    snapshot: int = 0
    """How many events its last snapshot covers."""
    seating: dict[Seat, Seating] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    """What accounts are appointed to."""
    returning: dict[Seat, Return] = field(default_factory=dict)
    """Who wants a seat again at which an agent plays for him."""


def ahead_of(lying: Lying, now: float) -> float:
    """By how many seconds the time in a match is ahead of ours; 0 unless it was played when a clock was wrong.

    Time in a record cannot go back. So that its deadlines come all the same, it goes on from where it was; the head has
    the deadline on our clock, from which it is known again for as long as one is set.
    """
    due, played = lying.match.due(), lying.match.state.now
    if due is not None and lying.head.due is not None and due - lying.head.due > MUCH:
        return due - lying.head.due
    return played - now if played - now > MUCH else 0.0


def read_lying(store: Store, match: str) -> Lying | None:
    """All that the store knows of a match; None if there is none. Blocks: to be called off the loop."""
    head = store.head(match)
    if head is None or head.kind is not RecordKind.MATCH:
        return None
    state, covered = _snapshot(store, head)
    events = [_events.decode(body) for body in store.entries(match, state.count)]
    seating = {Seat(sitting.seat): sitting for sitting in store.seating(match)}
    return Lying(
        head,
        Match.from_state(state, events) if covered else _from_start(head, events),
        covered,
        seating,
        {permission.account: permission.role for permission in store.permissions(match)},
        returns_of(store, match, seating),
    )


def state_at(store: Store, head: RecordHead, until: float) -> MatchState:
    """How a match stood at a time. Blocks: to be called off the loop."""
    state = MatchState(load_game(head.game))
    for number, event in enumerate(read_events(store, head.id)):
        if event.at > until and number:
            break
        state.fold(event)
    return state


def _snapshot(store: Store, head: RecordHead) -> tuple[MatchState, int]:
    """The state after the last snapshot and how many events it covers."""
    game = load_game(head.game)
    if (found := store.snapshot(head.id)) is not None:
        try:
            if found.length > store.length(head.id):
                raise RecordError("its snapshot covers more than was kept")
            return thaw(found.body, game), found.length
        except RecordError as error:
            _log.info("match %s: %s; its record is read instead", head.id, error)
    return MatchState(game), 0


def _from_start(head: RecordHead, events: list[Event]) -> Match:
    state = MatchState(load_game(head.game))
    if events:
        state.fold(events[0])
    return Match.from_state(state, events[1:])
