"""A world in which a hall can be tried to destruction: simulated time, a store in memory with faults, all from a seed.

Nothing here waits in real time or asks chance that is not from the seed, so that what went wrong once goes wrong again.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import math
import random
import selectors
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextvars import Context
from types import FrameType
from typing import Any, ParamSpec, Self, TypeVar, TypeVarTuple

import msgspec

from parlour.errors import ConflictError, StoreError
from parlour.store import (
    Account,
    Entries,
    Filter,
    Finished,
    Page,
    Permission,
    Progress,
    RecordHead,
    Seating,
    Setting,
    SignUp,
    Snapshot,
    Token,
    Write,
)

Given = ParamSpec("Given")
Found = TypeVar("Found")
Arguments = TypeVarTuple("Arguments")


MOST_TURNS = 200_000
"""Turns of a loop in which no simulated time passes, before that counts as spinning."""
MOST_CPU = 5
"""Seconds of CPU time for one turn of a loop, before that counts as spinning."""


class _Spinning(KeyboardInterrupt):
    """The exception that ends a coroutine that spins; no task may catch it."""


class _NoWaiting(selectors.SelectSelector):
    """Moves the clock on instead of waiting."""

    loop: SimulatedLoop

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        """Turns of the loop so far."""
        self._at_once = 0
        """Turns since time last passed."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.turns += 1
        self._at_once += 1
        if self._at_once > MOST_TURNS:
            raise AssertionError(f"somebody spins: no time passed in {MOST_TURNS:,} turns of the loop")
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everybody waits for something that will never come")
        if not ready and timeout:
            self.loop.simulated += max(timeout, 1e-6)  # or else it might not move at all
            self._at_once = 0
        return ready


