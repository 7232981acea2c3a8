"""Ways to call a player: directly, on a thread of its own, or on an event loop of its own.

This is the player boundary: whatever a player raises is caught here and becomes a foul of its seat, nobody else's.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import msgspec

from parlour.core.game import FoulKind
from parlour.core.player import LATER
from parlour.core.text import printable
from parlour.core.thinking import watched_thought
from parlour.errors import NotationError, RemoteWireError

MAX_ANSWER = 1 << 20
MAX_WAITING = 10_000
"""Maximum number of calls that may wait for one player; beyond it events are dropped and a question counts as late."""
LAST_CALLS = 0.5
"""Seconds to wait for the running calls of an async player when its match is over."""

_CALLS = ("act", "on_seated", "on_start", "on_resume", "on_event", "on_refused", "identify", "on_introduced", "on_end")
_FOULS: dict[FoulKind, tuple[type[Exception], ...]] = {
    FoulKind.LATE: (TimeoutError,),
    FoulKind.DISCONNECTED: (ConnectionError, EOFError),
    FoulKind.GARBLED: (RemoteWireError, NotationError),
}
_SCALARS = (float, bool, type(None))
"""Types whose values are always plain. int is not among them: a record holds whole numbers of 64 bits only."""
_USUAL = frozenset((*_SCALARS, int, str, list, tuple, dict))
"""Types of answers that are never awaitable."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """A call raised an exception: the kind of foul, and the reason."""

    kind: FoulKind
    reason: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """A call returned a value that cannot be encoded or is too long."""

    reason: str


Done: TypeAlias = Callable[[Any], None]
"""Called with the plain result of a call, or Crashed, or Garbled."""


_UNSAID = {
    FoulKind.LATE: "no answer in time",
    FoulKind.DISCONNECTED: "the connection is gone",
    FoulKind.GARBLED: "the answer has no form that is known",
}
"""Texts for errors without a text of their own."""


def plain(value: Any) -> Any:
    """Return the answer as a plain value that shares nothing with the player's own, or Garbled."""
    if type(value) in _SCALARS or value is LATER:
        return value
    try:
        packed = msgspec.msgpack.encode(value)
        if len(packed) > MAX_ANSWER:
            return Garbled(f"the answer is longer than {MAX_ANSWER:,} bytes")
        return msgspec.msgpack.decode(packed)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        return Garbled(printable(f"the answer is no plain value: {error}"))


def crashed(error: BaseException) -> Crashed:
    """Return a player's exception as a value; the type of the exception decides the kind of foul."""
    try:
        reason = printable(error)
    except BaseException as worse:  # the player boundary: even the words of an error are the player's own
        _let_through(worse)
        reason = ""
    for kind, errors in _FOULS.items():
        if isinstance(error, errors):
            return Crashed(kind, reason or _UNSAID[kind])
    return Crashed(FoulKind.CRASHED, printable(f"{type(error).__name__}: {reason}" if reason else type(error).__name__))


def attribute(player: object, name: str) -> Any:
    """Return a player's attribute; None if it does not exist, or if reading it raises."""
    try:
        return getattr(player, name, None)
    except BaseException as error:  # the player boundary: looking at it may already run its code
        _let_through(error)
        return None


def _let_through(error: BaseException) -> None:
    """Raise an error that is not the player's: Ctrl-C on the main thread, or the cancellation of the current task."""
    if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
        raise error
    if isinstance(error, asyncio.CancelledError):
        with contextlib.suppress(RuntimeError):  # there is no task where no loop runs
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise error


class Caller(Protocol):
    """A way to call one player."""

    def call(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done, *, ask: bool = False) -> bool:
        """Call the method, now or later, and pass its result to `done`. Return False, without a call, if too many wait.

        With `ask` the call is a question, which give_up can drop.
        """

    def give_up(self) -> None:
        """Drop the answer to the last question; done receives LATER, or the answer."""

    def close(self) -> None:
        """Drop the last question and stop calling the player."""


class _Guard:
    """Keeps two threads from calling a player at the same time."""

    __slots__ = ("lock", "player", "users")

    def __init__(self, player: object) -> None:
        self.player = player
        self.lock = threading.RLock()
        self.users = 0


_guards: dict[int, _Guard] = {}
_guards_lock = threading.Lock()


def _guard_of(player: object) -> _Guard:
    """Return the guard of a player, shared by all its seats and matches; pass it to _let_go when done."""
    with _guards_lock:
        guard = _guards.setdefault(id(player), _Guard(player))
        guard.users += 1
        return guard


def _let_go(guard: _Guard) -> None:
    with _guards_lock:
        guard.users -= 1
        if not guard.users:
            _guards.pop(id(guard.player), None)


