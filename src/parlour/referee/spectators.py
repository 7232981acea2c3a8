"""Watchers of a match, grouped by viewer: each event becomes an ObservedEvent once per group."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from parlour.core.events import Event
from parlour.core.game import Game
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.viewers import Viewer
from parlour.referee.record import copied

_log = logging.getLogger(__name__)

Watcher: TypeAlias = Callable[[ObservedEvent], object]
"""A function that is called with each event that its viewer may see; it must not wait."""


class QuietWatcher:
    """A watcher that does not need routine events."""

    __slots__ = ("_watcher",)

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def __call__(self, told: ObservedEvent) -> None:
        self._watcher(told)


class _Bench:
    """All watchers of the same viewer."""

    __slots__ = ("k", "quiet", "watchers")

    def __init__(self, k: int) -> None:
        self.k = k
        self.watchers: list[Watcher] = []
        self.quiet = True
        """True while every watcher that was ever added is a QuietWatcher."""


class Spectators:
    """The watchers of one match."""

    def __init__(self, game: Game, *, strangers: bool = True) -> None:
        self._game = game
        self._strangers = strangers
        """True if watchers receive copies, so that a change to an event does not reach the record."""
        self._benches: dict[Viewer, _Bench] = {}
        self._trusted: list[Watcher] = []

    def __bool__(self) -> bool:
        """Return True if anybody watches."""
        return bool(self._benches)

    def watch(self, viewer: Viewer, watcher: Watcher, k: int, *, trusted: bool = False) -> Callable[[], None]:
        """Send the watcher the viewer's further events, the next of which has number k; call the result to stop.

        An exception of a trusted watcher is raised; any other watcher that raises is dropped.
        """
        bench = self._benches.setdefault(viewer, _Bench(k))
        bench.watchers.append(watcher)
        bench.quiet = bench.quiet and isinstance(watcher, QuietWatcher)
        if trusted:
            self._trusted.append(watcher)

        def unwatch() -> None:
            if watcher in bench.watchers:
                bench.watchers.remove(watcher)
            if not bench.watchers and self._benches.get(viewer) is bench:
                del self._benches[viewer]

        return unwatch

    def tell(self, number: int, event: Event, after: TableView) -> None:
        """Send an event to all who may see it, given its number and the table after it."""
        last = shown = None
        routine = event.routine
        game, strangers = self._game, self._strangers
        for viewer, bench in tuple(self._benches.items()):
            if routine and bench.quiet:
                bench.k += 1
                continue
            eyes = viewer.at(event.at) if viewer.spans else viewer
            if (seen := event.seen(eyes, game)) is None:
                continue
            if seen is not last or shown is None:
                last, shown = seen, copied(seen) if strangers else seen  # all viewers who see the same share one object
            told = ObservedEvent(bench.k, number, shown, partial(after.seen, eyes))
            bench.k += 1
            for watcher in tuple(bench.watchers):
                try:
                    watcher(told)
                except Exception:  # a stranger's code: a watcher that fails must not harm the others
                    if watcher in self._trusted:
                        raise
                    _log.warning("a watcher failed and receives no further events", exc_info=True)
                    bench.watchers.remove(watcher)
            if not bench.watchers:
                self._benches.pop(viewer, None)
