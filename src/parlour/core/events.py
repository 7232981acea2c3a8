"""Events of a match. A record consists of events only, and everything else follows from them.

Each event carries at, the time on the match's clock. Its number is its place in the record. Each says for itself, in
its method seen, who may see it and how much of it: `seen = open_to_all`, or a filter. An event without one raises
NotImplementedError. Each also says whether it is routine, whether it outlasts its turn, and what it changes.
"""

from __future__ import annotations

from typing import TypeAlias, get_args

import msgspec

from parlour.core.event_base import EventBase, for_its_seat, open_to_all, open_to_privy, position_as_seen
from parlour.core.fouls import Consequence, Standing
from parlour.core.game import FoulKind, Game, Happened, Outcome, Plain, Seat, Seed, Violation
from parlour.core.intents import Ballot, CommStatus, Consultation, PlayerType
from parlour.core.terms import SealOpening, Terms
from parlour.core.viewers import Viewer, Visibility

_FOULS = frozenset(kind.value for kind in FoulKind)
VERSION = 2
"""Version of the format of records. Those of version 1 lack some fields; a replay checks those that they have."""
REMOVED = "removed"  # the reason that others see for a removal without a foul


class Opened(EventBase, frozen=True, tag="opened"):
    """The match exists: the game, its configuration, the terms, the seed. Always the first event."""

    game: str
    config: dict[str, Plain]
    terms: Terms
    seed: Seed
    match: str = ""
    date: float | None = None
    """Time of the event in Unix seconds; None if the match is played on virtual time. See `moment`."""
    version: int = 1
    """Version of the record format, by which the record is checked; see VERSION."""

    def moment(self, event: Event) -> float | None:
        """Return the time of an event in Unix seconds, or None in a match on virtual time."""
        return None if self.date is None else self.date + (event.at - self.at)

    def seen(self, viewer: Viewer, game: Game) -> Opened:
        # The seed gives away all random choices, past and future.
        if viewer.visibility is Visibility.MODERATOR or viewer.hindsight:
            return self
        return msgspec.structs.replace(self, seed=0)


class Joined(EventBase, frozen=True, tag="joined", omit_defaults=True):
    """A player took a seat, before the start or as a substitute."""

    changes_player = True

    seat: Seat
    name: str
    player_type: PlayerType
    by: str = ""
    """The moderator who seated the player; empty if the player sat down."""

    seen = open_to_all


class Left(EventBase, frozen=True, tag="left", omit_defaults=True):
    """A player left; before the start the seat is free again, afterwards it is vacant."""

    changes_player = True

    seat: Seat
    by: str = ""
    """The moderator who took the seat away; empty if the player left."""

    seen = open_to_all


class Started(EventBase, frozen=True, tag="started"):
    """Play begins with these seats in this position."""

    changes_position = True

    seats: tuple[Seat, ...]
    position: Plain

    seen = position_as_seen


class TurnBegan(EventBase, frozen=True, tag="turn began"):
    """A turn began; the seats in `to_act` are to act."""

    fleeting = True

    turn: int
    stage: str
    to_act: tuple[Seat, ...]
    deadlines: dict[str, float] = msgspec.field(default_factory=dict)
    """Time at which each seat's turn ends; empty without clocks."""

    seen = open_to_all


class Acted(EventBase, frozen=True, tag="acted"):
    """A seat submitted an action. Others see the action in TurnEnded."""

    routine = fleeting = True

    seat: Seat
    turn: int
    action: Plain
    violations: tuple[Violation, ...] = ()
    """The parts that were refused, where conduct repairs actions."""
    given: bool = True
    """False if the referee used the default of an absent seat."""
    by: str = ""
    """The proxy who submitted it, if not the player."""
    unsealed: bool | msgspec.UnsetType = msgspec.UNSET
    """True if the terms required a sealed plan and there was none since the last message; else not stored."""

    def seen(self, viewer: Viewer, game: Game) -> Acted:
        # The fact that a seat has acted is public. The action and its repairs stay hidden until the turn ends.
        if viewer.knows(self.seat):
            return self
        last = _LastActed.found
        if last is None or last[0] is not self:
            last = _LastActed.found = self, Acted(self.at, self.seat, self.turn, None, given=self.given)
        return last[1]


class _LastActed:
    """The last action that was hidden, with its public form, which all other viewers share."""

    found: tuple[Acted, Acted] | None = None


