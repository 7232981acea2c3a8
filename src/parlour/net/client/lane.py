"""Calls a local agent of a remote match in order, on a thread of its own, and queues the intents of its seat handle."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat, View
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.player import LATER, ObservedEvent, Player
from parlour.core.viewers import seated_on
from parlour.errors import LocalWireError
from parlour.games.diplomacy.game import GAME
from parlour.net.threads import on_thread
from parlour.referee.driver import DriverSeatHandle
from parlour.referee.history import Past

NO_BANKS = Refusal(RefusalCode.BAD_VALUE, "this table keeps no banks, and writes no calls of models down")
"""Answer to a model call or a budget reservation: these protocols carry neither."""


class _Call(NamedTuple):
    """A call of one of the agent's methods."""

    method: str
    argument: Any
    answer: asyncio.Future[Any] | None = None
    """Future of the result, for a caller that waits."""
    turn: int | None = None
    """The turn for which the call asks an action; None for calls that ask none."""


class AgentLane:
    """Calls one agent, one call after the other, on threads, so that it may think as long as it likes.

    An agent whose act is a coroutine receives events while it thinks. Its failures are raised here, not sent to the
    server.
    """

    def __init__(self, agent: Player, seat: Seat, want: Callable[[Intent], Awaitable[Refusal | None]]) -> None:
        self._agent = agent
        self._want = want
        self._calls: asyncio.Queue[_Call] = asyncio.Queue()
        self._wanted: asyncio.Queue[Intent] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def take(handle: DriverSeatHandle, intent: Intent) -> None:
            if not isinstance(intent, it.Note | it.Seal):  # the protocols of remote servers carry no notes and no seals
                _put(loop, self._wanted, intent)

        self.handle = DriverSeatHandle(seat, take, lambda handle, intent: NO_BANKS)
        self._told: list[Event] = []
        self._past = Past(GAME, self._told)

    def tell(self, event: Event) -> None:
        """Queue an event for the agent; the view of the table after the event is computed on demand."""
        number = len(self._told)
        self._told.append(event)
        view = partial(self._past.view, number, seated_on(self.handle.seat))
        self.give("on_event", ObservedEvent(number, number, event, view))

    def give(self, method: str, argument: Any) -> None:
        """Queue a call of a method, if the agent has it; nobody waits for its result."""
        self._calls.put_nowait(_Call(method, argument))

    async def call(self, method: str, argument: Any) -> Any:
        """Call a method of the agent, if it has it, after all earlier calls."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls.put_nowait(_Call(method, argument, answer))
        return await answer

    def ask(self, view: View) -> asyncio.Future[Any]:
        """Ask the agent to act, after all that it received before; return its answer, which may be cancelled.

        The action becomes an intent, after the intents that the agent sent before its answer, and before later ones.
        So the last action counts, as it does at a table in this program.
        """
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls.put_nowait(_Call("act", view, answer, view.turn))
        return answer

    async def settle(self) -> None:
        """Wait until the agent has processed all events, and its intents have been sent."""
        await self.call("", None)
        await self._wanted.join()

    async def run(self) -> None:
        """Serve the agent until cancelled; LocalWireError if it fails."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._serve(group))
                group.create_task(self._send())
        except BaseExceptionGroup as failed:  # one task has failed, and the group has cancelled the other
            raise failed.exceptions[0] from None

    async def _serve(self, group: asyncio.TaskGroup) -> None:
        while True:
            call = await self._calls.get()
            found = getattr(self._agent, call.method, None) if call.method else None
            if call.method == "act" and inspect.iscoroutinefunction(found):
                # A coroutine, such as that of a program, may receive and send messages before it answers.
                task = group.create_task(self._answer(found, call))
                if call.answer is not None:
                    call.answer.add_done_callback(partial(_cancel_with, task))
                await asyncio.sleep(0)  # lets the task begin before the agent receives later events
            else:
                await self._answer(found, call)

    async def _answer(self, method: Callable[[Any], Any] | None, call: _Call) -> None:
        answer = call.answer
        result = None if method is None else await self._asked(method, call.argument)
        if answer is None or answer.done():
            return
        if call.turn is not None and result is not LATER:
            # Queued as the seat handle queues intents, so that it follows those that a thread has just queued.
            _put(asyncio.get_running_loop(), self._wanted, it.Act(self.handle.seat, result, call.turn))
        answer.set_result(result)

    async def _asked(self, method: Callable[[Any], Any], argument: Any) -> Any:
        try:
            return await (method(argument) if inspect.iscoroutinefunction(method) else on_thread(method, argument))
        except Exception as error:  # the player boundary: an agent may raise anything
            where = getattr(method, "__name__", "a call")
            raise LocalWireError(f"the agent failed in {where}: {type(error).__name__}: {error}") from error

    async def _send(self) -> None:
        while True:
            intent = await self._wanted.get()
            refusal = await self._want(intent)
            if refusal is not None:
                self.give("on_refused", refusal)
            self._wanted.task_done()


def _cancel_with(task: asyncio.Task[None], answer: asyncio.Future[Any]) -> None:
    if answer.cancelled():
        task.cancel()


def _put(loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[Intent], intent: Intent) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(queue.put_nowait, intent)
