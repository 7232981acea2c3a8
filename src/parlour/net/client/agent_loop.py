"""A local agent on a seat of a remote Diplomacy game: the loop of a press bot, for any player.

The server's notifications become the events that a referee would send, and what the agent does through its seat handle
becomes requests.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat, View
from parlour.core.intents import CommStatus, Intent, PlayerType, Refusal, RefusalCode
from parlour.core.player import Player
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.position import Position
from parlour.net.client.lane import AgentLane
from parlour.net.client.network_game import NetworkGame
from parlour.net.client.phase_loop import PhaseLoop
from parlour.net.client.retelling import retold, said, story
from parlour.net.mila import notifications as n
from parlour.net.mila.faults import RequestException, ResponseException
from parlour.net.mila.protocol_values import GLOBAL, Message, SeatedAs
from parlour.referee.conduct import DIPLOMACY

_RETOLD = (
    *(n.GameStatusUpdate, n.GameProcessed, n.GameMessageReceived),
    *(n.PowerOrdersFlag, n.PowerWaitFlag, n.PowersControllers, n.PowerCommStatusUpdate),
)
"""Notifications that become events for the agent."""


class AgentLoop(PhaseLoop):
    """Plays a joined game with a local agent.

    The agent is called as it is at a table in this program. Its intents are sent in their order, and the last action
    counts. The press window of a phase opens and closes here by the rules
    of the referee, since these servers have none.
    """

    def __init__(self, game: NetworkGame, agent: Player, *, diplomacy_time: float = 60.0, level: int = 60) -> None:
        super().__init__(game, diplomacy_time=diplomacy_time)
        self.seat = Seat(game.role)
        self._level = level
        # Others wait for a press bot to be ready, even if it has nothing to say.
        types = (player_type_of(agent), game.powers[game.role].player_type)
        self._talks = SeatedAs.PRESS_BOT in types and "NO_PRESS" not in game.rules
        self._lane = AgentLane(agent, self.seat, self._want)
        self._turn = len(game.state_history)
        self._position: Position | None = None
        """Position of the running turn; None between turns."""
        self._acting: asyncio.Future[Any] | None = None
        """The agent's pending answer, until the turn is over."""
        self._acted = self._holds = self._ready = False
        """Flags of this turn: the agent has given orders; it holds the turn up; it is ready to talk."""
        self._opened = 0
        """Turn whose press window is open; 0 without one."""

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome; None before the end, or if the game was cancelled."""
        if not self.game.is_game_done:
            return None
        position = self.game.position
        return position.outcome() or position.drawn(position.alive())

    async def run(self) -> None:
        """Play until the end of the game; LocalWireError if the agent fails."""
        # No await up to the end of the past events, so that no notification is missed or comes before an earlier one.
        for kind in _RETOLD:
            self.game.add_notification_callback(kind, self._retell)
        self._lane.give("on_seated", self._lane.handle)
        for event in self._story():
            self._lane.tell(event)
        self._lane.give("on_start", self._view())
        self._begin_if_active()
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(self._lane.run())
            await super().run()
            self._ask_no_more()
            if (outcome := self.outcome) is not None:
                await self._lane.call("on_end", outcome)
            serving.cancel()

    # The loop

    async def _play(self) -> None:
        """Play a phase after the agent was asked: let it talk if there is time, and send its intents as they come."""
        if self._position is None or self._position.phase != self.phase:  # a moderator has set another phase
            self._begin_turn()
        if self._acting is None:  # the power has no orders due, but some servers wait for all powers
            await self.attempt(self.game.set_orders(orders=[], wait=False))
        elif self._talks and self.game.phase_type == "M":
            await self._window(self._acting)

    def _begin_if_active(self) -> None:
        """Begin the running turn, if it has not begun; earlier press of the turn follows after that."""
        if self.game.is_game_active and not self.over and self._position is None:
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Start a turn for the agent and ask it at once, before the press of that turn."""
        self._turn += 1
        self._position = position = self.game.position
        self._ask_no_more()
        self._acted = self._holds = self._ready = False
        to_act = position.to_act()
        now = time.time()
        self._lane.tell(ev.TurnBegan(now, self._turn, position.stage, to_act))
        for name, power in self.game.powers.items():
            if power.wait and power.is_controlled():
                self._lane.tell(ev.WaitSet(now, Seat(name), True))
        for message in self.game.messages.values():
            self._tell_said(message, self._turn)
        if self.seat in to_act:
            self._acting = self._lane.ask(self._view())
            self._acting.add_done_callback(self._wake_up)

    def _tell_said(self, message: Message, turn: int) -> None:
        for event in said(message, turn):
            self._lane.tell(event)

    async def _window(self, acting: asyncio.Future[Any]) -> None:
        """Open the press window when every bot is ready. Close it when all are done or its time is over."""
        await self.until(lambda: self._is_past() or self._ready or acting.done())
        if not self._ready and not self._is_past():
            await self._lane.settle()  # the agent may have announced readiness with its press
        if not self._ready and not self._is_past():
            await self._set_ready(CommStatus.READY)  # others wait for every press bot
        await self.until(lambda: self._is_past() or self._all_ready())
        if self._is_past():
            return
        now = time.time()
        self._opened = self._turn
        self._lane.tell(ev.PressOpened(now, self._turn, now + self.diplomacy_time))
        await self.until(lambda: self._is_past() or self._all_done(), self.diplomacy_time)
        self._close_window()

    def _close_window(self) -> None:
        """Send the agent the end of the press window, if it is open."""
        if self._opened == self._turn:
            self._opened = 0
            self._lane.tell(ev.PressClosed(time.time(), self._turn))

    def _all_done(self) -> bool:
        """Return True if nobody who could talk has anything left to do."""
        assert self._position is not None
        for seat in self._position.to_act():
            power = self.game.powers[seat]
            if seat == self.seat:
                done = self._acted and not self._holds
            else:
                silent = power.player_type is SeatedAs.NO_PRESS_BOT or not power.is_controlled()
                done = silent or (bool(power.order_is_set) and not power.wait)
            if not done:
                return False
        return True

    def _ask_no_more(self) -> None:
        """Cancel the question, if the phase was over before the agent had answered."""
        if self._acting is not None:
            self._acting.cancel()
            self._acting = None

    def _wake_up(self, _: object = None) -> None:
        self._changed.set()

    # Notifications of the server

    def _hear(self, game: NetworkGame, notification: n.GameMessageReceived) -> None:
        """Ignore press here: the agent receives it with all other events."""

    def _retell(self, game: NetworkGame, notification: n.GameNotification) -> None:
        processed = isinstance(notification, n.GameProcessed)
        if processed:
            self._close_window()
        if not isinstance(notification, n.GameMessageReceived) or self._position is not None:
            for event in retold(notification, self._turn, self._position, game):
                self._lane.tell(event)
        if processed:
            self._position = None
            self._ask_no_more()
        self._begin_if_active()
        self._wake_up()

    def _story(self) -> list[Event]:
        """Return the events before this player joined, as a referee would give them."""
        mode = PressMode.WINDOW if self._talks else PressMode.NONE
        press = PressTerms(mode=mode, level=self._level, window=max(self.diplomacy_time, 1e-3))
        return story(self.game, Terms(conduct=DIPLOMACY, press=press))

    def _view(self) -> View:
        return View(self.seat, self.game.position, self._turn)

    # Intents of the agent

    async def _want(self, intent: Intent) -> Refusal | None:
        if isinstance(intent, it.Act):
            return await self._act(intent)
        try:
            await self._ask_for(intent)
        except ResponseException as error:
            return Refusal(RefusalCode.BAD_VALUE, str(error))
        return None

    async def _act(self, intent: it.Act) -> Refusal | None:
        """Send orders, which replace earlier ones; they are final unless the agent holds the turn up."""
        if intent.turn not in (None, self._turn) or self._position is None:
            return Refusal(RefusalCode.TOO_LATE, f"that answers turn {intent.turn}, which is over")
        orders, turn = [str(order) for order in intent.action], self._turn
        taken = await self.attempt(self.game.set_orders(orders=orders, wait=self._holds))
        if taken and self._turn == turn:  # otherwise the turn ended before the server answered
            self._acted = True
            self._wake_up()
        return None

    async def _say(self, text: str, to: tuple[Seat, ...]) -> None:
        """Send press; the agent receives it when the server has it, so that it cannot answer a message not yet sent.

        A server of the package does not support press to several powers, so each power is sent a message of its own.
        The agent receives each of these messages, since an agreement is then with that power alone.
        """
        game, turn = self.game, self._turn
        left: list[str] = [*to] or [GLOBAL]

        def taken(message: Message) -> None:
            for recipient in message.recipients or [message.recipient]:
                left.remove(recipient)
            self._tell_said(message, turn)

        message = game.new_power_message(left[0], text)
        if len(left) > 1:
            message = msgspec.structs.replace(message, recipients=list(left))
        await game.send_game_message(message=message, taken=taken)
        while left:
            await game.send_game_message(message=game.new_power_message(left[0], text), taken=taken)

    async def _ask_for(self, intent: Intent) -> None:
        match intent:
            case it.Say(text=text, to=to):
                await self._say(text, to)
            case it.SetWait(wait=wait):
                await self._hold(wait)
            case it.SetCommStatus(status=status):
                await self._set_ready(status)
            case it.Vote(ballot=ballot):
                await self.game.vote(vote=ballot)

    async def _hold(self, wait: bool) -> None:
        """Raise or lower the flag that holds up the turn. The flag is lowered only with orders."""
        self._holds, turn = wait, self._turn
        if (wait or self._acted) and self.game.powers[self.seat].wait != wait:
            await (self.game.wait() if wait else self.game.no_wait())
        if self._turn == turn:
            self._lane.tell(ev.WaitSet(time.time(), self.seat, wait))
        self._wake_up()

    async def _set_ready(self, status: CommStatus) -> None:
        """Announce if the agent is ready to talk; on a server without comm_status all may talk at once."""
        turn = self._turn
        with suppress(RequestException):
            await self.game.set_comm_status(comm_status=status)
        if self._turn != turn:
            return
        self._ready = self._ready or status is CommStatus.READY
        self._lane.tell(ev.CommStatusSet(time.time(), self.seat, status))
        self._wake_up()


def player_type_of(agent: Player) -> SeatedAs:
    """Return the type that an agent declares; by default a bot without press."""
    return SeatedAs(getattr(agent, "player_type", PlayerType.NO_PRESS_BOT))
