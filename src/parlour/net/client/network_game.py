"""A game that is played over the network: its state, its requests, and its callbacks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from parlour.core.game import Plain
from parlour.core.intents import Ballot, CommStatus
from parlour.errors import LocalWireError
from parlour.net.client.callbacks import Callbacks
from parlour.net.client.questions import Questions
from parlour.net.mila import notifications as n
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.protocol_values import DUMMY, GamePhase, GameSheet, GameStatus, Log, Message, PhaseKind

if TYPE_CHECKING:
    from parlour.net.client.channel import Channel

T = TypeVar("T")
logger = logging.getLogger(__name__)


class NetworkGame(Questions, Callbacks):
    """A game in one role, joined through a channel.

    Requests are coroutines that take keyword arguments; one that the server refuses raises a ResponseException of the
    class that the server named. The local copy has the change when a request returns.
    """

    def __init__(self, channel: Channel, sheet: GameSheet) -> None:
        Questions.__init__(self, sheet)
        Callbacks.__init__(self)
        self.channel: Channel | None = channel

    def __repr__(self) -> str:
        return f"<NetworkGame {self.game_id!r} as {self.role}: {self.status}, {self.current_short_phase}>"

    async def __aenter__(self) -> NetworkGame:
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self.channel is not None and not self.channel.connection.closed:
            await self.leave()

    # Requests of players

    async def set_orders(
        self, *, orders: Sequence[str], power_name: str | None = None, wait: bool | None = None
    ) -> None:
        """Send orders, which replace earlier ones of this phase; wait=False also lowers the wait flag."""

        def done(_: rs.Response) -> None:
            name = power_name or self.role
            self.note_orders(name, orders)
            if wait is not None:
                self.powers[name].wait = wait

        await self._ask(rq.SetOrders, rs.Ok, done, orders=list(orders), power_name=power_name, wait=wait)

    async def wait(self, *, power_name: str | None = None) -> None:
        """Raise the wait flag: the phase waits until it is lowered, or time is up."""
        await self._set_wait(power_name, True)

    async def no_wait(self, *, power_name: str | None = None) -> None:
        """Lower the wait flag: the phase ends once no flag is up."""
        await self._set_wait(power_name, False)

    async def vote(self, *, vote: Ballot | str, power_name: str | None = None) -> None:
        """Vote on a draw: yes, no or neutral."""
        ballot = Ballot(vote)

        def done(_: rs.Response) -> None:
            self.powers[power_name or self.role].vote = ballot

        await self._ask(rq.CastVote, rs.Ok, done, vote=ballot, power_name=power_name)

    async def send_game_message(self, *, message: Message, taken: Callable[[Message], None] | None = None) -> int:
        """Send press made by new_power_message or new_global_message; return its time in microseconds.

        `taken` is called with the message once the server has accepted it, before any later notification is processed.
        Its `recipients` are unset if the server sent the message to the first recipient alone, as the package's does.
        """

        def done(response: rs.TimeStamped) -> int:
            said = msgspec.structs.replace(message, time_sent=response.data)
            if response.recipients is msgspec.UNSET:
                said = msgspec.structs.replace(said, recipients=msgspec.UNSET)
            self.add_message(said)
            if taken is not None:
                taken(said)
            return response.data

        return await self._ask(rq.SendGameMessage, rs.TimeStamped, done, message=message)

    async def set_comm_status(self, *, comm_status: CommStatus | str, power_name: str | None = None) -> None:
        """Announce readiness to talk: inactive, busy or ready. Only servers with comm_status know it."""
        status = CommStatus(comm_status)

        def done(_: rs.Response) -> None:
            self.powers[power_name or self.role].comm_status = status

        await self._ask(rq.SetReadiness, rs.Ok, done, comm_status=status, power_name=power_name)

    async def send_log_data(self, *, log: Log) -> int:
        """Store a note made by new_log_data; return its time in microseconds. Only for servers with comm_status."""

        def done(response: rs.TimeStamped) -> int:
            self.logs[response.data] = msgspec.structs.replace(log, time_sent=response.data)
            return response.data

        return await self._ask(rq.SendLogData, rs.TimeStamped, done, log=log)

    async def clear_orders(self, *, power_name: str | None = None) -> None:
        """Clear the orders of a power: by default the client's own or, for a moderator, those of all."""
        name = power_name or (self.role if self.is_player_game() else None)
        await self._ask(rq.ClearOrders, rs.Ok, lambda _: self.forget_orders(name), power_name=power_name)

    async def clear_units(self, *, power_name: str | None = None) -> None:
        """Remove the units of a power, or, for a moderator, of all."""
        name = power_name or (self.role if self.is_player_game() else None)
        await self._ask(rq.ClearUnits, rs.Ok, lambda _: self.forget_units(name), power_name=power_name)

    async def clear_centers(self, *, power_name: str | None = None) -> None:
        """Take the centres of a power, or, for a moderator, of all."""
        name = power_name or (self.role if self.is_player_game() else None)
        await self._ask(rq.ClearCenters, rs.Ok, lambda _: self.forget_centers(name), power_name=power_name)

    async def leave(self) -> None:
        """Leave the game; the power that the client played becomes free."""
        await self._ask(rq.LeaveGame, rs.Ok, lambda _: self.drop())

    # Requests of all roles

    async def get_phase_history(
        self, *, from_phase: str | int | None = None, to_phase: str | int | None = None
    ) -> list[GamePhase]:
        """Return past phases from one to another, both included; by name, or counted from the first."""

        def done(response: rs.PhasesGiven) -> list[GamePhase]:
            for phase in response.data:
                self.extend_phase_history(phase)
            return response.data

        return await self._ask(rq.GetPhaseHistory, rs.PhasesGiven, done, from_phase=from_phase, to_phase=to_phase)

    async def save(self) -> dict[str, Plain]:
        """Return the saved game, as parlour.diplomacy.read_saved reads it."""
        return await self._ask(rq.SaveGame, rs.SavedGameGiven, lambda response: response.data)

    async def synchronize(self) -> rs.GameSummary:
        """Fetch everything that was missed; a connection does this automatically after a cut."""
        return await self._ask(rq.Synchronize, rs.GameSummary, _itself, timestamp=self.get_latest_timestamp())

    async def query_schedule(self) -> rs.GameSchedule:
        """Return the schedule of the phase; refused without a deadline."""
        return await self._ask(rq.QuerySchedule, rs.GameSchedule, _itself)

    # Requests of moderators

    async def delete(self) -> None:
        """Delete the game."""
        await self._ask(rq.DeleteGame, rs.Ok, lambda _: self.drop())

    async def kick_powers(self, *, power_names: Sequence[str] | None = None, username: str | None = None) -> None:
        """Take powers from their players."""
        names = None if power_names is None else list(power_names)
        await self._ask(rq.SetDummyPowers, rs.Ok, _nothing, power_names=names, username=username)

    async def set_state(
        self,
        *,
        state: dict[str, Plain],
        orders: Mapping[str, list[str] | None] | None = None,
        results: Mapping[str, list[str]] | None = None,
        messages: Mapping[int, Message] | None = None,
    ) -> None:
        """Continue from another state, with its orders."""
        sent = {str(time): message for time, message in (messages or {}).items()}
        given = dict(orders or {})
        phase = GamePhase(name=state["name"], state=state, orders=given, results={}, messages=list(sent.values()))
        update = n.GamePhaseUpdate(
            notification_id="own",
            token="",
            game_id=self.game_id,
            game_role=self.role,
            phase_data=phase,
            phase_data_type=PhaseKind.STATE,
        )

        def done(_: rs.Response) -> None:
            self.take(update)

        fields = {"state": state, "orders": given, "results": dict(results or {}), "messages": sent}
        await self._ask(rq.SetGameState, rs.Ok, done, **fields)

    async def process(self) -> None:
        """End the phase now."""
        await self._ask(rq.ProcessGame, rs.Ok, _nothing)

    async def start(self) -> None:
        """Start the game with the present players."""
        await self._set_status(GameStatus.ACTIVE)

    async def pause(self) -> None:
        """Stop the clock."""
        await self._set_status(GameStatus.PAUSED)

    async def resume(self) -> None:
        """Let the clock run again."""
        await self._set_status(GameStatus.ACTIVE)

    async def cancel(self) -> None:
        """End the game without a result."""
        await self._set_status(GameStatus.CANCELED)

    async def draw(self) -> None:
        """End the game in a draw of all surviving powers."""
        await self._set_status(GameStatus.COMPLETED)

    # Internals

    def notify(self, notification: n.GameNotification) -> list[Any]:
        """Process a notification and call its callbacks; return their results."""
        gone = self._is_end(notification)
        if isinstance(notification, n.OmniscientUpdated):
            self._become(notification.game)
        elif not self.take(notification):
            return []
        if gone:
            self.drop()
        results = []
        for callback in self.callbacks_of(notification):
            try:
                results.append(callback(self, notification))
            except Exception:  # the user's boundary: a callback may raise anything, and the others must still run
                logger.exception("a callback for %s failed", type(notification).__name__)
        return results

    def drop(self) -> None:
        """Forget the channel: no further requests are possible."""
        if self.channel is not None:
            self.channel.forget(self)
            self.channel = None

    def _is_end(self, notification: n.GameNotification) -> bool:
        """Return True if the game is gone, or if another client, or none, now plays this client's power."""
        if isinstance(notification, n.PowersControllers) and self.power is not None:
            return (notification.powers.get(self.role) or DUMMY) != self.power.get_controller()
        return isinstance(notification, n.GameDeleted)

    def _become(self, sheet: GameSheet) -> None:
        """Continue in another role, with the same callbacks."""
        channel, data, callbacks = self.channel, self.data, self._callbacks
        if channel is not None:
            channel.forget(self)
        Questions.__init__(self, sheet)
        self.data, self._callbacks = data, callbacks
        if channel is not None:
            channel.remember(self)

    async def _set_wait(self, power_name: str | None, wait: bool) -> None:
        def done(_: rs.Response) -> None:
            self.powers[power_name or self.role].wait = wait

        await self._ask(rq.SetWaitFlag, rs.Ok, done, wait=wait, power_name=power_name)

    async def _set_status(self, status: GameStatus) -> None:
        def done(_: rs.Response) -> None:
            self.status = status

        await self._ask(rq.SetGameStatus, rs.Ok, done, status=status)

    async def _ask(
        self, kind: type[rq.GameRequest], expected: type[Any], effect: Callable[[Any], T], **fields: Any
    ) -> T:
        if self.channel is None:
            raise LocalWireError(f"the game {self.game_id!r} was left, or is gone")
        return await self.channel.ask_in_game(self, kind, expected, effect, **fields)


def _itself(response: T) -> T:
    return response


def _nothing(response: rs.Response) -> None:
    """Do nothing: the answer needs no further processing."""
