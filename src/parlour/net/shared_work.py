"""Work that several callers may await, and that continues when they stop waiting."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator
from typing import Any, TypeVar

from parlour.errors import ParlourError
from parlour.net.permission_errors import closing
from parlour.referee.table import Answer, Submission

T = TypeVar("T")
SLICE = 0.002
"""Seconds of work on the loop after which other tasks may run."""

_log = logging.getLogger(__name__)


class TimeSlices:
    """Lets other tasks run during a long piece of work on the loop."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self._until = self._time() + SLICE

    async def pause(self) -> bool:
        """Let other tasks run if a slice of time is used up; return True if they did."""
        if self._time() <= self._until:
            return False
        await asyncio.sleep(0)
        self._until = self._time() + SLICE
        return True


def begin_shared(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin shared work; callers await it behind a shield.

    After its waiter was cancelled, a shield ignores the result. So that the loop does not warn about an exception that
    was never retrieved, it is retrieved here, and logged unless it is a ParlourError.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(_take_notice)
    return task


async def carried_through(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work that continues to its end even if the caller is cancelled."""
    return await asyncio.shield(begin_shared(work))


def _take_notice(task: asyncio.Task[T]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, ParlourError):
        _log.error("shared work failed: %r", error)


class PendingSubmission(Submission):
    """Intents that must wait for something: a match to wake, a name to look up, or a stand-in."""

    __slots__ = ("_work",)

    def __init__(self, work: asyncio.Task[list[Answer]], answers: list[Answer] | None = None) -> None:
        """Make a submission whose answers are given, or known when the work is done; then all is durable."""
        super().__init__(answers or [], None)
        self._work = work

    @property
    def done(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the work is done, and fails if it failed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def settle(error: Exception | None) -> None:
            if done.done():  # the caller no longer waits
                return
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

        self.then(settle)
        return done

    def then(self, callback: Callable[[Exception | None], None]) -> None:
        """Call `callback` when the work is done, with the error if it failed."""
        self._work.add_done_callback(lambda work: callback(self._result(work)))

    def __await__(self) -> Generator[Any, None, list[Answer]]:
        """Wait until the work is done, and return the answers."""
        yield from asyncio.wait([self._work]).__await__()
        if (error := self._result(self._work)) is not None:
            raise error
        return self.answers

    def _result(self, work: asyncio.Task[list[Answer]]) -> Exception | None:
        """Take over the answers of finished work; return its error, or None."""
        if work.cancelled():
            return closing()  # shared work is cancelled only when the server stops
        if (error := work.exception()) is not None:
            assert isinstance(error, Exception)
            return error
        self.answers = work.result()
        return None
