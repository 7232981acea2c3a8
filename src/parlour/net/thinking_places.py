"""Places for house agents that think: few at once, shared fairly among accounts, and among the matches of each.

The account that has used the least time comes first, and within it the matches take turns. A long thought gives up its
place at a checkpoint when another match waits, and gets it back in turn, so it delays others by at most a slice of
time. One account has at most `of_one` places, and fewer while other accounts think, so an agent that passes no
checkpoint leaves room for others.

An agent whose last thought was brief, or that has not thought yet, need not wait for long thoughts: some places are
reserved for brief ones. A thought that turns out to be long gives up that place at its first checkpoint. While brief
thoughts come one after the other, all long ones rest for two thirds of the time, because computing threads slow each
other down even if each has a place.

Brief thoughts are followed by work on the event loop: turns that end, and events that are stored and sent. So an
account with a crowd of matches that wait with brief thoughts begins few of them at once, and all crowds few per period.

The cost of giving a place does not grow with the number of waiting matches: accounts are checked one by one, and of
each only thoughts that may have the place.

All methods run on the event loop, except the checkpoints of thoughts, which run on the threads of agents.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter

from parlour.net.crash_guard import CrashGuard
from parlour.net.fair_pool import lower
from parlour.net.thoughts import Thinker, ThinkingAccount, Thought

SLICE = 0.01
"""Seconds for which a thought may continue while another match waits."""
REST = 0.02
"""Seconds for which long thoughts rest after each slice, while brief ones run."""
LULL = 0.05
"""Seconds after the end of a brief thought in which another is expected."""
RECENT = 1.0
"""Seconds for which places are left free for an account after its last thought: most think often and briefly."""
BRIEF = 0.005
"""Maximum seconds of processor time of a brief thought."""
BRIEF_PLACES = 8
"""Number of further places, for brief thoughts; one account may have all but one, enough for one match's agents."""
CROWD = 4
"""Maximum number of an account's matches that may wait with brief thoughts before these are paced."""
CROWD_PLACES = 2
"""Maximum number of brief thoughts of a paced account at a time."""
CROWD_PERIOD = 0.01
"""Seconds for which brief thoughts of paced accounts are counted."""
MOST_OF_CROWD = 10
"""Maximum number of brief thoughts per period of all paced accounts together; half of it while others think, too."""
MOST_BEGUN = 128
"""Maximum number of begun thoughts, with a place or without: each has a thread."""
MOST_FIRST = 512
"""Maximum number of begun thoughts if the next is brief, or the first of its account."""
MOST_BEGUN_OF_ONE = 32
"""Maximum number of begun thoughts per account."""
MOST_BEGUN_OF_MATCH = 4


