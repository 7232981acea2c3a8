"""Those who begin to watch a match: told what is old before what is new, nothing left out and nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from parlour.core.events import Event
from parlour.core.player import Told
from parlour.core.viewers import Viewer
from parlour.net.hosted import HostedMatch
from parlour.referee.gallery import Watcher
from parlour.referee.past import Past


async def begin_to_watch(
    hosted: HostedMatch,
    viewer: Viewer,
    watcher: Watcher,
    since: int | None,
    record: Callable[[], Awaitable[list[Event]]],
    past: Callable[[], Awaitable[Past]],
) -> Callable[[], None]:
    """Tell the watcher what the viewer may see of a match that is awake; call what is returned to end it."""
    hosted.watchers += 1
    loop, over = asyncio.get_running_loop(), False

    def left() -> None:
        nonlocal over
        hosted.watchers -= not over
        hosted.used = loop.time()
        over = True
        if unwatch is not None:
            unwatch()

    unwatch: Callable[[], object] | None = None
    later = _CatchingUp(watcher, since or 0)
    try:
        delayed = hosted.delays(viewer)
        unwatch = (await hosted.delayed(record)).add(later) if delayed else hosted.table.watch(viewer, later)
        first = hosted.table.seen(viewer)
        old = [] if since is None or since >= first else (await past()).told(viewer, since)
        later.begin([told for told in old if told.k < first])
        if not delayed and (since or 0) <= first:  # the table itself tells nothing twice, and nothing is to be left out
            unwatch()
            unwatch = hosted.table.watch(viewer, watcher)
    except BaseException:  # whatever ended it, a cancellation too: nobody watches who was never told of it
        left()
        raise
    return left


class _CatchingUp:
    """A watcher that is told what is new only after it has been told what is old."""

    def __init__(self, watcher: Watcher, first: int) -> None:
        self._watcher = watcher
        self._waiting: list[Told] | None = []
        self._next = first

    def begin(self, old: list[Told]) -> None:
        """Tell what is old, then what came meanwhile, then whatever comes."""
        waiting, self._waiting = self._waiting or [], None
        for told in (*old, *waiting):
            self(told)

    def __call__(self, told: Told) -> None:
        if self._waiting is not None:
            self._waiting.append(told)
        elif told.k >= self._next:
            self._next = told.k + 1
            self._watcher(told)
