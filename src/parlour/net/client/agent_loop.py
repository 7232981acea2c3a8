"""A local agent on a seat of a Diplomacy game far away: the loop of a press bot, filled in by any player.

The server's notifications become the events that a referee would tell, and what the agent does through its chair
becomes requests. Calls of the agent come one after the other, on threads, so that it may think as long as it likes.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Action, Outcome, Seat, View
from parlour.core.intents import Ballot, CommStatus, Consultation, Intent, PlayerType, Refusal, RefusalCode
from parlour.core.player import LATER, Player
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import LocalWireError
from parlour.games.diplomacy.position import Position
from parlour.net.client.network_game import NetworkGame
from parlour.net.client.phase_loop import PhaseLoop
from parlour.net.client.retelling import retold, said
from parlour.net.mila import notifications as n
from parlour.net.mila.faults import ResponseException
from parlour.net.mila.values import GLOBAL, SeatedAs
from parlour.referee.conduct import DIPLOMACY
from parlour.tournament.threads import on_thread


class RemoteChair:
    """A player's place at a table far away. May be used from any thread."""

    def __init__(self, seat: Seat, put: Callable[[Intent], None]) -> None:
        self.seat, self._put = seat, put

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        """Send press to some seats, or to all."""
        self._put(it.Say(self.seat, str(text), tuple(to)))

    def set_comm_status(self, status: CommStatus) -> None:
        """Announce whether one is ready to talk."""
        self._put(it.SetCommStatus(self.seat, CommStatus(status)))

    def set_wait(self, wait: bool) -> None:
        """Raise or lower the wait flag."""
        self._put(it.SetWait(self.seat, bool(wait)))

    def vote(self, ballot: Ballot) -> None:
        """Vote on a draw."""
        self._put(it.Vote(self.seat, Ballot(ballot)))

    def act(self, action: Action) -> None:
        """Submit or replace the action of this turn."""
        self._put(it.Act(self.seat, action))

    def note(self, text: str) -> None:
        """Write something down; these protocols carry no such notes."""

    def reserve(self, tokens: int, usd: float = 0.0) -> int | Refusal:
        """Set something aside; tables far away keep no banks."""
        return Refusal(RefusalCode.BAD_VALUE, "this table keeps no banks")

    def consult(self, consultation: Consultation, call: int | None = None) -> Refusal | None:
        """Have a call of a model written down; these protocols do not carry it."""
        return Refusal(RefusalCode.BAD_VALUE, "this table writes no calls of models down")


