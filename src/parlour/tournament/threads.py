"""Calls that may take for ever, off the event loop, on threads that do not keep the program from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def on_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns or raises, from a thread of its own.

    Unlike asyncio.to_thread it is a daemon: when the program is told to stop, nobody waits for a person who is asked
    for a move, or for an agent that never answers.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():  # whoever waited has given up
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]  # without an error it is the result
        else:
            answer.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = function(*args, **kwargs)
        except (Exception, SystemExit) as raised:  # handed on to whoever called
            error = raised if isinstance(raised, Exception) else RuntimeError(f"wanted to exit: {raised}")
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=run, daemon=True, name=f"call of {getattr(function, '__name__', 'a function')}").start()
    return await answer
