"""Places for house agents that think: few at once, shared out fairly among accounts, and among the matches of each.

The account that has used the least time comes first. A long thought gives its place up at a checkpoint when another
match waits, and gets it back in turn: so one long thought delays others by at most a slice of time. One
account never has all places, and while others think no more than its share: so an agent that passes no checkpoint
leaves room for others, and one that computes without end for those that think often and briefly.

An agent whose last thought was brief, or that has not thought yet, need not wait for those that think long: places are
kept for such thoughts. One that turns out not to be brief gives its place up at its first checkpoint.

All of it happens on the event loop, but for `Thought.check`, which runs on the thread of the agent.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from parlour.net.crash_guard import CrashGuard

SLICE = 0.01
"""Seconds for which a thought may continue while another match waits."""
RECENT = 1.0
"""Seconds for which room is left for an account that has thought: most think often, and for a short time."""
BRIEF = 0.005
"""Seconds of a thread's own time that a brief thought takes at most."""
BRIEF_PLACES = 8
"""Further places, for brief thoughts: one account has all but one, enough for the agents of a table."""
MOST_BEGUN = 128
"""Thoughts that have begun, with a place or without: each has a thread."""
MOST_FIRST = 512
"""Maximum of begun thoughts at which a brief one, or the first of an account, may still begin."""
MOST_BEGUN_OF_ONE = 32
"""Maximum of begun thoughts for one account."""
MOST_BEGUN_OF_MATCH = 4


class Thinker(NamedTuple):
    """The account that opened the match, and the match, for which an agent thinks."""

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
    )

    def __init__(self, thinker: Thinker, places: ThinkingPlaces | None, *, brief: bool = False) -> None:
        self.thinker = thinker
        self.brief = brief
        """True while it is expected to end soon."""
        self.beside = False
        """True while it has one of the places that are kept for brief thoughts."""
        self.stopped = False
        """True once nobody waits for its result."""
        self.began = self.has_place = False
        self.mark = -1
        """The crash guard's entry for this thought."""
        self.since = 0.0
        """Time at which the thought got its place."""
        self.grant: Callable[[], None] = self.go_on
        """Called when it gets a place."""
        self._places = places
        self._loop = asyncio.get_running_loop()
        self._resumed = threading.Event()

    def stop(self) -> None:
        """Let it end at its next checkpoint."""
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
        """Let its thread continue."""
        self._resumed.set()


class _Share:
    """The time used by an account or a match, and the number of its thoughts."""

    __slots__ = ("begun", "beside", "running", "used", "waiting")

    def __init__(self, used: float) -> None:
        self.used = used
        self.begun = self.running = self.waiting = self.beside = 0

    @property
    def idle(self) -> bool:
        return not (self.begun or self.waiting)


