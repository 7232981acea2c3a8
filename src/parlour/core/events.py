"""Events: what happened. A record is nothing but these, and everything else follows from it.

Each event carries at, the time on the match's clock. Its number is its place in the record. `seen_by` is the one
place that says which events a seat or a spectator may see, and how much of them.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.core.fouls import Consequence, Standing
from parlour.core.game import FoulKind, Game, Happened, Outcome, Plain, Seat, Seed, Violation
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.terms import Terms


class _Event(msgspec.Struct, frozen=True, gc=False, tag_field="event"):
    """Base of all events. They hold no cycles, so the collector need not look at them: records are long."""

    at: float


class Opened(_Event, frozen=True, tag="opened"):
    """The match exists: the game, its configuration, the terms, the seed. Always the first event."""

    game: str
    config: dict[str, Plain]
    terms: Terms
    seed: Seed
    match: str = ""


class Joined(_Event, frozen=True, tag="joined"):
    """A player took a seat, before the start or as a substitute."""

    seat: Seat
    name: str
    player_type: PlayerType


class Left(_Event, frozen=True, tag="left"):
    """A player left; before the start the seat is free again, afterwards it is vacant."""

    seat: Seat


class Started(_Event, frozen=True, tag="started"):
    """Play begins with these seats in this position."""

    seats: tuple[Seat, ...]
    position: Plain


class TurnBegan(_Event, frozen=True, tag="turn began"):
    """These seats are to act."""

    turn: int
    stage: str
    to_act: tuple[Seat, ...]
    deadlines: dict[str, float] = {}
    """When each seat's time is up; empty without clocks."""


class Acted(_Event, frozen=True, tag="acted"):
    """A seat submitted an action; secret until the turn ends."""

    seat: Seat
    turn: int
    action: Plain
    violations: tuple[Violation, ...] = ()
    """What was refused of it, where conduct mends actions."""
    given: bool = True
    """False if the referee put in what an absent seat does."""


class Retracted(_Event, frozen=True, tag="retracted"):
    """A seat took its action back."""

    seat: Seat
    turn: int


class WaitSet(_Event, frozen=True, tag="wait set"):
    """A seat raised or lowered its wait flag."""

    seat: Seat
    wait: bool


class CommStatusSet(_Event, frozen=True, tag="comm status set"):
    """A seat said whether it is ready to talk."""

    seat: Seat
    status: CommStatus


class Said(_Event, frozen=True, tag="said"):
    """Press. To is empty if it is for all."""

    seat: Seat
    to: tuple[Seat, ...]
    text: str
    turn: int


class PressOpened(_Event, frozen=True, tag="press opened"):
    """The press window is open until the given time."""

    turn: int
    until: float


class PressClosed(_Event, frozen=True, tag="press closed"):
    """The press window is shut."""

    turn: int


class Voted(_Event, frozen=True, tag="voted"):
    """A seat voted on a draw."""

    seat: Seat
    ballot: Ballot


class Fouled(_Event, frozen=True, tag="fouled"):
    """A seat misbehaved, and what follows."""

    seat: Seat
    kind: FoulKind
    stage: str
    turn: int
    detail: str
    does: Consequence
    standing: Standing | None = None
    violation: Violation | None = None


class Removed(_Event, frozen=True, tag="removed"):
    """A seat is out of the match."""

    seat: Seat
    reason: str
    standing: Standing | None = None


class TurnEnded(_Event, frozen=True, tag="turn ended"):
    """The turn is over: what each seat did, who passed, and what came of it."""

    turn: int
    actions: dict[str, Plain]
    happened: Happened
    defaulted: tuple[Seat, ...] = ()
    """Seats whose action the referee put in."""
    passed: tuple[Seat, ...] = ()
    """Seats whose turn was skipped."""


class PositionSet(_Event, frozen=True, tag="position set"):
    """A moderator set the position."""

    by: str
    position: Plain


class Paused(_Event, frozen=True, tag="paused"):
    """The clocks stand still."""

    by: str


class Resumed(_Event, frozen=True, tag="resumed"):
    """The clocks run again."""

    by: str


class TurnForced(_Event, frozen=True, tag="turn forced"):
    """A moderator completed the turn."""

    by: str
    turn: int


class Ended(_Event, frozen=True, tag="ended"):
    """The match is over. Always the last event, but for notes of fouls at the very end."""

    outcome: Outcome
    removed: dict[str, Standing | None] = {}


Event: TypeAlias = (
    Opened
    | Joined
    | Left
    | Started
    | TurnBegan
    | Acted
    | Retracted
    | WaitSet
    | CommStatusSet
    | Said
    | PressOpened
    | PressClosed
    | Voted
    | Fouled
    | Removed
    | TurnEnded
    | PositionSet
    | Paused
    | Resumed
    | TurnForced
    | Ended
)


def seen_by(event: Event, seat: Seat | None, game: Game) -> Event | None:
    """The event as that seat, or a spectator (None), may see it; None if it is none of their business."""
    match event:
        case Acted() if event.seat != seat:
            return Acted(at=event.at, seat=event.seat, turn=event.turn, action=None, given=event.given)
        case Said() if event.to and seat != event.seat and seat not in event.to:
            return None
        case Fouled() if event.seat != seat and event.violation is not None:
            # The violation quotes the action, which may still be secret.
            return msgspec.structs.replace(event, violation=None, detail=event.violation.kind)
        case Opened():
            # Whoever knows the seed knows what was dealt.
            return msgspec.structs.replace(event, seed=0)
        case Started() | PositionSet():
            return msgspec.structs.replace(event, position=game.decode(event.position).view(seat).encode())
        case _:
            return event
