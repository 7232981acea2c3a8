"""Callbacks of a game's user: add_on_… and clear_on_… for each notification of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from parlour.net.mila import notifications as n

Callback: TypeAlias = Callable[[Any, Any], Any]
"""Called with the game and the notification, after the game has processed it; may be async."""


class Callbacks:
    """The callbacks of one game, by the class of notification; several are called in the order in which they came."""

    def __init__(self) -> None:
        self._callbacks: dict[type[n.GameNotification], list[Callback]] = {}

    def add_notification_callback(self, kind: type[n.GameNotification], callback: Callback) -> None:
        """Call a function with the game and each notification of that class."""
        self._callbacks.setdefault(kind, []).append(callback)

    def clear_notification_callbacks(self, kind: type[n.GameNotification]) -> None:
        """Remove all callbacks for notifications of that class."""
        self._callbacks.pop(kind, None)

    def callbacks_of(self, notification: n.GameNotification) -> tuple[Callback, ...]:
        """Return the callbacks for a notification."""
        return tuple(self._callbacks.get(type(notification), ()))

    def add_on_cleared_centers(self, notification_callback: Callback) -> None:
        """Call a function when centres were taken away by a moderator."""
        self.add_notification_callback(n.ClearedCenters, notification_callback)

    def add_on_cleared_orders(self, notification_callback: Callback) -> None:
        """Call a function when orders were taken back."""
        self.add_notification_callback(n.ClearedOrders, notification_callback)

    def add_on_cleared_units(self, notification_callback: Callback) -> None:
        """Call a function when units were taken away by a moderator."""
        self.add_notification_callback(n.ClearedUnits, notification_callback)

    def add_on_game_deleted(self, notification_callback: Callback) -> None:
        """Call a function when the game was deleted."""
        self.add_notification_callback(n.GameDeleted, notification_callback)

    def add_on_game_message_received(self, notification_callback: Callback) -> None:
        """Call a function for press: notification.message has sender, recipient, phase, message and time_sent."""
        self.add_notification_callback(n.GameMessageReceived, notification_callback)

    def add_on_game_processed(self, notification_callback: Callback) -> None:
        """Call a function when a phase is over: notification.previous_phase_data and .current_phase_data."""
        self.add_notification_callback(n.GameProcessed, notification_callback)

    def add_on_game_phase_update(self, notification_callback: Callback) -> None:
        """Call a function when a moderator set the state, or when an original server reports a missed phase."""
        self.add_notification_callback(n.GamePhaseUpdate, notification_callback)

    def add_on_game_status_update(self, notification_callback: Callback) -> None:
        """Call a function when the game starts, stops, is paused, resumed, or over: notification.status."""
        self.add_notification_callback(n.GameStatusUpdate, notification_callback)

    def add_on_omniscient_updated(self, notification_callback: Callback) -> None:
        """Call a function when this observer gains or loses omniscience."""
        self.add_notification_callback(n.OmniscientUpdated, notification_callback)

    def add_on_power_orders_flag(self, notification_callback: Callback) -> None:
        """Call a function when another power has given orders: notification.power_name and .order_is_set."""
        self.add_notification_callback(n.PowerOrdersFlag, notification_callback)

    def add_on_power_orders_update(self, notification_callback: Callback) -> None:
        """Call a function when orders were given that this role may see: notification.power_name and .orders."""
        self.add_notification_callback(n.PowerOrdersUpdate, notification_callback)

    def add_on_power_vote_updated(self, notification_callback: Callback) -> None:
        """Call it, as a player, when somebody voted: notification.count_voted, .count_expected, and the own .vote."""
        self.add_notification_callback(n.PowerVoteUpdated, notification_callback)

    def add_on_power_wait_flag(self, notification_callback: Callback) -> None:
        """Call a function when a power starts or stops holding the phase up: notification.power_name and .wait."""
        self.add_notification_callback(n.PowerWaitFlag, notification_callback)

    def add_on_powers_controllers(self, notification_callback: Callback) -> None:
        """Call a function when somebody joined or left: notification.powers and .player_types."""
        self.add_notification_callback(n.PowersControllers, notification_callback)

    def add_on_vote_count_updated(self, notification_callback: Callback) -> None:
        """Call it, as an observer, when somebody voted: notification.count_voted and .count_expected."""
        self.add_notification_callback(n.VoteCountUpdated, notification_callback)

    def add_on_vote_updated(self, notification_callback: Callback) -> None:
        """Call it, as an omniscient observer, when somebody voted: notification.vote by power."""
        self.add_notification_callback(n.VoteUpdated, notification_callback)

    def add_on_power_comm_status_update(self, notification_callback: Callback) -> None:
        """Call a function when a power's readiness to talk changes: notification.power_name and .comm_status."""
        self.add_notification_callback(n.PowerCommStatusUpdate, notification_callback)

    def clear_on_cleared_centers(self) -> None:
        """Remove all callbacks for ClearedCenters."""
        self.clear_notification_callbacks(n.ClearedCenters)

    def clear_on_cleared_orders(self) -> None:
        """Remove all callbacks for ClearedOrders."""
        self.clear_notification_callbacks(n.ClearedOrders)

    def clear_on_cleared_units(self) -> None:
        """Remove all callbacks for ClearedUnits."""
        self.clear_notification_callbacks(n.ClearedUnits)

    def clear_on_game_deleted(self) -> None:
        """Remove all callbacks for GameDeleted."""
        self.clear_notification_callbacks(n.GameDeleted)

    def clear_on_game_message_received(self) -> None:
        """Remove all callbacks for GameMessageReceived."""
        self.clear_notification_callbacks(n.GameMessageReceived)

    def clear_on_game_processed(self) -> None:
        """Remove all callbacks for GameProcessed."""
        self.clear_notification_callbacks(n.GameProcessed)

    def clear_on_game_phase_update(self) -> None:
        """Remove all callbacks for GamePhaseUpdate."""
        self.clear_notification_callbacks(n.GamePhaseUpdate)

    def clear_on_game_status_update(self) -> None:
        """Remove all callbacks for GameStatusUpdate."""
        self.clear_notification_callbacks(n.GameStatusUpdate)

    def clear_on_omniscient_updated(self) -> None:
        """Remove all callbacks for OmniscientUpdated."""
        self.clear_notification_callbacks(n.OmniscientUpdated)

    def clear_on_power_orders_flag(self) -> None:
        """Remove all callbacks for PowerOrdersFlag."""
        self.clear_notification_callbacks(n.PowerOrdersFlag)

    def clear_on_power_orders_update(self) -> None:
        """Remove all callbacks for PowerOrdersUpdate."""
        self.clear_notification_callbacks(n.PowerOrdersUpdate)

    def clear_on_power_vote_updated(self) -> None:
        """Remove all callbacks for PowerVoteUpdated."""
        self.clear_notification_callbacks(n.PowerVoteUpdated)

    def clear_on_power_wait_flag(self) -> None:
        """Remove all callbacks for PowerWaitFlag."""
        self.clear_notification_callbacks(n.PowerWaitFlag)

    def clear_on_powers_controllers(self) -> None:
        """Remove all callbacks for PowersControllers."""
        self.clear_notification_callbacks(n.PowersControllers)

    def clear_on_vote_count_updated(self) -> None:
        """Remove all callbacks for VoteCountUpdated."""
        self.clear_notification_callbacks(n.VoteCountUpdated)

    def clear_on_vote_updated(self) -> None:
        """Remove all callbacks for VoteUpdated."""
        self.clear_notification_callbacks(n.VoteUpdated)

    def clear_on_power_comm_status_update(self) -> None:
        """Remove all callbacks for PowerCommStatusUpdate."""
        self.clear_notification_callbacks(n.PowerCommStatusUpdate)