class _Watchdog:
    """Ends a turn of a loop that takes more CPU time than any finite one. Only in the main thread."""

    def __init__(self, selector: _NoWaiting) -> None:
        self._selector = selector
        self._seen, self._times = -1, 0
        self._where = ""

    def _looked(self, number: int, frame: FrameType | None) -> None:
        self._times = self._times + 1 if self._seen == self._selector.turns else 0
        self._seen = self._selector.turns
        if self._times >= MOST_CPU:
            self._times = 0
            self._where = "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
            raise _Spinning

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch for the time of the block; AssertionError names the line that somebody spins in."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGVTALRM"):
            yield
            return
        before = signal.signal(signal.SIGVTALRM, self._looked)
        signal.setitimer(signal.ITIMER_VIRTUAL, 1.0, 1.0)
        try:
            yield
        except _Spinning:
            raise AssertionError(f"somebody spins: {self._where}") from None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
            signal.signal(signal.SIGVTALRM, before)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while nothing is left to do.

    A coroutine that spins, with or without letting others run, ends it with an AssertionError.
    With a grain (in seconds), timers that are due within it fire at one moment, so that rare coincidences happen.
    """

    def __init__(self, begin: float = 0.0, *, grain: float = 0.0) -> None:
        selector = _NoWaiting()
        selector.loop = self
        self.simulated = begin
        self._grain = grain
        self._watchdog = _Watchdog(selector)
        super().__init__(selector)

    def run_forever(self) -> None:
        """Run until stopped, or until somebody spins."""
        with self._watchdog.watching():
            super().run_forever()

    def call_at(
        self, when: float, callback: Callable[[*Arguments], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call at that time, or at the next moment after it at which things happen here."""
        if self._grain:
            when = math.ceil(when / self._grain) * self._grain
        return super().call_at(when, callback, *args, context=context)

    def time(self) -> float:
        """Seconds of simulated time."""
        return self.simulated

    def close(self) -> None:
        """Drop all tasks without notice, as in a crash."""
        for task in asyncio.all_tasks(self):
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            coroutine = task.get_coro()
            if inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()  # it had not even begun
        super().close()

    def crash_after(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        """Run some work for some seconds, then drop everything as a crash does, without any clean-up."""
        task = self.create_task(work)
        self.call_later(seconds, self.stop)
        self.run_forever()
        if task.done():
            task.result()


class SimulatedDisk:
    """The data that outlives a crash: all that was kept."""

    def __init__(self) -> None:
        self.heads: dict[str, RecordHead] = {}
        self.bodies: dict[str, list[bytes]] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.seats: dict[str, dict[str, Seating]] = {}
        self.settings: dict[str, bytes] = {}
        self.roles: dict[tuple[str, str], Permission] = {}
        self.accounts: dict[str, Account] = {}
        self.tokens: dict[bytes, Token] = {}
        self.entered: dict[str, list[SignUp]] = {}
        self.premature: list[str] = []
        """Records of which a snapshot was kept before all that it covers: after a crash they could not continue."""

    def apply(self, writes: tuple[Write, ...]) -> None:
        """Keep all of them, or raise and keep none."""
        for write in writes:
            if isinstance(write, RecordHead) and write.id in self.heads:
                raise ConflictError(f"record {write.id} exists")
            if isinstance(write, Entries) and write.first != len(self.bodies.get(write.record, ())):
                raise ConflictError(f"record {write.record}: entry {write.first} is not the next")
        for write in writes:
            self._put(write)

    def _put(self, write: Write) -> None:
        match write:
            case RecordHead():
                self.heads[write.id] = write
                self.bodies[write.id] = []
            case Entries():
                self.bodies[write.record].extend(write.bodies)
            case Progress():
                head = self.heads[write.record]
                fields = {name: getattr(write, name) for name in ("status", "turn", "phase", "due", "updated")}
                self.heads[write.record] = _replaced(head, **fields)
            case Finished():
                self.heads[write.record] = _replaced(self.heads[write.record], result=write.result, due=None)
            case Snapshot():
                self.snapshots[write.record] = write
                if write.length > len(self.bodies[write.record]):
                    self.premature.append(write.record)
            case Seating():
                self.seats.setdefault(write.record, {})[write.seat] = write
                self._seat(write)
            case Setting():
                self.settings[write.key] = write.value
            case Permission():
                self.roles[write.record, write.account] = write
            case Account():
                self.accounts[write.name] = write
            case Token():
                self.tokens[write.digest] = write
            case SignUp():
                self.entered.setdefault(write.tournament, []).append(write)
            case _:
                raise StoreError(f"the simulated disk does not keep {type(write).__name__}")

    def _seat(self, seating: Seating) -> None:
        """A head names the players of its seats, as in every store."""
        head = self.heads[seating.record]
        players = {seat: player for seat, player in head.players.items() if seat != seating.seat}
        if seating.player:
            players[seating.seat] = seating.player
        self.heads[seating.record] = _replaced(head, players=players)


class SimulatedStore:
    """A store on a simulated disk: slow, failing now and then, full at times, cut off in a write by a crash."""

    url = "simulated"

    def __init__(
        self,
        disk: SimulatedDisk,
        chance: random.Random,
        *,
        slow: float = 0.01,
        failing: float = 0.0,
        hanging: float = 0.0,
        crash_at: int = 0,
        filling: tuple[float, float] = (1.0, 0.0),
    ) -> None:
        """Slow is in seconds, failing and hanging (for seconds, not milliseconds) are how often.

        With filling=(60.0, 15.0) the disk is full in the last 15 seconds of every 60.

        Everything crashes right before or right after the write of that number, if there is one.
        """
        self.disk = disk
        self._chance = chance
        self.slow, self.failing, self.hanging = slow, failing, hanging
        self._until_crash = crash_at
        self._filling = filling
        self.crashed = False
        self.full = False
        """True while the disk has no room: nothing is kept, and all can be read."""
        self._under_way: list[tuple[Write, ...]] = []

    async def keep(self, *writes: Write) -> None:
        """Keep them after a while, or fail: before anything is kept, or (worse) after everything is."""
        self._under_way.append(writes)
        try:
            await self._work()
            self._until_crash -= 1
            if not self._until_crash:
                self.crashed = True
                asyncio.get_running_loop().stop()
                await asyncio.Event().wait()
            if self.full or self._is_filled():
                raise StoreError("the disk is full")
            fails = self._chance.random() < self.failing
            if fails and self._chance.random() < 0.5:
                raise StoreError("the disk failed")
            self.disk.apply(writes)
            if fails:
                raise StoreError("the disk failed to say that it did not fail")
        finally:
            if writes in self._under_way:
                self._under_way.remove(writes)

    def _is_filled(self) -> bool:
        period, length = self._filling
        return asyncio.get_running_loop().time() % period >= period - length

    def crash(self) -> None:
        """Keep or lose the writes that were under way when everything stopped."""
        for writes in self._under_way:
            if self._chance.random() < 0.5:
                with contextlib.suppress(ConflictError):
                    self.disk.apply(writes)

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """Return the result of a read after a while, or raise as it failed."""
        await self._work()
        if self._chance.random() < self.failing:
            raise StoreError("the disk could not be read")
        return read(*given, **named)

    async def _work(self) -> None:
        hangs = self.hanging and self._chance.random() < self.hanging
        await asyncio.sleep(self._chance.uniform(2.0, 20.0) if hangs else self._chance.expovariate(1 / self.slow))

    def write(self, *writes: Write) -> None:
        """Keep them at once."""
        self.disk.apply(writes)

    def head(self, record: str) -> RecordHead | None:
        return self.disk.heads.get(record)

    def heads(self, wanted: Filter = Filter(), *, newest_first: bool = False) -> Iterator[RecordHead]:  # noqa: B008
        return iter([head for head in self.disk.heads.values() if _is_wanted(head, wanted)])

    def page(
        self,
        wanted: Filter = Filter(),  # noqa: B008
        *,
        limit: int = 100,
        after: int | None = None,
        newest_first: bool = True,
    ) -> Page:
        return Page(tuple(self.disk.heads.values())[:limit])

    def count(self, wanted: Filter = Filter()) -> int:  # noqa: B008
        return sum(head.result is None for head in self.disk.heads.values())

    def dues(self, limit: int, before: float = math.inf) -> list[tuple[float, str]]:
        found = [(head.due, head.id) for head in self.disk.heads.values() if head.due is not None]
        return sorted(due for due in found if due[0] < before)[:limit]

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        return iter(self.disk.bodies.get(record, [])[start:])

    def length(self, record: str) -> int:
        return len(self.disk.bodies.get(record, []))

    def result(self, record: str) -> bytes | None:
        head = self.disk.heads.get(record)
        return None if head is None else head.result

    def snapshot(self, record: str) -> Snapshot | None:
        return self.disk.snapshots.get(record)

    def seating(self, record: str) -> list[Seating]:
        return list(self.disk.seats.get(record, {}).values())

    def permissions(self, record: str) -> list[Permission]:
        return [permission for (match, _), permission in self.disk.roles.items() if match == record]

    def setting(self, key: str) -> bytes | None:
        return self.disk.settings.get(key)

    def account(self, name: str) -> Account | None:
        return self.disk.accounts.get(name)

    def accounts(self) -> Iterator[Account]:
        return iter([self.disk.accounts[name] for name in sorted(self.disk.accounts)])

    def token(self, digest: bytes) -> Token | None:
        return self.disk.tokens.get(digest)

    def tokens(self, account: str) -> list[Token]:
        return [token for token in self.disk.tokens.values() if token.account == account]

    def sign_ups(self, tournament: str) -> list[SignUp]:
        return list(self.disk.entered.get(tournament, []))

    def probe(self) -> None:
        if self.full:
            raise StoreError("the disk is full")

    def claim(self) -> None:
        """Do nothing: the simulated store has one owner."""

    def close(self) -> None:
        """Nothing to let go of."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_wanted(head: RecordHead, wanted: Filter) -> bool:
    """Return True if a head is of that kind, game and tournament, and unfinished if that is asked for."""
    if wanted.unfinished and head.result is not None:
        return False
    asked = ((wanted.kind, head.kind), (wanted.game or None, head.game), (wanted.parent, head.parent))
    return all(want is None or want == has for want, has in asked)


def _replaced(head: RecordHead, **fields: Any) -> RecordHead:
    return msgspec.structs.replace(head, **fields)