class Retracted(EventBase, frozen=True, tag="retracted"):
    """A seat took its action back."""

    fleeting = True

    seat: Seat
    turn: int
    by: str = ""

    seen = open_to_all


class WaitSet(EventBase, frozen=True, tag="wait set"):
    """A seat raised or lowered its wait flag."""

    routine = fleeting = True

    seat: Seat
    wait: bool
    by: str = ""

    seen = open_to_all


class CommStatusSet(EventBase, frozen=True, tag="comm status set"):
    """A seat announced its readiness to talk."""

    fleeting = True

    seat: Seat
    status: CommStatus
    by: str = ""

    seen = open_to_all


class Said(EventBase, frozen=True, tag="said"):
    """Press from a seat; `to` is empty if it is for all."""

    inert = True

    seat: Seat
    to: tuple[Seat, ...]
    text: str
    turn: int

    def privy(self) -> tuple[Seat, ...] | None:
        return (self.seat, *self.to) if self.to else None

    seen = open_to_privy


class Noted(EventBase, frozen=True, tag="noted"):
    """A seat wrote a note for itself and for viewers who see everything."""

    inert = True

    seat: Seat
    text: str
    turn: int

    privy = for_its_seat
    seen = open_to_privy


class Sealed(EventBase, frozen=True, tag="sealed"):
    """A seat sealed its plan; others see it when the seal opens, if it ever does."""

    seat: Seat
    turn: int
    action: Plain = None
    stances: dict[str, str] = msgspec.field(default_factory=dict)
    expects: dict[str, Plain] = msgspec.field(default_factory=dict)
    text: str = ""
    opens: SealOpening = SealOpening.MATCH

    privy = for_its_seat

    @property
    def opens_later(self) -> bool:
        return self.opens is SealOpening.MATCH

    seen = open_to_privy


class SealWanted(EventBase, frozen=True, tag="seal wanted"):
    """An action was refused because the seat had not sealed its plan; the next one is accepted without a seal."""

    seat: Seat
    turn: int

    privy = for_its_seat
    seen = open_to_privy


class Reserved(EventBase, frozen=True, tag="reserved"):
    """A seat reserved tokens and dollars of its budget for a model call."""

    inert = True

    seat: Seat
    turn: int
    call: int
    tokens: int
    usd: float

    privy = for_its_seat

    @property
    def opens_later(self) -> bool:
        return True

    seen = open_to_privy


class Consulted(EventBase, frozen=True, tag="consulted"):
    """A seat called a model. Others see the event when the match is over."""

    inert = True

    seat: Seat
    turn: int
    consultation: Consultation
    call: int | None = None

    privy = for_its_seat

    @property
    def opens_later(self) -> bool:
        return True

    seen = open_to_privy


class Proclaimed(EventBase, frozen=True, tag="proclaimed"):
    """The host of the match, or an adviser who sees everything, sent an announcement to all."""

    inert = True

    by: str
    text: str
    advice: bool | str | msgspec.UnsetType = msgspec.UNSET
    """True for a message of an adviser, or its kind; not stored otherwise."""

    seen = open_to_all


class PressOpened(EventBase, frozen=True, tag="press opened"):
    """The press window is open until the given time."""

    fleeting = True

    turn: int
    until: float

    seen = open_to_all


class PressClosed(EventBase, frozen=True, tag="press closed"):
    """The press window is shut."""

    fleeting = True

    turn: int

    seen = open_to_all


class Voted(EventBase, frozen=True, tag="voted"):
    """A seat voted on a draw."""

    fleeting = True

    seat: Seat
    ballot: Ballot
    in_favour: int | None = None
    """Number of votes for this draw after the event; None in records of version 1."""
    among: tuple[Seat, ...] = ()
    """The seats that would share in that draw, if not all that are still in the game."""

    def seen(self, viewer: Viewer, game: Game) -> Voted:
        # A ballot is as secret as orders. The number of ballots is public only for a draw of all: the number of ballots
        # for a draw among some seats would be taken for it.
        if viewer.knows(self.seat):
            return self
        return Voted(self.at, Seat(""), Ballot.NEUTRAL, None if self.among else self.in_favour)