class ThinkingPlaces:
    """The places, the thoughts that have them, and the thoughts that wait."""

    def __init__(
        self, places: int, of_one: int | None = None, guard: CrashGuard | None = None, brief: int = BRIEF_PLACES
    ) -> None:
        self._places, self._of_one, self._guard = places, of_one or places, guard
        self._brief_places = brief
        self._running: set[Thought] = set()
        self._beside = 0
        """Number of taken places for brief thoughts."""
        self._begun: set[Thought] = set()
        self._waiting: Counter[Thinker] = Counter()
        self._accounts: dict[str, ThinkingAccount] = {}
        self._recent: dict[str, float] = {}
        """Time of each account's last thought, oldest first."""
        self._brief_at = -math.inf
        """Time at which a brief thought last ended."""
        self._crowd_since, self._crowd = -math.inf, 0
        """Beginning of the period, and the number of brief thoughts of paced accounts in it."""
        self._later: asyncio.TimerHandle | None = None
        self._later_at = 0.0
        self._closed = False

    @property
    def running(self) -> int:
        """Number of taken places, including those for brief thoughts."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Number of thoughts that wait for a place."""
        return self._waiting.total()

    def enter(self, thought: Thought) -> None:
        """Queue a thought for a place; its `grant` is called when it has one."""
        self._wait(thought)
        self._fill()

    def leave(self, thought: Thought) -> None:
        """Remove a thought that has ended, or that is not to begin, and free its place."""
        thinker = thought.thinker
        if (account := self._accounts.get(thinker.account)) is None:
            return  # the thought never waited for a place
        if thought.beside:
            self._brief_at = asyncio.get_running_loop().time()
        if thought.has_place:
            self._stand_up(thought)
        elif thought.waits:
            self._unqueue(thought)
        if thought in self._begun:
            self._begun.discard(thought)
            lower(account.begun, thinker.match)
        if account.idle:
            del self._accounts[thinker.account]
        self._fill()

    def is_wanted(self, thought: Thought, now: float) -> bool:
        """Return True if a thought must give way: its slice is over, or long thoughts rest. For any thread."""
        if not thought.beside and self.rests(now):
            return True
        if now - thought.since < SLICE:
            return False
        if thought.beside:
            return True
        account = self._accounts.get(thought.thinker.account)
        others = len(self._waiting) - (thought.thinker in self._waiting)
        return others > 0 or (account is not None and account.running > self._share())

    def rests(self, now: float) -> bool:
        """Return True while long thoughts rest, so that brief ones end soon. May be called on any thread."""
        return now - self._brief_at < LULL and now % (SLICE + REST) >= SLICE

    def give_way(self, thought: Thought) -> None:
        """Put a running thought back into the queue, so that others think first."""
        if thought.has_place and not thought.stopped:
            self._stand_up(thought)
            thought.brief = False
            self._wait(thought)
            self._fill()
        else:
            thought.grant()

    def close(self) -> None:
        """Stop all thoughts at their next checkpoints, and let no further one begin."""
        self._closed = True
        if self._later is not None:
            self._later.cancel()
        for thought in self._begun:
            thought.stop()

    def _share(self) -> int:
        """Return the number of places that one account may have now: fewer while others think. For any thread."""
        return min(self._of_one, max(1, self._places // max(1, len(self._recent))))

    def _wait(self, thought: Thought) -> None:
        name = thought.thinker.account
        if (account := self._accounts.get(name)) is None:
            least = min((other.used for other in self._accounts.values()), default=0.0)
            account = self._accounts[name] = ThinkingAccount(least)
        thought.waits = True
        account.queue(thought).add(thought)
        self._waiting[thought.thinker] += 1

    def _unqueue(self, thought: Thought) -> None:
        self._accounts[thought.thinker.account].queue(thought).remove(thought)
        lower(self._waiting, thought.thinker)
        thought.waits = False

    def _stand_up(self, thought: Thought) -> None:
        account, beside = self._accounts[thought.thinker.account], thought.beside
        thought.has_place = thought.beside = False
        self._running.discard(thought)
        self._beside -= beside
        if self._guard is not None:
            self._guard.end(thought.mark)
        account.running -= not beside
        account.beside -= beside
        account.used += asyncio.get_running_loop().time() - thought.since

    def _sit_down(self, thought: Thought, now: float) -> None:
        account, thinker = self._accounts[thought.thinker.account], thought.thinker
        if thought.brief and len(account.brief) > CROWD:
            self._count_of_crowd(now)
        self._unqueue(thought)
        beside = thought.brief and self._has_brief_place(account)
        thought.has_place, thought.beside, thought.since = True, beside, now
        self._running.add(thought)
        self._beside += beside
        if self._guard is not None:
            thought.mark = self._guard.begin(thinker.match)
        account.running += not beside
        account.beside += beside
        if not thought.began:
            thought.began = True
            self._begun.add(thought)
            account.begun[thinker.match] += 1
        self._thinks(thinker.account, now)
        thought.grant()

    def _fill(self) -> None:
        """Give free places to accounts that have used the least time; look again when more may think."""
        now = asyncio.get_running_loop().time()
        for account, last in tuple(self._recent.items()):
            if last > now - RECENT:
                break
            if account not in self._accounts:
                del self._recent[account]
            else:
                self._thinks(account, now)
        while not self._closed and (thought := self._next(now)) is not None:
            self._sit_down(thought, now)
        if self._waiting and not self._closed:
            self._look_again_in(self._pause(now), now)

    def _thinks(self, account: str, now: float) -> None:
        self._recent.pop(account, None)
        self._recent[account] = now

    def _pause(self, now: float) -> float:
        """Return the seconds after which one of the waiting thoughts may get a place."""
        if self.rests(now):
            return SLICE + REST - now % (SLICE + REST)
        if any(len(account.brief) > CROWD for account in self._accounts.values()):
            return CROWD_PERIOD / 2
        # A loop that waits for nothing else reads no clock, and threads that think ask it for the time.
        return RECENT if self._has_place() else SLICE

    def _look_again_in(self, pause: float, now: float) -> None:
        if self._later is not None:
            if self._later_at <= now + pause:
                return
            self._later.cancel()
        self._later_at = now + pause
        self._later = asyncio.get_running_loop().call_later(pause, self._look_again)

    def _look_again(self) -> None:
        self._later = None
        self._fill()

    def _next(self, now: float) -> Thought | None:
        share, place = self._share(), self._has_place() and not self.rests(now)
        best: ThinkingAccount | None = None
        found: Thought | None = None
        for account in self._accounts.values():
            if best is None or account.used < best.used:
                first = self._first_of(account, now, free=place and account.running < share)
                if first is not None:
                    best, found = account, first
        return found

    def _first_of(self, account: ThinkingAccount, now: float, *, free: bool) -> Thought | None:
        """Return the thought of an account that may have a place now; if none is free, a brief one."""
        begun, total = account.begun.total(), len(self._begun)
        if begun < MOST_BEGUN_OF_ONE and total < MOST_FIRST:
            if account.brief and (free or self._has_brief_place(account)) and not self._is_paced(account, now):
                return account.brief.first()
            if free and not begun:
                return account.long.first() or account.resting.first()
            if free and total < MOST_BEGUN:
                first = account.long.first(lambda match: account.begun[match] >= MOST_BEGUN_OF_MATCH)
                return first or account.resting.first()
        return account.resting.first() if free else None

    def _is_paced(self, account: ThinkingAccount, now: float) -> bool:
        """Return True if no brief thought of an account may begin yet, because a crowd of its matches waits."""
        if len(account.brief) <= CROWD:
            return False
        most = MOST_OF_CROWD if len(self._recent) < 2 else MOST_OF_CROWD // 2
        spent = now - self._crowd_since < CROWD_PERIOD and self._crowd >= most
        return spent or account.beside >= CROWD_PLACES

    def _count_of_crowd(self, now: float) -> None:
        if now - self._crowd_since >= CROWD_PERIOD:
            self._crowd_since, self._crowd = now, 0
        self._crowd += 1

    def _has_place(self) -> bool:
        return len(self._running) - self._beside < self._places

    def _has_brief_place(self, account: ThinkingAccount) -> bool:
        return self._beside < self._brief_places and account.beside < max(1, self._brief_places - 1)
