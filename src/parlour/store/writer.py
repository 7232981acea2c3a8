"""One thread that commits in groups: calls that queued up during a commit go into the next one.

A lone write is committed at once, and under load the groups grow automatically. A writer with a `rest` pauses after a
group of several, which makes groups larger and commits fewer. The event loop is woken once per group, not once per
write.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from parlour.errors import StoreError

Work = TypeVar("Work")

MAX_GROUP = 500
CAPACITY = 10_000
"""Number of works that may wait; with more, callers wait for room."""


class _Job(Generic[Work]):
    """A piece of work and the future of its caller, with the loop if the caller is a coroutine."""

    __slots__ = ("future", "loop", "work")

    def __init__(self, work: Work, loop: asyncio.AbstractEventLoop | None) -> None:
        self.work = work
        self.loop = loop
        self.future: asyncio.Future[None] | Future[None] = Future() if loop is None else loop.create_future()


class GroupWriter(Generic[Work]):
    """Commits work in groups, from one thread; each call returns when its work is committed.

    `commit` runs in the thread and returns the failures of single works by their place in the group; the others were
    stored. If it raises, every work of the group failed. After a group of several works the thread pauses for `rest`
    seconds, unless it is closed, so that the next group is larger.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Work]], Mapping[int, StoreError]],
        *,
        capacity: int = CAPACITY,
        rest: float = 0.0,
        name: str = "store",
    ) -> None:
        self._commit = commit
        self._capacity = capacity
        self._rest_for = rest
        self._queue: SimpleQueue[_Job[Work] | None] = SimpleQueue()
        self._short_of_room: deque[Callable[[], None]] = deque()
        self._closed = False
        self._closing = threading.Lock()
        # A daemon, so that a program that forgets to close can still end; close waits for queued work.
        self._thread = threading.Thread(target=self._run, name=f"{name} writer", daemon=True)
        self._thread.start()

    def write(self, work: Work) -> None:
        """Commit the work and return; block while the queue is full."""
        while self._full():
            room = threading.Event()
            self._short_of_room.append(room.set)
            if self._full():
                room.wait()
        job = _Job(work, None)
        self._put(job)
        assert isinstance(job.future, Future)
        job.future.result()

    def keep(self, work: Work) -> asyncio.Future[None]:
        """Commit the work without blocking the loop; the result is done when it is committed."""
        loop = asyncio.get_running_loop()
        return loop.create_task(self._keep_when_there_is_room(work, loop)) if self._full() else self._keep(work, loop)

    def _keep(self, work: Work, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        job = _Job(work, loop)
        self._put(job)
        assert isinstance(job.future, asyncio.Future)
        return job.future

    async def _keep_when_there_is_room(self, work: Work, loop: asyncio.AbstractEventLoop) -> None:
        while self._full():
            room = asyncio.Event()
            self._short_of_room.append(partial(_call, loop, room.set))
            if self._full():
                await room.wait()
        await self._keep(work, loop)

    def close(self) -> None:
        """Commit queued work, then end the thread. Later work is refused."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _full(self) -> bool:
        # Callers check again after they ask to be woken: the writer may have made room in between.
        return self._queue.qsize() >= self._capacity and not self._closed

    def _put(self, job: _Job[Work]) -> None:
        # Nothing may be queued behind the last group, which nobody would commit.
        with self._closing:
            if self._closed:
                raise StoreError("the store is closed")
            self._queue.put(job)

    def _run(self) -> None:
        last = False
        while not last:
            jobs, last = self._next_group()
            self._make_room()
            if not jobs:
                continue
            unforeseen = StoreError("the store's writer stopped")
            failures: Mapping[int, StoreError] = dict.fromkeys(range(len(jobs)), unforeseen)
            try:
                failures = self._commit([job.work for job in jobs])
            except StoreError as error:
                failures = dict.fromkeys(range(len(jobs)), error)
            finally:
                # Also when a bug ends this thread: nobody may wait for ever, and no further work is accepted.
                if failures.get(0) is unforeseen:
                    with self._closing:
                        self._closed = True
                    jobs.extend(self._rest())
                    self._make_room()
                    failures = dict.fromkeys(range(len(jobs)), unforeseen)
                _settle([(job, failures.get(place)) for place, job in enumerate(jobs)])
            if self._rest_for and len(jobs) > 1 and not self._closed:
                time.sleep(self._rest_for)

    def _next_group(self) -> tuple[list[_Job[Work]], bool]:
        jobs: list[_Job[Work]] = []
        job = self._queue.get()
        try:
            while job is not None:
                jobs.append(job)
                if len(jobs) == MAX_GROUP:
                    return jobs, False
                job = self._queue.get_nowait()
        except Empty:
            return jobs, False
        return jobs, True

    def _rest(self) -> list[_Job[Work]]:
        rest: list[_Job[Work]] = []
        with contextlib.suppress(Empty):
            while True:
                if (job := self._queue.get_nowait()) is not None:
                    rest.append(job)
        return rest

    def _make_room(self) -> None:
        # Each caller once: a caller without room asks again at once, and the writer needs time to write.
        for _ in range(len(self._short_of_room)):
            self._short_of_room.popleft()()


def _settle(jobs: Sequence[tuple[_Job[Work], StoreError | None]]) -> None:
    """Resolve the futures of a group; each event loop is woken once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Job[Work], StoreError | None]]] = {}
    for job, failure in jobs:
        if job.loop is None:
            _resolve([(job, failure)])
        else:
            by_loop.setdefault(job.loop, []).append((job, failure))
    for loop, waiting in by_loop.items():
        _call(loop, partial(_resolve, waiting))


def _resolve(jobs: Sequence[tuple[_Job[Work], StoreError | None]]) -> None:
    for job, failure in jobs:
        if job.future.done():  # the coroutine that waited was cancelled
            continue
        if failure is None:
            job.future.set_result(None)
        else:
            job.future.set_exception(failure)


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        # The loop is closed: nothing waits there.
        return
