"""What the server tells by itself: one class for each notification of the protocol, and the reader of their frames."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.core.intents import Ballot, CommStatus
from parlour.net.mila.requests import wire_name
from parlour.net.mila.values import GamePhase, GameSheet, GameStatus, GradeUpdate, Message, PhaseKind, SeatedAs


class Notification(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", tag=wire_name):
    """Base of all notifications; the token says for which channel of the socket it is."""

    notification_id: str
    token: str


class GameNotification(Notification, frozen=True, kw_only=True):
    """Base of what concerns a game that the channel has joined in that role."""

    game_id: str
    game_role: str
    power_name: str | None = None


class AccountDeleted(Notification, frozen=True):
    """The account of this channel is gone."""


class ClearedCenters(GameNotification, frozen=True):
    """A power, or every one, has no centres any more."""


class ClearedOrders(GameNotification, frozen=True):
    """A power, or every one, has no orders any more."""


class ClearedUnits(GameNotification, frozen=True):
    """A power, or every one, has no units any more."""


class GameDeleted(GameNotification, frozen=True):
    """The game is gone."""


class GameMessageReceived(GameNotification, frozen=True):
    """Press."""

    message: Message


class GameProcessed(GameNotification, frozen=True):
    """A phase is over, and the next has begun."""

    previous_phase_data: GamePhase
    current_phase_data: GamePhase


class GamePhaseUpdate(GameNotification, frozen=True):
    """A phase that was missed, or a new state of the one that runs."""

    phase_data: GamePhase
    phase_data_type: PhaseKind


class GameStatusUpdate(GameNotification, frozen=True):
    """The game started, stopped, was paused, resumed, or is over."""

    status: GameStatus


class OmniscientUpdated(GameNotification, frozen=True):
    """An observer sees all from now on, or sees all no more."""

    grade_update: GradeUpdate
    game: GameSheet


class PowerOrdersFlag(GameNotification, frozen=True):
    """Another power has given orders: 0 if it took them back, 1 if they are empty, 2 if there are some."""

    order_is_set: int


class PowerOrdersUpdate(GameNotification, frozen=True):
    """The orders of a power."""

    orders: list[str] | None


class VoteCountUpdated(GameNotification, frozen=True):
    """How many voted for a draw, of how many that have a vote."""

    count_voted: int
    count_expected: int


class PowerVoteUpdated(VoteCountUpdated, frozen=True):
    """The same, and one's own vote."""

    vote: Ballot


class VoteUpdated(GameNotification, frozen=True):
    """All votes."""

    vote: dict[str, Ballot]


class PowerWaitFlag(GameNotification, frozen=True):
    """A power holds the phase up, or no more."""

    wait: bool


class PowersControllers(GameNotification, frozen=True):
    """Who controls each power, since when, and as what."""

    powers: dict[str, str | None]
    timestamps: dict[str, int]
    player_types: dict[str, SeatedAs] = {}


class PowerCommStatusUpdate(GameNotification, frozen=True):
    """A power is ready to talk, or no more; only the fork knows it."""

    comm_status: CommStatus


AnyNotification: TypeAlias = (
    AccountDeleted
    | ClearedCenters
    | ClearedOrders
    | ClearedUnits
    | GameDeleted
    | GameMessageReceived
    | GameProcessed
    | GamePhaseUpdate
    | GameStatusUpdate
    | OmniscientUpdated
    | PowerOrdersFlag
    | PowerOrdersUpdate
    | VoteCountUpdated
    | PowerVoteUpdated
    | VoteUpdated
    | PowerWaitFlag
    | PowersControllers
    | PowerCommStatusUpdate
)

read_notification = msgspec.json.Decoder(AnyNotification).decode
