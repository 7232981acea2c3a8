"""Work for strangers: a bounded number of places, given in turn to waiting callers, and threads to run it on."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Future as ThreadFuture
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple, TypeVar

from parlour.errors import Denied
from parlour.net.permission_errors import busy, closing

T = TypeVar("T")
E = TypeVar("E")
K = TypeVar("K", bound=Hashable)

THREADS = 2
WAITING = 512
"""Maximum number of waiting requests."""
WAITING_OF_ONE = 128
"""Maximum number of waiting requests of one network: a laboratory with many bots shares an address."""
PATIENCE = 10.0
"""Seconds that a request waits for a place, and that it may take, before it is refused."""


class Requester(NamedTuple):
    """The sender of a request. Networks take turns, and within a network its names take turns."""

    network: str
    name: str = ""


HOUSE = Requester("")
"""The server itself."""


class FairPlaces:
    """Places for work. Requesters get them in turn, however many requests another has sent.

    A network has at most `of_one` places at a time, by default all but one. If too many requests wait, the network with
    the most loses its latest one, so that a newcomer is refused only if no network has more.
    """

    def __init__(
        self,
        places: int = THREADS,
        *,
        of_one: int | None = None,
        waiting: int = WAITING,
        waiting_of_one: int = WAITING_OF_ONE,
        patience: float = PATIENCE,
    ) -> None:
        self._free = places
        self._of_one = max(1, places - 1) if of_one is None else of_one
        self._most, self._most_of_one = waiting, waiting_of_one
        self.patience = patience
        self._taken: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._queues: OrderedDict[str, OrderedDict[str, deque[asyncio.Future[None]]]] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of requests that wait."""
        return self._waiting.total()

    @asynccontextmanager
    async def place(self, asker: Requester) -> AsyncIterator[None]:
        """Wait for a place and hold it for the block; raise Denied (busy) if too many wait, or for too long."""
        await self.enter(asker)
        try:
            yield
        finally:
            self.leave(asker)

    async def enter(self, asker: Requester) -> None:
        """Wait for a place, to give back with leave; raise Denied (busy) if too many wait, or for too long."""
        if self._free and not self._waiting and self._taken[asker.network] < self._of_one:
            self._take(asker.network)
            return
        own = self._waiting[asker.network]
        if own >= self._most_of_one or (len(self) >= self._most and not self._make_room(own)):
            raise busy()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(asker.network, OrderedDict()).setdefault(asker.name, deque()).append(turn)
        self._waiting[asker.network] += 1
        self._give()
        try:
            async with asyncio.timeout(self.patience):
                await turn
        except TimeoutError:
            self._give_up(asker, turn)
            raise busy() from None
        except BaseException:  # a cancellation, or the request was refused to make room
            self._give_up(asker, turn)
            raise

    def leave(self, asker: Requester) -> None:
        """Give a place back."""
        self._free += 1
        lower(self._taken, asker.network)
        self._give()

    def refuse_all(self) -> None:
        """Refuse all waiting requests, because the server stops."""
        for names in self._queues.values():
            for queue in names.values():
                for turn in queue:
                    _refuse(turn, closing())
        self._queues.clear()
        self._waiting.clear()

    def _take(self, network: str) -> None:
        self._free -= 1
        self._taken[network] += 1

    def _give(self) -> None:
        """Give free places to the next callers."""
        while self._free:
            network = next((one for one in self._queues if self._taken[one] < self._of_one), None)
            if network is None:
                return
            names = self._queues[network]
            name, queue = next(iter(names.items()))
            turn = queue.popleft()
            names.move_to_end(name)
            self._queues.move_to_end(network)
            self._forget(network, name)
            if not turn.done():  # otherwise the caller was cancelled and has not resumed yet
                self._take(network)
                turn.set_result(None)

    def _give_up(self, asker: Requester, turn: asyncio.Future[None]) -> None:
        if turn.done() and not turn.cancelled() and turn.exception() is None:
            self.leave(asker)  # the cancelled request had just been given a place
            return
        queue = self._queues.get(asker.network, OrderedDict()).get(asker.name, deque())
        if turn in queue:
            queue.remove(turn)
            self._forget(asker.network, asker.name)

    def _forget(self, network: str, name: str) -> None:
        """Count one waiting request less, and drop empty queues."""
        lower(self._waiting, network)
        names = self._queues[network]
        if not names[name]:
            del names[name]
        if not names:
            del self._queues[network]

    def _make_room(self, own: int) -> bool:
        """Refuse a request of the network with the most waiting; return False if at most `own` + 1 of its wait."""
        network, most = self._waiting.most_common(1)[0]
        if most <= own + 1:
            return False
        name, queue = max(self._queues[network].items(), key=lambda item: len(item[1]))
        _refuse(queue.pop(), busy())
        self._forget(network, name)
        return True


