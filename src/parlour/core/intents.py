"""Intents: the wishes of players, moderators and hosts. Match.handle takes them; nothing else changes a match.

Each intent declares its sender. Players' intents carry their seat. Moderators' intents carry `by`, the moderator's
name, and are trusted: the host of the match decides who may send them. Intents with by_proxy may be sent for a seat,
even a vacant one, by a moderator or by a player of several seats, whose name is then in `by`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, TypeAlias

import msgspec

from parlour.core.game import FoulKind, Outcome, Plain, Seat


class PlayerType(StrEnum):
    """The kind of player, as announced when joining."""

    HUMAN = "human"
    NO_PRESS_BOT = "no_press_bot"
    PRESS_BOT = "press_bot"


class CommStatus(StrEnum):
    """A player's readiness to talk."""

    INACTIVE = "inactive"
    BUSY = "busy"
    READY = "ready"


class Ballot(StrEnum):
    """A vote on a draw."""

    YES = "yes"
    NO = "no"
    NEUTRAL = "neutral"


class RefusalCode(StrEnum):
    """The reason for which an intent was refused."""

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
    NO_SEALS = "no seals"
    UNSEALED = "unsealed"


class Consultation(msgspec.Struct, frozen=True):
    """A model call for a seat: the prompt, the answer, and its tokens, dollars and seconds."""

    purpose: str
    """Purpose of the call: talk, or the stage of the turn; the second attempt adds ", repair"."""
    model: str
    prompt: str
    answer: str
    attempt: int = 1
    system: str = ""
    """Hash of the system text, which stands before the prompt."""
    system_text: str = ""
    """The system text; empty if an earlier call of the seat has recorded it."""
    host: str = ""
    """The host at which the model was called; never a key."""
    verdict: str = "exact"
    """Quality of the answer: exact, lenient, repaired, truncated, empty, unparsable, illegal, transport."""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_reasoning: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    estimated: bool = False
    """True if the tokens were estimated because the provider did not report them."""
    priced: bool = True
    """True if the price is known; if not, usd means nothing."""
    fault: str = ""
    """The transport error, where the verdict is transport."""

    @property
    def tokens(self) -> int:
        """Number of tokens that are charged: input, output and reasoning."""
        return self.tokens_in + self.tokens_out + self.tokens_reasoning


class Refusal(msgspec.Struct, frozen=True):
    """The answer to an intent that was not accepted: sent to its sender, not recorded."""

    code: RefusalCode
    reason: str


class IntentSender(StrEnum):
    """The group that may submit an intent."""

    SEAT = "seat"
    MODERATOR = "moderator"
    HOST = "host"


class _Intent(msgspec.Struct, frozen=True, gc=False, tag_field="intent"):
    """Base of all intents."""

    sender: ClassVar[IntentSender]
    by_proxy: ClassVar[bool] = False
    """True if a moderator, or a player of several seats, may send it for the seat, with their name in `by`."""

    def is_own(self, seats: Sequence[Seat]) -> bool:
        """Return True if the intent is one of these seats' own, not by a proxy."""
        own = self.sender is IntentSender.SEAT and getattr(self, "seat", None) in seats
        return own and not getattr(self, "by", "")


class Act(_Intent, frozen=True, tag="act"):
    """Play an action; replaces an earlier one of the same turn."""

    sender = IntentSender.SEAT
    by_proxy = True

    seat: Seat
    action: Plain
    turn: int | None = None
    """The turn it answers; an answer to an earlier turn is refused as late. None: the current one."""
    by: str = ""
    sealable: bool = True
    """False if the player's protocol has no seals: the action is then accepted without one, and marked."""


class Retract(_Intent, frozen=True, tag="retract"):
    """Take back the action of this turn."""

    sender = IntentSender.SEAT
    by_proxy = True

    seat: Seat
    by: str = ""


class Say(_Intent, frozen=True, tag="say"):
    """Send press to some seats, or to all (to is empty)."""

    sender = IntentSender.SEAT

    seat: Seat
    text: str
    to: tuple[Seat, ...] = ()


class SetCommStatus(_Intent, frozen=True, tag="set comm status"):
    """Announce readiness to talk: ready, busy or inactive."""

    sender = IntentSender.SEAT
    by_proxy = True

    seat: Seat
    status: CommStatus
    by: str = ""


class SetWait(_Intent, frozen=True, tag="set wait"):
    """Raise or lower the wait flag: while a flag is up, the turn waits until its clock runs out."""

    sender = IntentSender.SEAT
    by_proxy = True

    seat: Seat
    wait: bool
    by: str = ""


class Vote(_Intent, frozen=True, tag="vote"):
    """Vote on a draw among all who are still in the game, or among some of them.

    A vote on one set of seats leaves those on other sets as they are.
    """

    sender = IntentSender.SEAT

    seat: Seat
    ballot: Ballot
    among: tuple[Seat, ...] = ()
    """The seats that would share in the draw; empty: all that are still in the game."""


class Join(_Intent, frozen=True, tag="join"):
    """Take a seat: a given one, or (None) the first that is free."""

    sender = IntentSender.SEAT

    name: str
    seat: Seat | None = None
    player_type: PlayerType = PlayerType.HUMAN
    by: str = ""
    """The moderator who seats the player; empty if the player sits down."""


