"""Values inside the protocol's messages: press, phases, powers, games, and the closed lists of words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from parlour.core.game import Plain
from parlour.core.intents import Ballot, CommStatus

OBSERVER: Final = "observer_type"
OMNISCIENT: Final = "omniscient_type"
MASTER: Final = "master_type"
SPECIAL_ROLES: Final = (OBSERVER, OMNISCIENT)
"""Roles of a game that are not powers."""
GLOBAL: Final = "GLOBAL"
"""The recipient of press that is for all."""
OWN_AGENT: Final = "parlour"
"""Name of Parlour's own client, by which the server recognizes it."""
MAX_TYPE: Final = 64
"""Maximum characters of the type of a message."""
DUMMY: Final = "dummy"
"""The controller of a power that nobody controls."""
SEASON_WORDS: Final = {"S": "SPRING", "F": "FALL", "W": "WINTER"}
KIND_WORDS: Final = {"M": "MOVEMENT", "R": "RETREATS", "A": "ADJUSTMENTS"}


def long_phase(phase: str) -> str:
    """Return a phase in words: SPRING 1901 MOVEMENT for S1901M; COMPLETED is returned unchanged."""
    season, kind = SEASON_WORDS.get(phase[:1]), KIND_WORDS.get(phase[-1:])
    return f"{season} {phase[1:-1]} {kind}" if season and kind and len(phase) > 2 else phase


class GameStatus(StrEnum):
    """Status of a game in the protocol's words."""

    FORMING = "forming"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELED = "canceled"


class SeatedAs(StrEnum):
    """The player types of the fork: Parlour's three, and `none`."""

    HUMAN = "human"
    NO_PRESS_BOT = "no_press_bot"
    PRESS_BOT = "press_bot"
    NONE = "none"


class Grade(StrEnum):
    """Role of an account on a server or in a game."""

    OMNISCIENT = "omniscient"
    ADMIN = "admin"
    MODERATOR = "moderator"


class GradeUpdate(StrEnum):
    """Direction of a change of grade: given or taken."""

    PROMOTE = "promote"
    DEMOTE = "demote"


class PhaseKind(StrEnum):
    """Kind of a phase update: a past phase, the current one, or a new state of it."""

    STATE_HISTORY = "state_history"
    STATE = "state"
    PHASE = "phase"


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of values in messages; unknown keys are ignored, as all clients do."""


class Message(Value, frozen=True):
    """Press from one power to another, or to all; time_sent is the server's, in microseconds, unique in a game."""

    sender: str
    recipient: str
    phase: str
    message: str
    time_sent: int | None = None
    recipients: list[str] | msgspec.UnsetType = msgspec.UNSET
    """All powers that received it together, if there are several; the package ignores this field."""
    whole: str | msgspec.UnsetType = msgspec.UNSET
    """The press of which this is the prose or the formal core; the package ignores this field."""
    type: Annotated[str, msgspec.Meta(max_length=MAX_TYPE)] | msgspec.UnsetType | None = msgspec.UNSET
    """The kind of an adviser's message, in the words of ALLAN's fork, such as suggested_move_full."""

    @property
    def is_global(self) -> bool:
        """Return True if the message is for all."""
        return self.recipient == GLOBAL


class Log(Message, frozen=True, kw_only=True):
    """A note of a power to itself and to omniscient observers."""

    recipient: str = "OMNISCIENT"


class GamePhase(Value, frozen=True):
    """A phase: its state, its orders, its messages and, once it is over, the results."""

    name: str
    state: dict[str, Plain]
    orders: dict[str, list[str] | None]
    """Orders by power; None for powers without orders. In the running phase a player gets only its own."""
    results: dict[str, list[str]]
    """Results by unit; an empty list is success."""
    messages: list[Message]
    logs: list[Log] = []
    # Two forks cannot read a phase without these.
    stances: dict[str, Plain] = {}
    order_logs: dict[str, Plain] = {}
    is_bot: dict[str, Plain] = {}
    deceiving: dict[str, Plain] = {}


class PowerSheet(Value, frozen=True):
    """A power within a game."""

    name: str
    role: str
    abbrev: str | None = None
    adjust: list[str] = []
    """Retreats and adjustments ordered so far."""
    centers: list[str] = []
    civil_disorder: int = 0
    controller: dict[str, str] = {}
    """Controllers by the time of their start in microseconds; the last is the present one."""
    homes: list[str] | None = None
    influence: list[str] = []
    order_is_set: int = 0
    """0 without orders, 1 for empty ones, 2 for some."""
    orders: dict[str, str] = {}
    """Orders by unit, without the unit: A PAR has - BUR."""
    retreats: dict[str, list[str]] = {}
    tokens: list[str] = []
    """Always empty: a token is a secret."""
    units: list[str] = []
    vote: Ballot = Ballot.NEUTRAL
    wait: bool = True
    comm_status: CommStatus = CommStatus.INACTIVE
    player_type: SeatedAs = SeatedAs.HUMAN


class GameSheet(Value, frozen=True):
    """A whole game as one role may see it."""

    game_id: str
    role: str
    status: GameStatus
    powers: dict[str, PowerSheet]
    map_name: str = "standard"
    phase: str = ""
    """The phase in words: SPRING 1901 MOVEMENT."""
    phase_abbr: str = ""
    deadline: int = 300
    n_controls: int | None = None
    rules: list[str] = []
    no_rules: list[str] = []
    meta_rules: list[str] = []
    messages: list[Message] = []
    message_history: dict[str, list[Message]] = {}
    order_history: dict[str, dict[str, list[str]]] = {}
    result_history: dict[str, dict[str, list[str]]] = {}
    state_history: dict[str, dict[str, Plain]] = {}
    logs: list[Log] = []
    log_history: dict[str, list[Log]] = {}
    stance_history: dict[str, dict[str, Plain]] = {}
    """Only ALLAN's clients read it; it is always empty."""
    timestamp_created: int | None = None
    victory: list[int] = []
    win: int = 0
    note: str = ""
    outcome: list[str] = []
    error: list[str] = []
    zobrist_hash: int = 0
    controlled_powers: list[str] | None = None
    observer_level: str | None = None
    daide_port: int | None = None
    registration_password: None = None
    """Always null: the original server sent it to everyone in clear text."""


class Schedule(Value, frozen=True):
    """The end of a phase: time_added + delay - current_time ticks of time_unit seconds are left."""

    time_unit: int = 1
    time_added: int = 0
    delay: int = 0
    current_time: int = 0

    @property
    def seconds_left(self) -> int:
        """Return the number of seconds left."""
        return self.time_unit * (self.time_added + self.delay - self.current_time)
