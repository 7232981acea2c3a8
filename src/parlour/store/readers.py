"""Connections that only read: as many threads as there are connections can read at the same time."""

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
    """A connection, as far as this file needs to know."""

    def close(self) -> None:
        """Let go."""
        ...


Link = TypeVar("Link", bound=Closable)
Given = ParamSpec("Given")
Found = TypeVar("Found")


class Readers(Generic[Link]):
    """Lends connections to readers, made on first use, and threads to coroutines that read."""

    def __init__(self, connect: Callable[[], Link], size: int) -> None:
        self._connect = connect
        self._size = size
        self._closed = False
        # The last in is the first out, so that a quiet store keeps using the one connection whose pages are warm.
        self._idle: LifoQueue[Link | None] = LifoQueue()
        for _ in range(size):
            self._idle.put(None)
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="store reader")

    @contextlib.contextmanager
    def lend(self) -> Iterator[Link]:
        """Lend a connection for the time of the block; one that broke is not lent again."""
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
