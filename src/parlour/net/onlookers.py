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
"""Number of old events above which watchers receive them one after the other, in turn among the matches' owners."""
PATIENCE = 60.0
"""Seconds for which a watcher of a long record waits for that turn."""


async def begin_to_watch(
    hosted: HostedMatch,
    viewer: Viewer,
    watcher: Watcher,
    since: int | None,
    record: Callable[[], Awaitable[list[Event]]],
    past: Callable[[], Awaitable[Past]],
    eyes: Eyes | None,
) -> Callable[[], None]:
    """Send the watcher the viewer's events of a match in memory; call the returned function to end that.

    If its eyes are another's at some time, it is told what that one may see from then on. Denied if that is so already.
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
            left()  # delayed events are for new watchers
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
        if not delayed and (since or 0) <= first:  # the table itself sends nothing twice, and nothing may be left out
            unwatch()
            unwatch = hosted.table.watch(viewer, watcher)
        if eyes is not None:
            unheed = hosted.heed_rights(looked, eyes.credential)
    except BaseException:  # after any end, also a cancellation: a watcher that received nothing does not watch
        left()
        raise
    return left


class Eyes(NamedTuple):
    """The role in which somebody may look at a match; it may change at any time."""

    look: Callable[[HostedMatch], Viewer | None]
    """Return the present viewer; None if nothing may be seen."""
    credential: Credential | None = None
    """The credential on which that depends besides; None if it depends on rights in the match alone."""


class _CatchingUp:
    """A watcher that receives new events only after all old ones."""

    def __init__(self, watcher: Watcher, first: int) -> None:
        self._watcher = watcher
        self._waiting: deque[ObservedEvent] | None = deque()
        self._next = first

    async def begin(self, old: Iterable[ObservedEvent], may_look: Callable[[], None]) -> None:
        """Send the past, then the events that came meanwhile; from then on events are sent at once.

        Others get turns in between. May_look is called before each event is sent, and raises Denied once the watcher
        may no longer look.
        """
        may_look()
        slices = TimeSlices()  # a record may be long
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
    """Do nothing: rights do not matter to this watcher."""