def _refuse(turn: asyncio.Future[None], reason: Denied) -> None:
    if not turn.done():  # a cancelled caller may not have resumed yet
        turn.set_exception(reason)


class FairPool:
    """Threads for the requests of strangers. The work must be of bounded cost: a thread cannot be stopped."""

    def __init__(self, places: FairPlaces | None = None, *, threads: int = THREADS, name: str = "asked") -> None:
        self._places = FairPlaces(threads) if places is None else places
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def __len__(self) -> int:
        """Return the number of requests that wait."""
        return len(self._places)

    async def run(self, asker: Requester, work: Callable[[], T]) -> T:
        """Return the result of `work`, run on a thread in its turn; raise Denied (busy) if it is not done in time."""
        if self._closed:
            raise closing()
        self._loop = loop = asyncio.get_running_loop()
        await self._places.enter(asker)
        try:
            begun = self._threads.submit(work)
        except RuntimeError:  # closed meanwhile
            self._places.leave(asker)
            raise closing() from None
        begun.add_done_callback(partial(self._done, loop, asker))
        try:
            async with asyncio.timeout(self._places.patience):
                return await asyncio.wrap_future(begun)
        except TimeoutError:
            raise busy() from None

    def _done(self, loop: asyncio.AbstractEventLoop, asker: Requester, begun: ThreadFuture[T]) -> None:
        """Give the place back when the work has ended, which it does even if its caller has gone."""
        if loop.is_closed():
            self._places.leave(asker)
        else:
            loop.call_soon_threadsafe(self._places.leave, asker)

    def close(self, *, wait: bool = False) -> None:
        """Refuse waiting requests and end the threads; with `wait`, wait until they have ended."""
        self._closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._places.refuse_all)
        self._threads.shutdown(wait=wait, cancel_futures=True)


class SharedAnswers:
    """A cache of answers that are computed once for all who ask, off the loop; the least recently used are dropped."""

    def __init__(self, pool: FairPool, *, most_bytes: int = 32 << 20) -> None:
        self.pool = pool
        self._most = most_bytes
        self.held = 0
        """Number of bytes in the cache."""
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._begun: dict[Hashable, asyncio.Future[bytes]] = {}

    async def get(self, asker: Requester, key: Hashable, compute: Callable[[], bytes]) -> bytes:
        """Return the answer for a key from the cache, or compute it; raise Denied (busy) if it is not done in time."""
        while True:
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return known
            others = self._begun.get(key)
            if others is None:
                return await self._compute(asker, key, compute)
            try:
                return await asyncio.shield(others)
            except Denied:  # the refusal was another request's, and does not concern this one
                continue
            except asyncio.CancelledError:
                if not others.cancelled():
                    raise

    async def _compute(self, asker: Requester, key: Hashable, compute: Callable[[], bytes]) -> bytes:
        result: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._begun[key] = result
        try:
            found = await self.pool.run(asker, compute)
        except BaseException as error:
            if isinstance(error, Exception):
                result.set_exception(error)
                result.exception()  # marks it as retrieved, because nobody else may wait
            else:
                result.cancel()
            raise
        finally:
            del self._begun[key]
        self._keep(key, found)
        result.set_result(found)
        return found

    def _keep(self, key: Hashable, found: bytes) -> None:
        if len(found) > self._most:
            return
        self._kept[key] = found
        self.held += len(found)
        while self.held > self._most:
            _, old = self._kept.popitem(last=False)
            self.held -= len(old)


def using_up(work: Callable[[list[E]], T], things: list[E]) -> Callable[[], T]:
    """Return the work followed by emptying its list on the same thread: freeing a long list would block the loop."""

    def used_up() -> T:
        try:
            return work(things)
        finally:
            things.clear()

    return used_up


def lower(counter: Counter[K], key: K) -> None:
    """Lower the count of a key by one, and remove the key when its count is 0."""
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
