"""Runs calls that may never return off the event loop, on threads that do not keep the program from ending."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from contextvars import Context
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 8
"""Number of idle threads that are reused, because starting one blocks the loop while other threads compute."""

_waiting: list[_CallThread] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_waiting.clear)  # a forked child does not have the threads


async def on_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the function's result, or raise its exception, from a thread of its own.

    Unlike those of asyncio.to_thread it is a daemon: a stopping program does not wait for a person who is asked for a
    move, or for an agent that never answers.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():  # the caller has given up
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]  # without an error it is the result
        else:
            answer.set_exception(error)

    def done(result: T | None, error: BaseException | None) -> None:
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            return  # the loop is closed: the result is no longer wanted

    try:
        thread = _waiting.pop()
    except IndexError:
        thread = _CallThread()
    thread.call(partial(function, *args, **kwargs), done)
    return await answer


class _CallThread:
    """A thread that makes one call after the other, each in a new context."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Callable[[Any, BaseException | None], None]]]
        self._calls = queue.SimpleQueue()
        self._begun = False

    def call(self, function: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        """Call the function on the thread; done receives its result or exception."""
        self._calls.put((function, done))
        if not self._begun:
            self._begun = True
            threading.Thread(target=self._run, daemon=True, name="parlour call").start()

    def _run(self) -> None:
        while True:
            function, done = self._calls.get()
            result, error = None, None
            try:
                result = Context().run(function)
            except (Exception, SystemExit) as raised:  # raised again at the caller
                error = raised if isinstance(raised, Exception) else RuntimeError(f"wanted to exit: {raised}")
            kept = len(_waiting) < KEPT
            if kept:
                _waiting.append(self)
            done(result, error)
            del function, done, result, error  # a waiting thread keeps no reference to its last work
            if not kept:
                return
