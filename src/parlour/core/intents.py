"""Intents: what someone at the table wants to do. Match.handle takes them; nothing else changes a match.

Players' intents carry their seat. Moderators' intents carry by, the moderator's name, and are trusted: whoever hosts
the match decides who may send them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from parlour.core.game import FoulKind, Plain, Seat


class PlayerType(StrEnum):
    """Who sits there, as announced when joining."""

    HUMAN = "human"
    NO_PRESS_BOT = "no_press_bot"
    PRESS_BOT = "press_bot"


class CommStatus(StrEnum):
    """Whether a player is ready to talk."""

    INACTIVE = "inactive"
    BUSY = "busy"
    READY = "ready"


class Ballot(StrEnum):
    """A vote on a draw."""

    YES = "yes"
    NO = "no"
    NEUTRAL = "neutral"


class RefusalCode(StrEnum):
    """Why an intent was not taken."""

    NOT_STARTED = "not started"
    OVER = "over"
    UNKNOWN_SEAT = "unknown seat"
    NOT_SEATED = "not seated"
    SEAT_TAKEN = "seat taken"
    NO_SEAT_FREE = "no seat free"
    OUT_OF_TURN = "out of turn"
    TOO_LATE = "too late"
    ILLEGAL = "illegal"
    OUT_OF_GAME = "out of the game"
    PRESS_CLOSED = "press closed"
    PRESS_LEVEL = "press level"
    TOO_LONG = "too long"
    TOO_MUCH = "too much"
    BAD_VALUE = "bad value"
    NO_CHANGE = "no change"


class Refusal(msgspec.Struct, frozen=True):
    """The answer to an intent that changed nothing: told to its sender, kept out of the record."""

    code: RefusalCode
    reason: str


class _Intent(msgspec.Struct, frozen=True, gc=False, tag_field="intent"):
    """Base of all intents."""


class Act(_Intent, frozen=True, tag="act"):
    """Play an action; replaces an earlier one of the same turn."""

    seat: Seat
    action: Plain
    turn: int | None = None
    """The turn it answers; an answer to an earlier turn is refused as late. None: the current one."""


class Retract(_Intent, frozen=True, tag="retract"):
    """Take back the action of this turn."""

    seat: Seat


class Say(_Intent, frozen=True, tag="say"):
    """Send press to some seats, or to all (to is empty)."""

    seat: Seat
    text: str
    to: tuple[Seat, ...] = ()


class SetCommStatus(_Intent, frozen=True, tag="set comm status"):
    """Announce whether one is ready to talk."""

    seat: Seat
    status: CommStatus


class SetWait(_Intent, frozen=True, tag="set wait"):
    """Raise or lower the wait flag: while one is up the turn waits for its clock."""

    seat: Seat
    wait: bool


class Vote(_Intent, frozen=True, tag="vote"):
    """Vote on a draw among all who are still in the game."""

    seat: Seat
    ballot: Ballot


class Join(_Intent, frozen=True, tag="join"):
    """Take a seat: a given one, or (None) the first that is free."""

    name: str
    seat: Seat | None = None
    player_type: PlayerType = PlayerType.HUMAN


class Leave(_Intent, frozen=True, tag="leave"):
    """Leave the seat. Once the match has started, conduct decides what that costs."""

    seat: Seat


class Report(_Intent, frozen=True, tag="report"):
    """A driver reports a foul that it saw at the player's side: a crash, garbage, a lost connection."""

    seat: Seat
    kind: FoulKind
    detail: str
    stage: str | None = None
    """Where it happened, if outside a turn: identify, end."""
    turn: int | None = None


class Start(_Intent, frozen=True, tag="start"):
    """Start with the seats that are taken."""

    by: str


class Pause(_Intent, frozen=True, tag="pause"):
    """Stop the clocks; actions are still taken, but the turn does not end before the match is resumed."""

    by: str


class Resume(_Intent, frozen=True, tag="resume"):
    """Go on after a pause; clocks have the time left that they had."""

    by: str


class Cancel(_Intent, frozen=True, tag="cancel"):
    """End the match without a result."""

    by: str
    reason: str = "cancelled"


class ForceTurn(_Intent, frozen=True, tag="force turn"):
    """Complete the turn now; seats that have not acted do what an absent seat does, without a foul."""

    by: str


class SetPosition(_Intent, frozen=True, tag="set position"):
    """Go on from another position, given as Position.encode gave it."""

    by: str
    position: Plain


class Remove(_Intent, frozen=True, tag="remove"):
    """Remove a seat from the match."""

    by: str
    seat: Seat
    reason: str = "removed by a moderator"


class Substitute(_Intent, frozen=True, tag="substitute"):
    """Put another player on a seat that is in the match."""

    by: str
    seat: Seat
    name: str
    player_type: PlayerType = PlayerType.HUMAN


Intent: TypeAlias = (
    Act
    | Retract
    | Say
    | SetCommStatus
    | SetWait
    | Vote
    | Join
    | Leave
    | Report
    | Start
    | Pause
    | Resume
    | Cancel
    | ForceTurn
    | SetPosition
    | Remove
    | Substitute
)