class Fouled(EventBase, frozen=True, tag="fouled"):
    """A foul of a seat, with its consequence."""

    seat: Seat
    kind: FoulKind
    stage: str
    turn: int
    detail: str
    does: Consequence
    standing: Standing | None = None
    violation: Violation | None = None

    def seen(self, viewer: Viewer, game: Game) -> Fouled:
        # The violation quotes an action that may still be secret, and the detail may hold the words of a program's
        # error: others see only the kind of foul.
        if viewer.owns(self.seat):
            return self
        return msgspec.structs.replace(self, violation=None, detail=self.kind.value)


class Removed(EventBase, frozen=True, tag="removed"):
    """A seat is out of the match."""

    changes_position = changes_player = True

    seat: Seat
    reason: str
    standing: Standing | None = None

    @property
    def reason_words(self) -> str:
        """The reason as people read it, with the word of the foul instead of its kind."""
        kind, colon, detail = self.reason.partition(":")
        return FoulKind(kind).word + colon + detail if kind in _FOULS else self.reason

    def seen(self, viewer: Viewer, game: Game) -> Removed:
        # The reason begins with the kind of foul; the rest is hidden as in Fouled.
        if viewer.owns(self.seat):
            return self
        kind = self.reason.partition(":")[0]
        return msgspec.structs.replace(self, reason=kind if kind in _FOULS else REMOVED)


class TurnEnded(EventBase, frozen=True, tag="turn ended"):
    """The turn is over: the action of each seat, the seats that passed, and the results."""

    changes_position = True

    turn: int
    actions: dict[str, Plain]
    happened: Happened
    defaulted: tuple[Seat, ...] = ()
    """Seats whose action the referee filled in."""
    passed: tuple[Seat, ...] = ()
    """Seats whose turn was skipped."""

    def seen(self, viewer: Viewer, game: Game) -> TurnEnded:
        # Actions are open now, unless the game keeps some of them covered.
        covered = getattr(game, "turn_seen", None)
        if covered is None or viewer.sees_all:
            return self
        actions, happened = covered(self.actions, self.happened, viewer)
        if actions is self.actions and happened is self.happened:
            return self
        return msgspec.structs.replace(self, actions=actions, happened=happened)


class PositionSet(EventBase, frozen=True, tag="position set"):
    """A moderator set the position."""

    changes_position = True

    by: str
    position: Plain

    seen = position_as_seen


class Paused(EventBase, frozen=True, tag="paused"):
    """The clocks stand still: a moderator paused the match, or (`by` is empty) players are missing."""

    by: str

    seen = open_to_all


class Resumed(EventBase, frozen=True, tag="resumed"):
    """The clocks run again."""

    by: str
    deadlines: dict[str, float] = msgspec.field(default_factory=dict)
    """New deadlines of the turn, after a stop for want of a quorum; if empty, the old ones move by the pause."""

    seen = open_to_all


class Extended(EventBase, frozen=True, tag="extended"):
    """A moderator moved the deadlines of the turn."""

    by: str
    turn: int
    seconds: float

    seen = open_to_all


class Stalled(EventBase, frozen=True, tag="stalled"):
    """The host was down for some seconds up to now, and nobody could act. Terms decide if deadlines move."""

    by: str
    seconds: float

    seen = open_to_all


class TurnForced(EventBase, frozen=True, tag="turn forced"):
    """A moderator completed the turn."""

    by: str
    turn: int

    seen = open_to_all


class Ended(EventBase, frozen=True, tag="ended"):
    """The match is over. Only fouls at the very end may follow."""

    outcome: Outcome
    removed: dict[str, Standing | None] = msgspec.field(default_factory=dict)
    by: str = ""
    """The moderator who ended the match; empty if it ended by the rules."""

    seen = open_to_all


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
    | Noted
    | Sealed
    | SealWanted
    | Reserved
    | Consulted
    | Proclaimed
    | PressOpened
    | PressClosed
    | Voted
    | Fouled
    | Removed
    | TurnEnded
    | PositionSet
    | Paused
    | Resumed
    | Extended
    | Stalled
    | TurnForced
    | Ended
)
EVENTS: tuple[type[Event], ...] = get_args(Event)


def seen_by(event: Event, viewer: Viewer, game: Game) -> Event | None:
    """Return the event as that viewer may see it; None if the viewer may not know of it."""
    return event.seen(viewer.at(event.at) if viewer.spans else viewer, game)
