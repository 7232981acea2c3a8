"""New watchers of a match: they receive old events before new ones, each exactly once."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import NamedTuple

from parlour.core.events import Event
from parlour.core.player import ObservedEvent
from parlour.core.viewers import Viewer
from parlour.net.accounts.credential import Credential
from parlour.net.hosted import HostedMatch
from parlour.net.permission_errors import not_allowed
from parlour.net.shared_work import TimeSlices
from parlour.referee.history import Past
from parlour.referee.spectators import Watcher

LONG = 2000
"""Number of old events above which only one watcher at a time receives them, in turn among the matches' owners."""
PATIENCE = 60.0
"""Seconds that a watcher of a long record waits for its turn."""


async def begin_to_watch(
    hosted: HostedMatch,
    viewer: Viewer,
    watcher: Watcher,
    since: int | None,
    record: Callable[[], Awaitable[list[Event]]],
    past: Callable[[], Awaitable[Past]],
    eyes: Eyes | None,
) -> Callable[[], None]:
    """Send the watcher the viewer's events of a match in memory; call the result to stop.

    If `eyes` later gives another viewer, the watcher receives that viewer's events; raise Denied if it already does.
    """
    hosted.watchers += 1
    over = False
    unheed: Callable[[], None] = _nothing
    unwatch: Callable[[], object] | None = None

    def left() -> None:
        nonlocal over
        hosted.watchers -= not over
        hosted.used = hosted.now() - hosted.ahead
        over = True
        unheed()
        if unwatch is not None:
            unwatch()

    def looked() -> None:
        """Apply changed rights before anything else is sent: watchers who may see less receive less."""
        nonlocal viewer, unwatch
        assert eyes is not None
        assert unwatch is not None
        if over or (now := eyes.look(hosted)) == viewer:
            return
        if now is None or hosted.delays(now):
            left()  # a delayed viewer must call watch again
            return
        unwatch()
        viewer, unwatch = now, hosted.table.watch(now, watcher)

    def may_look() -> None:
        if eyes is not None and eyes.look(hosted) != viewer:
            raise not_allowed("those whom it is shown to", f"look at it as {viewer}")

    later = _CatchingUp(watcher, since or 0)
    try:
        delayed = hosted.delays(viewer)
        unwatch = (await hosted.late.bench(record)).add(later) if delayed else hosted.table.watch(viewer, later)
        first = hosted.table.seen(viewer)
        old = () if since is None or since >= first else (await past()).told(viewer, since)
        await later.begin((told for told in old if told.k < first), may_look)
        if not delayed and (since or 0) <= first:  # from here on the table itself sends each event once
            unwatch()
            unwatch = hosted.table.watch(viewer, watcher)
        if eyes is not None:
            unheed = hosted.heed_rights(looked, eyes.credential)
    except BaseException:  # a cancellation too: the watcher must not stay registered
        left()
        raise
    return left


class Eyes(NamedTuple):
    """The viewer as which a caller may look at a match; it may change at any time."""

    look: Callable[[HostedMatch], Viewer | None]
    """Returns the present viewer; None if the caller may see nothing."""
    credential: Credential | None = None
    """The credential on which the viewer depends; None if it depends only on rights in the match."""


class _CatchingUp:
    """A watcher that receives new events only after all old ones."""

    def __init__(self, watcher: Watcher, first: int) -> None:
        self._watcher = watcher
        self._waiting: deque[ObservedEvent] | None = deque()
        self._next = first

    async def begin(self, old: Iterable[ObservedEvent], may_look: Callable[[], None]) -> None:
        """Send the old events, then those that came meanwhile; after that, events are sent at once.

        Other tasks run in between. `may_look` is called at the beginning and after each pause; it raises Denied once
        the watcher may no longer look.
        """
        may_look()
        slices = TimeSlices()
        for told in self._in_order(old):
            if await slices.pause():
                may_look()
            self._tell(told)
        self._waiting = None

    def _in_order(self, old: Iterable[ObservedEvent]) -> Iterator[ObservedEvent]:
        yield from old
        while self._waiting:
            yield self._waiting.popleft()

    def __call__(self, told: ObservedEvent) -> None:
        if self._waiting is None:
            self._tell(told)
        else:
            self._waiting.append(told)

    def _tell(self, told: ObservedEvent) -> None:
        if told.k >= self._next:
            self._next = told.k + 1
            self._watcher(told)


def _nothing() -> None:
    """Do nothing."""
