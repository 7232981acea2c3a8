"""Plays a match from its specification, and resumes an interrupted one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from parlour.agents.watched import Note
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Game, Outcome, Seat
from parlour.core.player import Player
from parlour.core.viewers import Viewer
from parlour.errors import RecordError
from parlour.matches.spec import MatchSpec, agrees
from parlour.referee.clocks import RealClock
from parlour.referee.local import Keep, play
from parlour.referee.match import Match
from parlour.referee.spectators import Watcher


@dataclass(frozen=True, slots=True)
class MatchListeners:
    """The store and the watchers of a match."""

    keep: Keep | None = None
    shown: Mapping[Viewer, Watcher] | None = None
    note: Callable[[str], Note] | None = None
    """Called with the name of a player; returns the function that receives notes about its failures."""


def play_match(
    spec: MatchSpec,
    players: Mapping[Seat, Player] | None = None,
    listeners: MatchListeners = MatchListeners(),
    *,
    rules: Game | None = None,
) -> tuple[Match, Outcome]:
    """Play a match to its end, with the given players or with those of its specification."""
    match = spec.open(rules)
    made = spec.make_players(listeners.note) if players is None else players
    return match, _played(spec, match, made, listeners)


def _played(spec: MatchSpec, match: Match, players: Mapping[Seat, Player], listeners: MatchListeners) -> Outcome:
    return play(
        match,
        players,
        names=spec.names,
        clock=RealClock(match.state.now) if spec.real_time else None,
        keep=listeners.keep,
        shown=listeners.shown,
        stand_in=spec.deputy(),
    )


class Rehearsal:
    """Receives the events of a match that is played again: known ones are compared, new ones are stored."""

    def __init__(self, past: Sequence[Event], listeners: MatchListeners) -> None:
        self._past = past
        self._listeners = listeners
        self._count = 0
        self.differs: int | None = None
        """The number of the first event that differs from the record; None while there is none."""

    def keep(self, events: Sequence[Event]) -> None:
        """Store new events. Raise RecordError at the first event that differs from the record."""
        for event in events:
            if self.differs is None and self._count < len(self._past) and self._past[self._count] != event:
                self.differs = self._count
            self._count += 1
        if self.differs is not None:  # raised at every call, because a player may swallow the first one
            raise RecordError("differs from the record", number=self.differs)
        new = events[max(0, len(self._past) - self._count + len(events)) :]
        if new and self._listeners.keep is not None:
            self._listeners.keep(new)

    def listeners(self) -> MatchListeners:
        """Return the listeners for the replay; watchers receive new events only."""
        shown = {viewer: self._later(watcher) for viewer, watcher in (self._listeners.shown or {}).items()}
        return MatchListeners(self.keep, shown, self._listeners.note)

    def _later(self, watcher: Watcher) -> Watcher:
        return lambda told: watcher(told) if told.number >= len(self._past) else None


def resume_match(
    spec: MatchSpec, past: Sequence[Event], listeners: MatchListeners, say: Callable[[str], None]
) -> tuple[Match, Outcome]:
    """Play an interrupted match to its end; only new events are stored and shown.

    If all players repeat their answers, they play the past again, unseen, so that their own state is restored and the
    record becomes that of an uninterrupted match. If a player cannot be asked again, or answers differently, new
    players continue from the record, and `say` receives a sentence about it.

    Raise RecordError if the record does not replay or is of another match, ConfigError if a player cannot be made.
    """
    resumed = Match.resume(past)
    if not agrees(spec, resumed.state.opened):
        raise RecordError("the record and the specification stored with it are of different matches", number=0)
    begun = any(isinstance(event, ev.Started) for event in past)
    if begun and (once := spec.once_only()):
        who = ", ".join(f"{seat} ({name})" for seat, name in once.items())
        say(f"{who} cannot be asked again: all players are new, and continue from the record")
    else:
        rehearsal = Rehearsal(past, listeners)
        try:
            return play_match(spec, None, rehearsal.listeners())
        except RecordError:
            if rehearsal.differs is None:
                raise
            if not begun:
                raise RecordError("the match had not begun: play it again", number=rehearsal.differs) from None
            say(f"event {rehearsal.differs} differs this time: all players are new, and continue from the record")
    return resumed, _played(spec, resumed, _seated_now(spec, resumed, listeners), listeners)


def _seated_now(spec: MatchSpec, match: Match, listeners: MatchListeners) -> dict[Seat, Player]:
    """Return new players for the seats that are taken at the end of a record, stand-ins among them."""
    begun, lost = False, set()
    for event in match.record:
        begun |= isinstance(event, ev.Started)
        if begun and isinstance(event, ev.Left):
            lost.add(event.seat)
    found: dict[Seat, Player] = {}
    for seat, player in spec.players.items():
        place = match.state.places[seat]
        sits = spec.stand_in if seat in lost and spec.stand_in is not None else player
        if place.present and not place.removed:
            found[seat] = sits.make(spec.game, None if listeners.note is None else listeners.note(sits.shown))
    return found
