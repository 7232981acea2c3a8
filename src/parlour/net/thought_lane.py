"""Calls an agent off the loop, one call after the other, even if callers give up.

A call whose caller gives up is asked to end, and the next one begins only when it has ended. So two threads never use
one agent, whose kernels work on their own memory without locks.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias

from parlour.core.thinking import watched_thought
from parlour.net.thinking_places import BRIEF, ThinkingPlaces
from parlour.net.thoughts import Thinker, Thought
from parlour.net.threads import on_thread

Aside: TypeAlias = Callable[..., Awaitable[Any]]
"""A function that calls a slow function with its arguments off the loop."""

NOBODY = Thinker("", "")


class _AgentCall:
    """A call of an agent, whether or not anybody still waits for it."""

    __slots__ = ("answer", "arguments", "method", "places", "task", "thought", "used")

    def __init__(
        self, method: Callable[..., Any], arguments: tuple[Any, ...], thought: Thought, places: ThinkingPlaces | None
    ) -> None:
        self.method, self.arguments, self.places = method, arguments, places
        self.thought = thought
        self.used = math.inf
        """Seconds of processor time that the call took, once it has ended."""
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None
        """The task that awaits the call, once it has begun."""

    @property
    def on_loop(self) -> bool:
        """True for a coroutine method, which runs on the loop and can be cancelled."""
        return inspect.iscoroutinefunction(self.method)

    def through(self) -> Any:
        """Call the method on this thread, and measure its time."""
        begun = time.thread_time()
        try:
            with watched_thought(self.thought.check):
                return self.method(*self.arguments)
        finally:
            self.used = time.thread_time() - begun


class ThoughtLane:
    """The queue of all calls of one agent. Use it on one event loop only."""

    def __init__(
        self, thinker: Thinker = NOBODY, places: ThinkingPlaces | None = None, aside: Aside = on_thread
    ) -> None:
        self._thinker, self._places, self._aside = thinker, places, aside
        self._waiting: deque[_AgentCall] = deque()
        self._current: _AgentCall | None = None
        """The call that has not returned; no other begins before, even if nobody waits for it."""
        self._brief = True
        """True if the last call that took a place was brief, or there was none."""

    @property
    def busy(self) -> bool:
        """True while a call has not returned."""
        return self._current is not None

    def call(self, method: Callable[..., Any], *arguments: Any, waits: bool = False) -> asyncio.Future[Any]:
        """Call a method of the agent after all earlier calls; cancel the returned future to stop it.

        A coroutine method runs on the loop. It takes no thinking place, and neither does a call with `waits`.
        """
        places = None if waits or inspect.iscoroutinefunction(method) else self._places
        call = _AgentCall(method, arguments, Thought(self._thinker, places, brief=self._brief), places)
        call.answer.add_done_callback(lambda answer: self._given_up(call) if answer.cancelled() else None)
        self._waiting.append(call)
        self._next()
        return call.answer

    def _next(self) -> None:
        while self._current is None and self._waiting:
            call = self._waiting.popleft()
            if call.answer.cancelled():
                continue
            self._current = call
            if call.places is None:
                self._begin(call)
            else:
                call.thought.grant = partial(self._begin, call)
                call.places.enter(call.thought)

    def _begin(self, call: _AgentCall) -> None:
        call.thought.grant = call.thought.go_on  # from now on a granted place resumes the thought
        call.task = asyncio.get_running_loop().create_task(self._run(call))

    async def _run(self, call: _AgentCall) -> None:
        result, error = None, None
        try:
            if call.on_loop:
                result = await call.method(*call.arguments)
            else:
                result = await self._aside(call.through)
        except asyncio.CancelledError:
            if not call.on_loop:
                # The loop ends while the thread may still run, so the agent is not called again.
                call.answer.cancel()
                raise
        except Exception as raised:  # the player boundary: any error is passed on to the caller
            error = raised
        if not call.answer.done():
            if error is None:
                call.answer.set_result(result)
            else:
                call.answer.set_exception(error)
        self._returned(call)

    def _given_up(self, call: _AgentCall) -> None:
        call.thought.stop()
        if call is not self._current:
            return  # the call has not begun, and _next skips it
        if call.task is None:
            self._returned(call)
        elif call.on_loop:
            call.task.cancel()

    def _returned(self, call: _AgentCall) -> None:
        if call.places is not None:
            self._brief = call.used < BRIEF
            call.places.leave(call.thought)
        self._current = None
        self._next()
