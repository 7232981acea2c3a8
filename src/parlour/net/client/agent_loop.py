"""A local agent on a seat of a Diplomacy game far away: the loop of a press bot, filled in by any player.

The server's notifications become the events that a referee would tell, and what the agent does through its chair
becomes requests.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat, View
from parlour.core.intents import CommStatus, Intent, PlayerType, Refusal, RefusalCode
from parlour.core.player import LATER, Player
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.position import Position
from parlour.net.client.lane import AgentLane
from parlour.net.client.network_game import NetworkGame
from parlour.net.client.phase_loop import PhaseLoop
from parlour.net.client.retelling import retold, said, story
from parlour.net.mila import notifications as n
from parlour.net.mila.faults import ResponseException
from parlour.net.mila.values import GLOBAL, SeatedAs
from parlour.referee.conduct import DIPLOMACY


class AgentLoop(PhaseLoop):
    """Plays a joined game with a local agent."""

    def __init__(self, game: NetworkGame, agent: Player, *, diplomacy_time: float = 60.0, level: int = 60) -> None:
        super().__init__(game, diplomacy_time=diplomacy_time)
        self.seat = Seat(game.role)
        self._level = level
        # Others wait for whoever joined as a press bot to be ready, whether it then has anything to say or not.
        types = (player_type_of(agent), game.powers[game.role].player_type)
        self._talks = SeatedAs.PRESS_BOT in types and "NO_PRESS" not in game.rules
        self._lane = AgentLane(agent, self.seat, self._want)
        self._turn = len(game.state_history)
        self._position: Position | None = None
        self._orders: list[str] = []
        self._acting: asyncio.Future[Any] | None = None
        """The agent's answer, while it talks before it gives one."""
        self._ready = asyncio.Event()
        """Whether the agent said that it is ready to talk."""
        self._opened = False
        """Whether the press window of this phase was opened to the agent."""
        self._submitted = False
        """Whether this phase's orders were given for good, so that a change is sent at once."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on, or if it was cancelled."""
        if not self.game.is_game_done:
            return None
        position = self.game.position
        return position.outcome() or position.drawn(position.alive())

    async def run(self) -> None:
        """Play until the end of the game; LocalWireError if the agent fails."""
        for kind in (n.GameProcessed, n.PowerOrdersFlag, n.PowerWaitFlag, n.PowersControllers, n.PowerCommStatusUpdate):
            self.game.add_notification_callback(kind, self._retell)
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(self._lane.run())
            await self._lane.call("seated", self._lane.chair)
            for event in self._story():
                self._lane.tell(event)
            await self._lane.call("started", self._view())
            await super().run()
            self._ask_no_more()
            if (outcome := self.outcome) is not None:
                await self._lane.call("ended", outcome)
            serving.cancel()

    # What the loop asks for

    async def assess(self) -> None:
        """Ask the agent for orders, which may change while it talks."""
        await self._begin_turn()
        if self._acting is None:
            await self.attempt(self.game.set_orders(orders=self._orders))

    async def negotiate(self) -> None:
        """Let the agent talk."""
        self._opened = True
        now = time.time()
        self._lane.tell(ev.PressOpened(now, self._turn, now + self.diplomacy_time))
        await self._lane.settle()

    async def choose_orders(self) -> Sequence[str]:
        """The orders that the agent gave last."""
        if self._position is None:
            await self._begin_turn()
        if self._opened:
            self._lane.tell(ev.PressClosed(time.time(), self._turn))
            await self._lane.settle()
        if self._acting is not None:
            self._take(await self._acting)
        self._submitted = True
        return self._orders

    async def _negotiate(self) -> None:
        if self._talks:
            await super()._negotiate()

    async def _begin_turn(self) -> None:
        self._turn += 1
        self._position = position = self.game.position
        self._opened = self._submitted = False
        self._ask_no_more()
        to_act = position.to_act()
        now = time.time()
        self._lane.tell(ev.TurnBegan(now, self._turn, position.stage, to_act))
        for name, power in self.game.powers.items():
            if power.wait and power.is_controlled():
                self._lane.tell(ev.WaitSet(now, Seat(name), True))
        self._orders = []
        if self.seat in to_act:
            await self._ask_agent()
        await self._lane.settle()

    async def _ask_agent(self) -> None:
        """Ask for orders, and wait for them, or until the agent is ready to talk before it gives any."""
        self._ready.clear()
        acting = self._acting = asyncio.ensure_future(self._lane.call("act", self._view()))
        ready = asyncio.ensure_future(self._ready.wait())
        try:
            await asyncio.wait({acting, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if acting.done():
            self._take(acting.result())
        else:
            acting.add_done_callback(lambda _: self.finish_talking())

    def _ask_no_more(self) -> None:
        """The phase was over before the agent had answered."""
        if self._acting is not None:
            self._acting.cancel()
            self._acting = None

    def _take(self, action: Any) -> None:
        self._acting = None
        if action is not LATER:
            self._orders = [str(order) for order in action]

    # What the server tells

    def _hear(self, game: NetworkGame, notification: n.GameMessageReceived) -> None:
        self._lane.tell(said(notification.message, self._turn))

    def _retell(self, game: NetworkGame, notification: n.GameNotification) -> None:
        for event in retold(notification, self._turn, self._position, game):
            self._lane.tell(event)
        if isinstance(notification, n.GameProcessed):
            self._position = None

    def _story(self) -> list[Event]:
        """What was before this player sat down, as a referee would tell it."""
        mode = PressMode.WINDOW if self._talks else PressMode.NONE
        press = PressTerms(mode=mode, level=self._level, window=max(self.diplomacy_time, 1e-3))
        return story(self.game, Terms(conduct=DIPLOMACY, press=press))

    # The agent

    def _view(self) -> View:
        return View(self.seat, self.game.position, self._turn)

    # What the agent wants

    async def _want(self, intent: Intent) -> Refusal | None:
        try:
            await self._ask_for(intent)
        except ResponseException as error:
            return Refusal(RefusalCode.BAD_VALUE, str(error))
        return None

    async def _say(self, text: str, to: tuple[Seat, ...]) -> None:
        """Send press; the agent hears of it when the first has it, for an answer before that is one to nothing."""
        game, (first, *others) = self.game, to or (GLOBAL,)
        said = ev.Said(time.time(), self.seat, to, text, self._turn)
        message = game.new_power_message(first, text)
        await game.send_game_message(message=message, taken=lambda: self._lane.tell(said))
        for recipient in others:
            await game.send_game_message(message=game.new_power_message(recipient, text))

    async def _ask_for(self, intent: Intent) -> None:
        game = self.game
        match intent:
            case it.Say(text=text, to=to):
                await self._say(text, to)
            case it.Act(action=action):
                self._orders = [str(order) for order in action]
                if self._submitted:
                    await game.set_orders(orders=self._orders)
            case it.SetWait(wait=False) if not self._submitted:
                self.finish_talking()
            case it.SetWait(wait=wait) if game.powers[self.seat].wait != wait:
                await (game.wait() if wait else game.no_wait())
            case it.SetCommStatus(status=CommStatus.READY):
                self._ready.set()
            case it.Vote(ballot=ballot):
                await game.vote(vote=ballot)


def player_type_of(agent: Player) -> SeatedAs:
    """What an agent says that it is; a bot without press if it says nothing."""
    return SeatedAs(getattr(agent, "player_type", PlayerType.NO_PRESS_BOT))