class DirectCaller:
    """Calls in the driver's own thread: the cheapest way, for matches without time limits."""

    def __init__(self, player: object = None) -> None:
        self._guard = _guard_of(self if player is None else player)
        self._lock = self._guard.lock
        self._closed = False

    def call(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done, *, ask: bool = False) -> bool:
        done(self.answer(method, arguments))
        return True

    def answer(self, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Return the plain result of a call, or Crashed, or Garbled."""
        try:
            with self._lock:
                answer = method(*arguments)
            if type(answer) in _SCALARS:
                return answer
            if type(answer) not in _USUAL and inspect.isawaitable(answer):
                answer = _finished(answer)
        except BaseException as error:  # the player boundary: a player may raise anything, or try to end the program
            _let_through(error)
            return crashed(error)
        return plain(answer)

    def give_up(self) -> None:
        pass

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            _let_go(self._guard)


class _Thought:
    """A call on a player's thread; it is stopped once nobody waits for its result."""

    __slots__ = ("arguments", "done", "method", "stopped")

    def __init__(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done) -> None:
        self.method, self.arguments, self.done = method, arguments, done
        self.stopped = False

    def is_stopped(self) -> bool:
        return self.stopped


class ThreadCaller:
    """Calls on one thread per player, in order; a player that never returns holds up only itself.

    A player that has several seats, or still thinks about an earlier match, has several threads, but only one of them
    calls it at a time.
    """

    def __init__(self, player: object = None) -> None:
        self._direct = DirectCaller(player)
        self._calls: queue.SimpleQueue[_Thought | None] = queue.SimpleQueue()
        self._question: _Thought | None = None
        """The last question."""
        # A daemon, because a call that never returns must not keep the program from ending.
        threading.Thread(target=self._run, daemon=True, name="parlour player").start()

    def call(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done, *, ask: bool = False) -> bool:
        if self._calls.qsize() >= MAX_WAITING:
            return False
        call = _Thought(method, arguments, done)
        if ask:
            self._question = call
        self._calls.put(call)
        return True

    def give_up(self) -> None:
        """Stop the last question at its next checkpoint, or skip it if it has not begun."""
        if self._question is not None:
            self._question.stopped = True

    def close(self) -> None:
        self.give_up()
        self._calls.put(None)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            if not call.stopped:
                with watched_thought(call.is_stopped):
                    answer = self._direct.answer(call.method, call.arguments)
            call.done(LATER if call.stopped else answer)
        self._direct.close()


class LoopCaller:
    """Calls on an event loop in a thread of its own; calls of the player may overlap where it awaits."""

    def __init__(self) -> None:
        self._begun = self._ended = 0
        """Numbers of calls begun and ended; only one thread writes each."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True, name="parlour async player")
        self._thread.start()

    def call(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done, *, ask: bool = False) -> bool:
        if self._begun - self._ended >= MAX_WAITING:
            return False
        self._begun += 1
        self._loop.call_soon_threadsafe(self._begin, method, arguments, done)
        return True

    def give_up(self) -> None:
        pass

    def _begin(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done) -> None:
        task = self._loop.create_task(self._call(method, arguments, done))
        self._tasks.add(task)
        task.add_done_callback(self._end)

    async def _call(self, method: Callable[..., Any], arguments: tuple[Any, ...], done: Done) -> None:
        done(await awaited(method, arguments))

    def _end(self, task: asyncio.Task[None]) -> None:
        self._ended += 1
        self._tasks.discard(task)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        if tasks := tuple(self._tasks):  # lets the last calls end, for example on_end
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=LAST_CALLS))
        for task in self._tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._tasks, return_exceptions=True))
        self._loop.close()


async def awaited(method: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return the plain result of a method that may be sync or async, or Crashed, or Garbled."""
    return await finished(begun(method, arguments))


def begun(method: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return the immediate result of a call: a value, an awaitable, or Crashed."""
    try:
        return method(*arguments)
    except BaseException as error:  # the player boundary: a player may raise anything, or try to end the program
        _let_through(error)
        return crashed(error)


async def finished(answer: Any) -> Any:
    """Return the plain result of a call that has begun, or Crashed, or Garbled."""
    if type(answer) is Crashed:
        return answer
    try:
        if inspect.isawaitable(answer):
            answer = await answer
    except BaseException as error:  # the player boundary: a player may raise anything
        _let_through(error)
        return crashed(error)
    return plain(answer)


def result_of(done: asyncio.Future[Any]) -> Any:
    """Return the plain result of a finished future, or Crashed, or Garbled."""
    try:
        return plain(done.result())
    except BaseException as error:  # the player boundary: a player may raise anything
        _let_through(error)
        return crashed(error)


def _finished(answer: Awaitable[Any]) -> Any:
    """Return the result of an awaitable from a method that is not a coroutine function."""

    async def result() -> Any:
        return await answer

    # On a thread of its own, because a loop may run on this one, as in notebooks.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, result()).result()


def is_async(player: object) -> bool:
    """Return True if any of a player's methods is a coroutine function."""
    return any(inspect.iscoroutinefunction(attribute(player, name)) for name in _CALLS)
