"""A pool of connections that only read, with one thread per connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import LifoQueue
from typing import Generic, ParamSpec, Protocol, TypeVar

from parlour.errors import StoreError


class Closable(Protocol):
    """A connection, as far as this module needs it."""

    def close(self) -> None:
        """Close the connection."""


Link = TypeVar("Link", bound=Closable)
Given = ParamSpec("Given")
Found = TypeVar("Found")


class Readers(Generic[Link]):
    """Lends connections to readers, made on first use, and threads to coroutines that read."""

    def __init__(self, connect: Callable[[], Link], size: int) -> None:
        self._connect = connect
        self._size = size
        self._closed = False
        # Last in, first out: a store with few reads keeps using one connection, whose pages are cached.
        self._idle: LifoQueue[Link | None] = LifoQueue()
        for _ in range(size):
            self._idle.put(None)
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="store reader")

    @contextlib.contextmanager
    def lend(self) -> Iterator[Link]:
        """Lend a connection for the time of the block; it is closed if the block raises."""
        link = self._idle.get()
        try:
            if self._closed:
                raise StoreError("the store is closed")
            link = link or self._connect()
            yield link
        except BaseException:  # any error is raised again; the connection may be in any state
            if link is not None:
                link.close()
            link = None
            raise
        finally:
            self._idle.put(link)

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """Return the result of the call, made in one of the threads."""
        if self._closed:
            raise StoreError("the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(read, *given, **named))

    def close(self) -> None:
        """Wait for running reads, then close every connection. Later reads are refused."""
        self._closed = True
        self._threads.shutdown()
        links = [self._idle.get() for _ in range(self._size)]
        for link in links:
            if link is not None:
                link.close()
            self._idle.put(None)
