"""Intents: what someone at the table wants to do. Match.handle takes them; nothing else changes a match.

Players' intents carry their seat. Moderators' intents carry by, the moderator's name, and are trusted: whoever hosts
the match decides who may send them. Where a player's intent has a by, a proxy sends it for the seat, which may be
vacant: a moderator, or somebody who plays for several seats.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from parlour.core.game import FoulKind, Outcome, Plain, Seat


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


class Consultation(msgspec.Struct, frozen=True):
    """One call of a model for a seat: what was asked, what was answered, and what it took."""

    purpose: str
    """Talk, orders, repair: what the answer was for."""
    model: str
    prompt: str
    answer: str
    attempt: int = 1
    system: str = ""
    """The hash of what stands before the prompt and does not change in the match."""
    system_text: str = ""
    """That text, once a match; empty where the seat's record has it already."""
    host: str = ""
    """Where the model was called; never a key."""
    verdict: str = "exact"
    """How the answer could be read: exact, lenient, repaired, truncated, empty, unparsable, illegal, transport."""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_reasoning: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    estimated: bool = False
    """Whether the tokens were counted by us because the provider did not say."""
    priced: bool = True
    """Whether the price is known; if not, usd says nothing."""
    fault: str = ""
    """What went wrong on the way, where the verdict is transport."""

    @property
    def tokens(self) -> int:
        """All tokens that are charged."""
        return self.tokens_in + self.tokens_out + self.tokens_reasoning


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
    by: str = ""


class Retract(_Intent, frozen=True, tag="retract"):
    """Take back the action of this turn."""

    seat: Seat
    by: str = ""


class Say(_Intent, frozen=True, tag="say"):
    """Send press to some seats, or to all (to is empty)."""

    seat: Seat
    text: str
    to: tuple[Seat, ...] = ()


class SetCommStatus(_Intent, frozen=True, tag="set comm status"):
    """Announce whether one is ready to talk."""

    seat: Seat
    status: CommStatus
    by: str = ""


class SetWait(_Intent, frozen=True, tag="set wait"):
    """Raise or lower the wait flag: while one is up the turn waits for its clock."""

    seat: Seat
    wait: bool
    by: str = ""


class Vote(_Intent, frozen=True, tag="vote"):
    """Vote on a draw among all who are still in the game, or among some of them.

    A vote on one set of seats leaves those on other sets as they are.
    """

    seat: Seat
    ballot: Ballot
    among: tuple[Seat, ...] = ()
    """Who would share in it; empty: all who are still in the game."""


class Join(_Intent, frozen=True, tag="join"):
    """Take a seat: a given one, or (None) the first that is free."""

    name: str
    seat: Seat | None = None
    player_type: PlayerType = PlayerType.HUMAN


class Leave(_Intent, frozen=True, tag="leave"):
    """Leave the seat. Once the match has started, conduct decides what that costs."""

    seat: Seat


class Note(_Intent, frozen=True, tag="note"):
    """Write something down for oneself and for those who see everything: a log, a plan, a reason."""

    seat: Seat
    text: str


class Reserve(_Intent, frozen=True, tag="reserve"):
    """Set something of one's banks aside before a model is called; refused if it is not there."""

    seat: Seat
    tokens: int
    usd: float = 0.0


class Consult(_Intent, frozen=True, tag="consult"):
    """Settle what was set aside: how a model was called, what it said, and what that cost."""

    seat: Seat
    consultation: Consultation
    call: int | None = None
    """The number that Reserved gave; None where no bank is kept."""


class Report(_Intent, frozen=True, tag="report"):
    """A driver reports a foul that it saw at the player's side: a crash, garbage, a lost connection."""

    seat: Seat
    kind: FoulKind
    detail: str
    stage: str | None = None
    """Where it happened, if outside a turn: identify, end."""
    turn: int | None = None


class Proclaim(_Intent, frozen=True, tag="proclaim"):
    """Say something to all that is no press: an announcement of whoever hosts the match."""

    by: str
    text: str


class Start(_Intent, frozen=True, tag="start"):
    """Start with the seats that are taken; the terms say what becomes of the others."""

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


class Conclude(_Intent, frozen=True, tag="conclude"):
    """End the match with a result: a draw of all who are still in the game, unless another outcome is given."""

    by: str
    outcome: Outcome | None = None


class Extend(_Intent, frozen=True, tag="extend"):
    """Move the deadlines of the turn that runs; fewer than 0 seconds bring them nearer."""

    by: str
    seconds: float


class Downtime(_Intent, frozen=True, tag="downtime"):
    """Nobody could act for so long, up to now: a host comes back. What is due waits until this is known."""

    by: str
    seconds: float


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
    | Note
    | Reserve
    | Consult
    | Report
    | Proclaim
    | Start
    | Pause
    | Resume
    | Cancel
    | Conclude
    | Extend
    | Downtime
    | ForceTurn
    | SetPosition
    | Remove
    | Substitute
)