class AgentLoop(PhaseLoop):
    """Plays a joined game with a local agent."""

    def __init__(self, game: NetworkGame, agent: Player, *, diplomacy_time: float = 60.0, level: int = 60) -> None:
        super().__init__(game, diplomacy_time=diplomacy_time)
        self.seat = Seat(game.role)
        self._agent, self._level = agent, level
        self._talks = player_type_of(agent) is SeatedAs.PRESS_BOT and "NO_PRESS" not in game.rules
        self._lane: asyncio.Queue[tuple[str, Any, asyncio.Future[Any] | None]] = asyncio.Queue()
        self._wanted: asyncio.Queue[Intent] = asyncio.Queue()
        self._turn = len(game.state_history)
        self._position: Position | None = None
        self._orders: list[str] = []
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
        loop = asyncio.get_running_loop()
        for kind in (n.GameProcessed, n.PowerOrdersFlag, n.PowerWaitFlag, n.PowersControllers, n.PowerCommStatusUpdate):
            self.game.add_notification_callback(kind, self._retell)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._serve()), group.create_task(self._send())]
            chair = RemoteChair(self.seat, lambda intent: _put(loop, self._wanted, intent))
            await self._call("seated", chair)
            for event in self._story():
                self._tell(event)
            await self._call("started", self._view())
            await super().run()
            if (outcome := self.outcome) is not None:
                await self._call("ended", outcome)
            for task in tasks:
                task.cancel()

    # What the loop asks for

    async def assess(self) -> None:
        """Ask the agent for orders, which may change while it talks."""
        await self._begin_turn()
        await self.attempt(self.game.set_orders(orders=self._orders))

    async def negotiate(self) -> None:
        """Let the agent talk."""
        self._opened = True
        now = time.time()
        self._tell(ev.PressOpened(now, self._turn, now + self.diplomacy_time))
        await self._settle()

    async def choose_orders(self) -> Sequence[str]:
        """The orders that the agent gave last."""
        if self._position is None:
            await self._begin_turn()
        if self._opened:
            self._tell(ev.PressClosed(time.time(), self._turn))
            await self._settle()
        self._submitted = True
        return self._orders

    async def _negotiate(self) -> None:
        if self._talks:
            await super()._negotiate()

    async def _begin_turn(self) -> None:
        self._turn += 1
        self._position = position = self.game.position
        self._opened = self._submitted = False
        to_act = position.to_act()
        now = time.time()
        self._tell(ev.TurnBegan(now, self._turn, position.stage, to_act))
        for name, power in self.game.powers.items():
            if power.wait and power.is_controlled():
                self._tell(ev.WaitSet(now, Seat(name), True))
        action = await self._call("act", self._view()) if self.seat in to_act else []
        self._orders = [] if action is LATER else [str(order) for order in action]
        await self._settle()

    async def _settle(self) -> None:
        """Wait until the agent has taken in what it was told, and what it then wanted has been asked for."""
        await self._call("", None)
        await self._wanted.join()

    # What the server tells

    def _hear(self, game: NetworkGame, notification: n.GameMessageReceived) -> None:
        self._tell(said(notification.message, self._turn))

    def _retell(self, game: NetworkGame, notification: n.GameNotification) -> None:
        for event in retold(notification, self._turn, self._position, game):
            self._tell(event)
        if isinstance(notification, n.GameProcessed):
            self._position = None

    def _story(self) -> list[Event]:
        """What was before this player sat down, as a referee would tell it."""
        from parlour.net.client.retelling import story

        mode = PressMode.WINDOW if self._talks else PressMode.NONE
        press = PressTerms(mode=mode, level=self._level, window=max(self.diplomacy_time, 1e-3))
        return story(self.game, Terms(conduct=DIPLOMACY, press=press))

    # The agent

    def _view(self) -> View:
        return View(self.seat, self.game.position, self._turn)

    def _tell(self, event: Event) -> None:
        self._lane.put_nowait(("told", event, None))

    async def _call(self, method: str, argument: Any) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._lane.put_nowait((method, argument, answer))
        return await answer

    async def _serve(self) -> None:
        """Call the agent, once after the other; its failures are ours, not the server's."""
        while True:
            method, argument, answer = await self._lane.get()
            found = getattr(self._agent, method, None) if method else None
            result = None
            if found is not None:
                try:
                    if inspect.iscoroutinefunction(found):
                        result = await found(argument)
                    else:
                        result = await on_thread(found, argument)
                except Exception as error:  # the player boundary: an agent may raise anything
                    raise LocalWireError(f"the agent failed in {method}: {type(error).__name__}: {error}") from error
            if answer is not None and not answer.done():
                answer.set_result(result)

    # What the agent wants

    async def _send(self) -> None:
        while True:
            intent = await self._wanted.get()
            try:
                await self._ask_for(intent)
            except ResponseException as error:
                self._lane.put_nowait(("refused", Refusal(RefusalCode.BAD_VALUE, str(error)), None))
            self._wanted.task_done()

    async def _ask_for(self, intent: Intent) -> None:
        game = self.game
        match intent:
            case it.Say(text=text, to=to):
                for recipient in to or (GLOBAL,):
                    await game.send_game_message(message=game.new_power_message(recipient, text))
                self._tell(ev.Said(time.time(), self.seat, to, text, self._turn))
            case it.Act(action=action):
                self._orders = [str(order) for order in action]
                if self._submitted:
                    await game.set_orders(orders=self._orders)
            case it.SetWait(wait=False) if not self._submitted:
                self.finish_talking()
            case it.SetWait(wait=wait) if game.powers[self.seat].wait != wait:
                await (game.wait() if wait else game.no_wait())
            case it.Vote(ballot=ballot):
                await game.vote(vote=ballot)


def _put(loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[Intent], intent: Intent) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(queue.put_nowait, intent)


def player_type_of(agent: Player) -> SeatedAs:
    """What an agent says that it is; a bot without press if it says nothing."""
    return SeatedAs(getattr(agent, "player_type", PlayerType.NO_PRESS_BOT))
