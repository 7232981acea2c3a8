"""Callbacks of a game's user: add_on_… and clear_on_… for each notification of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from parlour.net.mila import notifications as n

Callback: TypeAlias = Callable[[Any, Any], Any]
"""Called with the game and the notification, after the game has processed it; may be async."""


def _setters(
    kind: type[n.GameNotification],
) -> tuple[Callable[[Callbacks, Callback], None], Callable[[Callbacks], None]]:
    """Return the methods that add a callback for a kind of notification, and that remove all of them."""

    def add(self: Callbacks, notification_callback: Callback) -> None:
        self.add_notification_callback(kind, notification_callback)

    def clear(self: Callbacks) -> None:
        self.clear_notification_callbacks(kind)

    add.__doc__ = f"Call a function with the game and each {kind.__name__}: {kind.__doc__}"
    clear.__doc__ = f"Remove all callbacks for {kind.__name__}."
    return add, clear


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

    add_on_cleared_centers, clear_on_cleared_centers = _setters(n.ClearedCenters)
    add_on_cleared_orders, clear_on_cleared_orders = _setters(n.ClearedOrders)
    add_on_cleared_units, clear_on_cleared_units = _setters(n.ClearedUnits)
    add_on_game_deleted, clear_on_game_deleted = _setters(n.GameDeleted)
    add_on_game_message_received, clear_on_game_message_received = _setters(n.GameMessageReceived)
    add_on_game_processed, clear_on_game_processed = _setters(n.GameProcessed)
    add_on_game_phase_update, clear_on_game_phase_update = _setters(n.GamePhaseUpdate)
    add_on_game_status_update, clear_on_game_status_update = _setters(n.GameStatusUpdate)
    add_on_omniscient_updated, clear_on_omniscient_updated = _setters(n.OmniscientUpdated)
    add_on_power_orders_flag, clear_on_power_orders_flag = _setters(n.PowerOrdersFlag)
    add_on_power_orders_update, clear_on_power_orders_update = _setters(n.PowerOrdersUpdate)
    add_on_power_vote_updated, clear_on_power_vote_updated = _setters(n.PowerVoteUpdated)
    add_on_power_wait_flag, clear_on_power_wait_flag = _setters(n.PowerWaitFlag)
    add_on_powers_controllers, clear_on_powers_controllers = _setters(n.PowersControllers)
    add_on_vote_count_updated, clear_on_vote_count_updated = _setters(n.VoteCountUpdated)
    add_on_vote_updated, clear_on_vote_updated = _setters(n.VoteUpdated)
    add_on_power_comm_status_update, clear_on_power_comm_status_update = _setters(n.PowerCommStatusUpdate)