class ThinkingPlaces:
    """The places, who has them, and who waits."""

    def __init__(
        self, places: int, of_one: int | None = None, guard: CrashGuard | None = None, brief: int = BRIEF_PLACES
    ) -> None:
        self._places, self._of_one, self._guard = places, of_one or places, guard
        self._brief_places = brief
        self._running: set[Thought] = set()
        self._begun: set[Thought] = set()
        self._queues: dict[Thinker, deque[Thought]] = {}
        """Waiting thoughts by match: to begin, or to continue."""
        self._accounts: dict[str, _Share] = {}
        self._matches: dict[Thinker, _Share] = {}
        self._recent: dict[str, float] = {}
        """Time of each account's last thought, oldest first."""
        self._later: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def running(self) -> int:
        """Number of places that are taken, those for brief thoughts among them."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Number of thoughts that wait for a place."""
        return sum(map(len, self._queues.values()))

    def enter(self, thought: Thought) -> None:
        """Queue a thought for a place; its `grant` is called when it has one."""
        self._wait(thought)
        self._fill()

    def leave(self, thought: Thought) -> None:
        """Take back the place of a thought that has ended, or that is no longer to begin."""
        if (queue := self._queues.get(thought.thinker)) is not None and thought in queue:
            queue.remove(thought)
            self._unqueued(thought, queue)
        self._stand_up(thought)
        for share in self._shares(thought):
            share.begun -= thought in self._begun
        self._begun.discard(thought)
        self._forget_idle(thought.thinker)
        self._fill()

    def is_wanted(self, thought: Thought, now: float) -> bool:
        """Return True if a thought has had its slice and another match waits. Called on any thread."""
        if now - thought.since < SLICE:
            return False
        if thought.beside:
            return True
        account = self._accounts.get(thought.thinker.account)
        others = len(self._queues) - (thought.thinker in self._queues)
        return others > 0 or (account is not None and account.running > self._share())

    def _share(self) -> int:
        """Number of places that one account may have now: fewer while others think, too. Called on any thread."""
        return min(self._of_one, max(1, self._places // max(1, len(self._recent))))

    def give_way(self, thought: Thought) -> None:
        """Let another think first."""
        if thought.has_place and not thought.stopped:
            self._stand_up(thought)
            thought.brief = False
            self._wait(thought)
            self._fill()
        else:
            thought.grant()

    def close(self) -> None:
        """End all thoughts, at their next checkpoints, and let none begin."""
        self._closed = True
        self._queues.clear()
        if self._later is not None:
            self._later.cancel()
        for thought in self._begun:
            thought.stop()

    def _shares(self, thought: Thought) -> list[_Share]:
        found = self._accounts.get(thought.thinker.account), self._matches.get(thought.thinker)
        return [share for share in found if share is not None]

    def _wait(self, thought: Thought) -> None:
        thinker = thought.thinker
        if thinker.account not in self._accounts:
            self._accounts[thinker.account] = _Share(min((s.used for s in self._accounts.values()), default=0.0))
        if thinker not in self._matches:
            beside = (share.used for other, share in self._matches.items() if other.account == thinker.account)
            self._matches[thinker] = _Share(min(beside, default=0.0))
        self._queues.setdefault(thinker, deque()).append(thought)
        for share in self._shares(thought):
            share.waiting += 1

    def _unqueued(self, thought: Thought, queue: deque[Thought]) -> None:
        for share in self._shares(thought):
            share.waiting -= 1
        if not queue:
            del self._queues[thought.thinker]

    def _stand_up(self, thought: Thought) -> None:
        if not thought.has_place:
            return
        beside, thought.has_place, thought.beside = thought.beside, False, False
        self._running.discard(thought)
        if self._guard is not None:
            self._guard.end(thought.mark)
        used = asyncio.get_running_loop().time() - thought.since
        for share in self._shares(thought):
            share.running -= not beside
            share.beside -= beside
            share.used += used

    def _forget_idle(self, thinker: Thinker) -> None:
        if (match := self._matches.get(thinker)) is not None and match.idle:
            del self._matches[thinker]
        if (account := self._accounts.get(thinker.account)) is not None and account.idle:
            del self._accounts[thinker.account]

    def _fill(self) -> None:
        """Give free places to accounts that have used the least time; look again when reserved room becomes free."""
        now = asyncio.get_running_loop().time()
        for account, last in tuple(self._recent.items()):
            if last > now - RECENT:
                break
            if account not in self._accounts:
                del self._recent[account]
            else:
                self._thinks(account, now)
        while (thought := self._next()) is not None:
            thought.beside = thought.brief and self._has_brief_place(self._accounts[thought.thinker.account])
            queue = self._queues[thought.thinker]
            queue.remove(thought)
            self._unqueued(thought, queue)
            thought.has_place = True
            thought.since = asyncio.get_running_loop().time()
            self._running.add(thought)
            if self._guard is not None:
                thought.mark = self._guard.begin(thought.thinker.match)
            begins = not thought.began
            if begins:
                thought.began = True
                self._begun.add(thought)
            for share in self._shares(thought):
                share.running += not thought.beside
                share.beside += thought.beside
                share.begun += begins
            self._thinks(thought.thinker.account, now)
            thought.grant()
        if self._queues and self._has_place() and self._later is None and not self._closed:
            self._later = asyncio.get_running_loop().call_later(RECENT, self._look_again)

    def _thinks(self, account: str, now: float) -> None:
        self._recent.pop(account, None)
        self._recent[account] = now

    def _look_again(self) -> None:
        self._later = None
        self._fill()

    def _next(self) -> Thought | None:
        if self._closed:
            return None
        share, place = self._share(), self._has_place()
        best: tuple[float, float] | None = None
        found: Thought | None = None
        for thinker, queue in self._queues.items():
            account, match = self._accounts[thinker.account], self._matches[thinker]
            free, brief = place and account.running < share, self._has_brief_place(account)
            if not (free or brief):
                continue
            ready = (one for one in queue if free or one.brief)
            first = next((one for one in ready if one.began or self._may_begin(account, match, one)), None)
            if first is not None and (best is None or (account.used, match.used) < best):
                best, found = (account.used, match.used), first
        return found

    def _has_place(self) -> bool:
        return sum(not thought.beside for thought in self._running) < self._places

    def _has_brief_place(self, account: _Share) -> bool:
        taken = sum(thought.beside for thought in self._running)
        return taken < self._brief_places and account.beside < max(1, self._brief_places - 1)

    def _may_begin(self, account: _Share, match: _Share, thought: Thought) -> bool:
        if account.begun >= MOST_BEGUN_OF_ONE:
            return False
        if thought.brief or not account.begun:
            return len(self._begun) < MOST_FIRST
        return len(self._begun) < MOST_BEGUN and match.begun < MOST_BEGUN_OF_MATCH