class Leave(_Intent, frozen=True, tag="leave"):
    """Leave the seat. Once the match has started, conduct decides the cost."""

    sender = IntentSender.SEAT

    seat: Seat
    by: str = ""
    """The moderator who takes the seat away; empty if the player leaves."""


class Note(_Intent, frozen=True, tag="note"):
    """Write a note for the seat itself and for viewers who see everything: a log, a plan, a reason."""

    sender = IntentSender.SEAT

    seat: Seat
    text: str


class Seal(_Intent, frozen=True, tag="seal"):
    """Record the secret plan of a seat; each seal of a turn replaces the one before."""

    sender = IntentSender.SEAT

    seat: Seat
    action: Plain = None
    """The action that is planned now, in Diplomacy the orders of all own units; None if not given."""
    stances: dict[str, str] = {}
    """Stance on each arrangement, such as `PCE ( AUS ITA )`: keep, break, or until and a phase."""
    expects: dict[str, Plain] = {}
    """Actions that are expected of other seats."""
    text: str = ""


def seal_of(seat: Seat, action: Plain, stances: Mapping[str, str], text: str, expects: Mapping[Seat, Plain]) -> Seal:
    """Return a seal with a player's values, converted to the types of its fields."""
    return Seal(
        seat,
        action,
        {str(what): str(stance) for what, stance in stances.items()},
        {str(other): expected for other, expected in expects.items()},
        str(text),
    )


class ReserveBudget(_Intent, frozen=True, tag="reserve"):
    """Reserve tokens and dollars of the seat's budget before a model is called; refused if too little is left."""

    sender = IntentSender.SEAT

    seat: Seat
    tokens: int
    usd: float = 0.0


class RecordModelCall(_Intent, frozen=True, tag="consult"):
    """Settle a reservation: the model call, its answer, and its cost."""

    sender = IntentSender.SEAT

    seat: Seat
    consultation: Consultation
    call: int | None = None
    """The call number from Reserved; None if nothing was reserved."""


class Report(_Intent, frozen=True, tag="report"):
    """Report a foul that a driver detected: a crash, a garbled answer, a lost connection."""

    sender = IntentSender.HOST

    seat: Seat
    kind: FoulKind
    detail: str
    stage: str | None = None
    """The stage of a foul outside a turn: identify, end; None means the stage of the match."""
    turn: int | None = None


class Announce(_Intent, frozen=True, tag="proclaim"):
    """Announce something to all on behalf of the host; it is not press."""

    sender = IntentSender.MODERATOR

    by: str
    text: str
    advice: bool | str | msgspec.UnsetType = msgspec.UNSET
    """True for a message of an adviser who sees everything, or its kind; not set for the host's."""


class Start(_Intent, frozen=True, tag="start"):
    """Start with the seats that are taken; the terms decide about the others."""

    sender = IntentSender.MODERATOR

    by: str


class Pause(_Intent, frozen=True, tag="pause"):
    """Stop the clocks; actions are still taken, but the turn does not end before the match is resumed."""

    sender = IntentSender.MODERATOR

    by: str


class Resume(_Intent, frozen=True, tag="resume"):
    """Continue after a pause; clocks have the time left that they had."""

    sender = IntentSender.MODERATOR

    by: str


class Cancel(_Intent, frozen=True, tag="cancel"):
    """End the match without a result."""

    sender = IntentSender.MODERATOR

    by: str
    reason: str = "cancelled"


class EndWithResult(_Intent, frozen=True, tag="conclude"):
    """End the match with a result: a draw of all who are still in the game, unless another outcome is given."""

    sender = IntentSender.MODERATOR

    by: str
    outcome: Outcome | None = None


class Extend(_Intent, frozen=True, tag="extend"):
    """Move the deadlines of the turn that runs; fewer than 0 seconds bring them nearer."""

    sender = IntentSender.MODERATOR

    by: str
    seconds: float


class Downtime(_Intent, frozen=True, tag="downtime"):
    """Report that the host was down for some seconds. Deadlines that passed meanwhile do not take effect before it."""

    sender = IntentSender.HOST

    by: str
    seconds: float


class ForceTurn(_Intent, frozen=True, tag="force turn"):
    """Complete the turn now; seats that have not acted get the default of an absent seat, without a foul."""

    sender = IntentSender.MODERATOR

    by: str


class SetPosition(_Intent, frozen=True, tag="set position"):
    """Continue from another position, in the form that Position.encode gives."""

    sender = IntentSender.MODERATOR

    by: str
    position: Plain


class Remove(_Intent, frozen=True, tag="remove"):
    """Remove a seat from the match."""

    sender = IntentSender.MODERATOR

    by: str
    seat: Seat
    reason: str = "removed by a moderator"


class Substitute(_Intent, frozen=True, tag="substitute"):
    """Put another player on a seat that is in the match."""

    sender = IntentSender.MODERATOR

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
    | Seal
    | ReserveBudget
    | RecordModelCall
    | Report
    | Announce
    | Start
    | Pause
    | Resume
    | Cancel
    | EndWithResult
    | Extend
    | Downtime
    | ForceTurn
    | SetPosition
    | Remove
    | Substitute
)
