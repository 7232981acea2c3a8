"""Notifications of the server: one class for each kind of the protocol, and the reader of their frames."""

from __future__ import annotations

import msgspec

from parlour.core.intents import Ballot, CommStatus
from parlour.net.mila.protocol_values import GamePhase, GameSheet, GameStatus, GradeUpdate, Message, PhaseKind, SeatedAs
from parlour.net.mila.requests import reader_of, wire_name


class Notification(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", tag=wire_name):
    """Base of all notifications; the token names the channel of the socket."""

    notification_id: str
    token: str


class GameNotification(Notification, frozen=True, kw_only=True):
    """Base of notifications about a game that the channel has joined in that role."""

    game_id: str
    game_role: str
    power_name: str | None = None


class AccountDeleted(Notification, frozen=True):
    """The account of this channel was deleted."""


class ClearedCenters(GameNotification, frozen=True):
    """The centres of a power, or of all, were removed."""


class ClearedOrders(GameNotification, frozen=True):
    """The orders of a power, or of all, were removed."""


class ClearedUnits(GameNotification, frozen=True):
    """The units of a power, or of all, were removed."""


class GameDeleted(GameNotification, frozen=True):
    """The game was deleted."""


class GameMessageReceived(GameNotification, frozen=True):
    """A message was received."""

    message: Message


class GameProcessed(GameNotification, frozen=True):
    """A phase is over, and the next has begun."""

    previous_phase_data: GamePhase
    current_phase_data: GamePhase


class GamePhaseUpdate(GameNotification, frozen=True):
    """A phase that was missed, or a new state of the current one."""

    phase_data: GamePhase
    phase_data_type: PhaseKind


class GameStatusUpdate(GameNotification, frozen=True):
    """The game started, stopped, was paused, resumed, or is over."""

    status: GameStatus


class OmniscientUpdated(GameNotification, frozen=True):
    """An observer gained or lost omniscience."""

    grade_update: GradeUpdate
    game: GameSheet


class PowerOrdersFlag(GameNotification, frozen=True):
    """The order flag of another power: 0 without orders, 1 for empty ones, 2 for some."""

    order_is_set: int


class PowerOrdersUpdate(GameNotification, frozen=True):
    """The orders of a power."""

    orders: list[str] | None


class VoteCountUpdated(GameNotification, frozen=True):
    """Numbers of votes cast on a draw and of votes expected."""

    count_voted: int
    count_expected: int


class PowerVoteUpdated(GameNotification, frozen=True):
    """The vote count changed, with the player's own vote."""

    count_voted: int
    count_expected: int
    vote: Ballot


class VoteUpdated(GameNotification, frozen=True):
    """The votes of all powers."""

    vote: dict[str, Ballot]


class PowerWaitFlag(GameNotification, frozen=True):
    """A power's wait flag."""

    wait: bool


class PowersControllers(GameNotification, frozen=True):
    """Controllers of all powers, with times and player types."""

    powers: dict[str, str | None]
    timestamps: dict[str, int]
    player_types: dict[str, SeatedAs] = {}


class PowerCommStatusUpdate(GameNotification, frozen=True):
    """A power's readiness to talk changed; known to the fork only."""

    comm_status: CommStatus


read_notification = reader_of(Notification)
