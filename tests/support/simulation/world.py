"""A world for stress tests of a hall: simulated time, a store in memory with faults, all from a seed.

The module never waits in real time, and all randomness comes from the seed, so every failure can be repeated.
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
"""Maximum number of loop turns without simulated time; more turns count as spinning."""
MOST_CPU = 5
"""Maximum seconds of CPU time for one turn of a loop; more time counts as spinning."""


class _Spinning(KeyboardInterrupt):
    """Raised to end a spinning coroutine; no task may catch it."""


class _NoWaiting(selectors.SelectSelector):
    """A selector that advances the simulated clock instead of waiting."""

    loop: SimulatedLoop

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        """Number of turns of the loop so far."""
        self._at_once = 0
        """Number of turns since time last passed."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.turns += 1
        self._at_once += 1
        if self._at_once > MOST_TURNS:
            raise AssertionError(f"somebody spins: no time passed in {MOST_TURNS:,} turns of the loop")
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everybody waits for something that will never come")
        if not ready and timeout:
            self.loop.simulated += max(timeout, 1e-6)  # a smaller step might not change the time
            self._at_once = 0
        return ready


class _Watchdog:
    """A watchdog that ends a turn of a loop that takes too much CPU time. It works only in the main thread."""

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
        """Watch the loop during the block; raise AssertionError with the line of a spinning coroutine."""
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
    """An event loop whose time passes only while no task can run.

    A spinning coroutine ends the loop with an AssertionError, also if it lets others run. `grain` is in seconds: timers
    that are due within one grain fire at the same time, so that rare coincidences happen.
    """

    def __init__(self, begin: float = 0.0, *, grain: float = 0.0) -> None:
        selector = _NoWaiting()
        selector.loop = self
        self.simulated = begin
        self._grain = grain
        self._watchdog = _Watchdog(selector)
        super().__init__(selector)

    def run_forever(self) -> None:
        """Run until stopped; raise AssertionError if a coroutine spins."""
        with self._watchdog.watching():
            super().run_forever()

    def call_soon(
        self, callback: Callable[[*Arguments], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        """Call a function in the next turn, or never once the loop is closed.

        Coroutines that a crash dropped still end when they are collected, and may then release a lock to each other.
        """
        if self.is_closed():
            return asyncio.Handle(callback, args, self, context)
        return super().call_soon(callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[*Arguments], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call a function at a time, rounded up to the next multiple of the grain; never once the loop is closed."""
        if self.is_closed():
            return asyncio.TimerHandle(when, callback, args, self, context)
        if self._grain:
            when = math.ceil(when / self._grain) * self._grain
        return super().call_at(when, callback, *args, context=context)

    def create_task(self, coro: Any, **named: Any) -> asyncio.Task[Any]:
        """Begin a task, which never runs once the loop is closed."""
        if not self.is_closed():
            return super().create_task(coro, **named)
        coro.close()
        task = asyncio.Task(coro, loop=self)
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        return task

    def time(self) -> float:
        """Return the simulated time in seconds."""
        return self.simulated

    def close(self) -> None:
        """Drop all tasks without notice, as in a crash."""
        for task in asyncio.all_tasks(self):
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            coroutine = task.get_coro()
            if inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()  # avoids the warning about a coroutine that never started
        super().close()

    def crash_after(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        """Run work for some seconds, then stop the loop without any clean-up, as in a crash."""
        task = self.create_task(work)
        self.call_later(seconds, self.stop)
        self.run_forever()
        if task.done():
            task.result()


class SimulatedDisk:
    """The data that survives a crash: all completed writes."""

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
        """Records whose snapshot was kept before all entries that it covers; after a crash they could not continue."""

    def apply(self, writes: tuple[Write, ...]) -> None:
        """Keep all writes, or raise ConflictError and keep none."""
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
        """Update the players in the head of a record, as every store does."""
        head = self.heads[seating.record]
        players = {seat: player for seat, player in head.players.items() if seat != seating.seat}
        if seating.player:
            players[seating.seat] = seating.player
        self.heads[seating.record] = _replaced(head, players=players)


class SimulatedStore:
    """A store on a simulated disk: slow, sometimes failing, sometimes full, and interrupted by crashes."""

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
        """Set up the store.

        Args:
            disk: The disk below the store.
            chance: Source of all randomness.
            slow: Mean seconds of an operation.
            failing: Probability that an operation fails.
            hanging: Probability that an operation takes 2 to 20 seconds.
            crash_at: Number of the write during which the loop stops; 0 for none.
            filling: Period and length in seconds: with (60.0, 15.0) the disk is full in the last 15 of every 60.
        """
        self.disk = disk
        self._chance = chance
        self.slow, self.failing, self.hanging = slow, failing, hanging
        self._until_crash = crash_at
        self._filling = filling
        self.crashed = False
        self.full = False
        """True while the disk is full: writes fail, and reads still work."""
        self._under_way: list[tuple[Write, ...]] = []

    async def keep(self, *writes: Write) -> None:
        """Keep writes after a delay, or raise StoreError, either before or after all of them are kept."""
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
        """Keep or lose, at random, each write that was in progress at a crash."""
        for writes in self._under_way:
            if self._chance.random() < 0.5:
                with contextlib.suppress(ConflictError):
                    self.disk.apply(writes)

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """Return the result of a read after a delay, or raise StoreError."""
        await self._work()
        if self._chance.random() < self.failing:
            raise StoreError("the disk could not be read")
        return read(*given, **named)

    async def _work(self) -> None:
        hangs = self.hanging and self._chance.random() < self.hanging
        await asyncio.sleep(self._chance.uniform(2.0, 20.0) if hangs else self._chance.expovariate(1 / self.slow))

    def write(self, *writes: Write) -> None:
        """Keep writes at once, without faults."""
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
        """Do nothing, because the simulated store has only one owner."""

    def close(self) -> None:
        """Do nothing, because the store holds no resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_wanted(head: RecordHead, wanted: Filter) -> bool:
    """Return True if a head has the wanted kind, game and parent, and is unfinished if the filter requires it."""
    if wanted.unfinished and head.result is not None:
        return False
    asked = ((wanted.kind, head.kind), (wanted.game or None, head.game), (wanted.parent, head.parent))
    return all(want is None or want == has for want, has in asked)


def _replaced(head: RecordHead, **fields: Any) -> RecordHead:
    return msgspec.structs.replace(head, **fields)
