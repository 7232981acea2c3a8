"""The loop of a press bot over the network, as the documented protocol has it: get ready, talk, order, continue.

class Diplomat(PhaseLoop):
    async def negotiate(self) -> None:
        offer = self.game.new_power_message("ENGLAND", "PRP (PCE (ENG FRA))")
        await self.game.send_game_message(message=offer)

    async def hear(self, message: Message) -> None:
        ...

    async def choose_orders(self) -> Sequence[str]:
        return ["A PAR - BUR"]

game = await channel.join_game(game_id="friends", power_name="FRANCE", player_type=strings.PRESS_BOT)
await Diplomat(game).run()
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from parlour.core.intents import CommStatus
from parlour.net.client.network_game import NetworkGame
from parlour.net.mila import notifications as n
from parlour.net.mila.faults import RequestException, ResponseException
from parlour.net.mila.protocol_values import Message, SeatedAs

_MATTERS = (
    n.GameProcessed,
    n.GamePhaseUpdate,
    n.GameStatusUpdate,
    n.GameDeleted,
    n.PowersControllers,
    n.PowerCommStatusUpdate,
)
"""Notifications after which the loop looks at the game again."""
GRACE = 2.0
"""Seconds in which the notification of a phase's end may follow the refusal that it caused."""


class PhaseLoop:
    """Plays a joined game phase by phase, with the methods of the author's bot.

    In a movement phase: assess, announce readiness, wait until every press bot is ready, negotiate for the time set and
    answer messages, then order and lower the wait flag. Retreats and adjustments have no talk.
    """

    def __init__(self, game: NetworkGame, *, diplomacy_time: float = 60.0) -> None:
        self.game, self.diplomacy_time = game, diplomacy_time
        self.phase = ""
        """The phase that is played."""
        self._changed = asyncio.Event()
        self._heard: asyncio.Queue[Message] = asyncio.Queue()
        self._talking = asyncio.Event()

    # For subclasses

    async def assess(self) -> None:
        """Look at the board, before the bot announces that it is ready to talk."""

    async def negotiate(self) -> None:
        """Send messages; called once in each movement phase, when every press bot is ready."""

    async def hear(self, message: Message) -> None:
        """Process press, and answer it; called for each message in order."""

    async def choose_orders(self) -> Sequence[str]:
        """Return the orders for this phase."""
        raise NotImplementedError

    def finish_talking(self) -> None:
        """End the talk of this phase before its time is up."""
        self._talking.clear()
        self._changed.set()

    # The loop

    @property
    def over(self) -> bool:
        """True if there is nothing left to play: the game has ended or is gone, or another client has the power."""
        game = self.game
        return game.is_game_done or game.is_game_canceled or game.is_game_completed or game.channel is None

    async def run(self) -> None:
        """Play until the end of the game, or until a method of the author raises."""
        for kind in _MATTERS:
            self.game.add_notification_callback(kind, self._wake)
        self.game.add_on_game_message_received(self._hear)
        async with asyncio.TaskGroup() as group:
            listener = group.create_task(self._listen())
            watcher = group.create_task(self._watch_connection())
            while not self.over:
                await self.until(lambda: self.over or self.game.is_game_active)
                if self.over:
                    break
                self.phase = self.game.get_current_phase()
                await self._play()
                await self.until(lambda: self.over or self._is_past())
            listener.cancel()
            watcher.cancel()

    async def until(self, reached: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until a condition holds in the game; return False if it did not within the time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not reached():
                    self._changed.clear()
                    await self._changed.wait()
                return True
        return False

    async def _play(self) -> None:
        if self.game.phase_type == "M":
            await self._negotiate()
        if not self._is_past():
            orders = await self.choose_orders()
            # Even without orders due: some servers wait for all powers.
            await self.attempt(self.game.set_orders(orders=orders, wait=False))

    async def _negotiate(self) -> None:
        """Negotiate in a movement phase; return early if the phase ends."""
        await self.assess()
        if not await self._get_ready():
            return
        await self.until(lambda: self._is_past() or self._all_ready())
        if self._is_past():
            return
        self._talking.set()
        ends = asyncio.get_running_loop().time() + self.diplomacy_time
        await self.negotiate()
        left = ends - asyncio.get_running_loop().time()
        await self.until(lambda: self._is_past() or not self._talking.is_set(), max(0.0, left))
        self._talking.clear()

    async def _get_ready(self) -> bool:
        """Announce readiness; return False if the phase is over. A server without comm_status lets all talk at once."""
        try:
            return await self.attempt(self.game.set_comm_status(comm_status=CommStatus.READY))
        except RequestException:
            return True

    async def attempt(self, request: Awaitable[Any]) -> bool:
        """Send a request; return False if it was refused because the phase was over."""
        asked_in = self.game.get_current_phase()
        try:
            await request
        except RequestException:
            raise
        except ResponseException:
            # The refusal may come before the notification that explains it, or while the next phase is played already.
            if not await self.until(lambda: self.over or self.game.get_current_phase() != asked_in, GRACE):
                raise
            return False
        return True

    def _all_ready(self) -> bool:
        bots = [power for power in self.game.powers.values() if power.player_type is SeatedAs.PRESS_BOT]
        # A power without units has no orders to give, so the others must not wait for its readiness.
        waiting = [power for power in bots if power.is_controlled() and power.units]
        return all(power.comm_status is CommStatus.READY for power in waiting)

    def _is_past(self) -> bool:
        return self.over or self.game.get_current_phase() != self.phase

    # Notifications of the server

    def _wake(self, game: NetworkGame, notification: Any) -> None:
        self._changed.set()

    def _hear(self, game: NetworkGame, notification: n.GameMessageReceived) -> None:
        self._heard.put_nowait(notification.message)

    async def _watch_connection(self) -> None:
        assert self.game.channel is not None
        connection = self.game.channel.connection
        await connection.wait_closed()
        raise ConnectionError(f"the connection to {connection.url} is closed")

    async def _listen(self) -> None:
        while True:
            await self.hear(await self._heard.get())
