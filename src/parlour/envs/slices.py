"""Work on a batch, shared among threads. The kernels release the GIL, so slices of a batch run in parallel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Lock
from typing import Generic, TypeVar

from parlour.errors import ConfigError

T = TypeVar("T")
D = TypeVar("D")
MAX_GAMES = 1 << 20
MAX_THREADS = 256


class Slices(Generic[D]):
    """A batch of games, cut into one slice with its own desk for each thread."""

    def __init__(self, games: int, threads: int, desk: Callable[[], D]) -> None:
        if type(games) is not int or not 1 <= games <= MAX_GAMES:
            raise ConfigError(f"n: expected 1 to {MAX_GAMES:,} games, got {games!r:.40}", field="n")
        if type(threads) is not int or not 1 <= threads <= MAX_THREADS:
            raise ConfigError(f"threads: expected 1 to {MAX_THREADS}, got {threads!r:.40}", field="threads")
        bounds = [games * i // threads for i in range(threads + 1)]
        self._slices = [slice(start, end) for start, end in pairwise(bounds) if start < end]
        self._desks = [desk() for _ in self._slices]
        self._pool = ThreadPoolExecutor(len(self._slices)) if len(self._slices) > 1 else None
        # A desk serves one call at a time, and the kernels release the GIL.
        self._busy = Lock()

    def map(self, work: Callable[[slice, D], T]) -> list[T]:
        """Return the results of the work on each slice, in order."""
        with self._busy:
            if self._pool is None:
                return [work(self._slices[0], self._desks[0])]
            return list(self._pool.map(work, self._slices, self._desks))

    def alone(self, work: Callable[[D], T]) -> T:
        """Return the result of work that is not shared among threads."""
        with self._busy:
            return work(self._desks[0])

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
