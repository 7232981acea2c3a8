"""Thoughts of house agents, each on a thread, and the queues in which an account's thoughts wait for a place."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple, Protocol


class _Places(Protocol):
    """The places that thoughts have, as a thought sees them."""

    def is_wanted(self, thought: Thought, now: float) -> bool:
        """Return True if a thought must give up its place for a while. May be called on any thread."""

    def give_way(self, thought: Thought) -> None:
        """Put a running thought back into the queue, so that others think first."""


class Thinker(NamedTuple):
    """The match for which an agent thinks, and the account that opened it."""

    account: str
    match: str


class Thought:
    """A call of an agent on a thread."""

    __slots__ = (
        "_loop",
        "_places",
        "_resumed",
        "began",
        "beside",
        "brief",
        "grant",
        "has_place",
        "mark",
        "since",
        "stopped",
        "thinker",
        "waits",
    )

    def __init__(self, thinker: Thinker, places: _Places | None, *, brief: bool = False) -> None:
        self.thinker = thinker
        self.brief = brief
        """True while the thought is expected to end soon."""
        self.beside = False
        """True while the thought has one of the places reserved for brief ones."""
        self.stopped = False
        """True once nobody waits for its result."""
        self.began = self.has_place = self.waits = False
        self.mark = -1
        """The crash guard's slot for this thought; -1 without one."""
        self.since = 0.0
        """Time at which the thought got its place."""
        self.grant: Callable[[], None] = self.go_on
        """Called when the thought gets a place."""
        self._places = places
        self._loop = asyncio.get_running_loop()
        self._resumed = threading.Event()

    def stop(self) -> None:
        """Make the thought end at its next checkpoint."""
        self.stopped = True
        self._resumed.set()

    def check(self) -> bool:
        """Pass a checkpoint, on the thread of the agent: wait while others think, and return True to end."""
        places = self._places
        if places is not None and not self.stopped and places.is_wanted(self, self._loop.time()):
            self._resumed.clear()
            try:
                self._loop.call_soon_threadsafe(places.give_way, self)
            except RuntimeError:  # the loop is closed: the result is no longer wanted
                self.stopped = True
            while not (self.stopped or self._resumed.wait(1.0) or self._loop.is_closed()):
                pass
            self.stopped = self.stopped or self._loop.is_closed()
        return self.stopped

    def go_on(self) -> None:
        """Resume the thread of the thought."""
        self._resumed.set()


class Turns:
    """Waiting thoughts of one account, whose matches take turns."""

    __slots__ = ("_queues",)

    def __init__(self) -> None:
        self._queues: OrderedDict[str, deque[Thought]] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of matches with waiting thoughts."""
        return len(self._queues)

    def add(self, thought: Thought) -> None:
        """Add a thought behind the others of its match."""
        self._queues.setdefault(thought.thinker.match, deque()).append(thought)

    def remove(self, thought: Thought) -> None:
        """Remove a thought, and let the other matches come before its own."""
        match = thought.thinker.match
        self._queues[match].remove(thought)
        self._queues.move_to_end(match)
        if not self._queues[match]:
            del self._queues[match]

    def first(self, passed_over: Callable[[str], bool] = lambda match: False) -> Thought | None:
        """Return the first thought of the match whose turn it is, but for matches that are passed over."""
        return next((queue[0] for match, queue in self._queues.items() if not passed_over(match)), None)


class ThinkingAccount:
    """The time that an account has used, and its thoughts."""

    __slots__ = ("begun", "beside", "brief", "long", "resting", "running", "used")

    def __init__(self, used: float) -> None:
        self.used = used
        self.begun: Counter[str] = Counter()
        """Number of thoughts that have begun, by match."""
        self.running = self.beside = 0
        self.brief, self.long, self.resting = Turns(), Turns(), Turns()
        """Queues of brief thoughts that have not begun, of long ones that have not begun, and of begun thoughts."""

    def queue(self, thought: Thought) -> Turns:
        """Return the queue in which a thought waits."""
        return self.resting if thought.began else self.brief if thought.brief else self.long

    @property
    def idle(self) -> bool:
        """True if no thought has begun or waits."""
        return not (self.begun or self.brief or self.long or self.resting)
