"""Connections that are lent to whoever reads: few, used again, and gone when they broke or the store is closed."""

from __future__ import annotations

import asyncio
import threading

import pytest

from parlour.errors import StoreError
from parlour.store.readers import Readers


class Link:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Links:
    """Readers over connections that know whether they were closed."""

    def __init__(self, size: int) -> None:
        self.made: list[Link] = []
        self.readers: Readers[Link] = Readers(self._connect, size)

    def _connect(self) -> Link:
        self.made.append(Link())
        return self.made[-1]


def test_one_connection_does_for_reads_one_after_the_other_and_two_for_two_at_once() -> None:
    links = Links(2)
    for _ in range(3):
        with links.readers.lend() as first:
            pass
    with links.readers.lend() as again, links.readers.lend() as second:
        assert again is first
        assert second is not first
    assert len(links.made) == 2
    links.readers.close()
    assert all(link.closed for link in links.made)


def test_a_connection_that_broke_is_closed_and_not_lent_again() -> None:
    links = Links(1)
    with pytest.raises(OSError, match="reset"), links.readers.lend() as broken:
        raise OSError("connection reset")
    assert broken.closed
    with links.readers.lend() as fresh:
        assert fresh is not broken
        assert not fresh.closed
    links.readers.close()


def test_when_it_is_closed_nobody_reads_any_more() -> None:
    links = Links(1)
    links.readers.close()
    with pytest.raises(StoreError, match="the store is closed"), links.readers.lend():
        pass
    with pytest.raises(StoreError, match="the store is closed"):
        asyncio.run(links.readers.fetch(int, "1"))
    assert links.made == []


def test_no_thread_stays_that_read() -> None:
    links = Links(2)
    before = set(threading.enumerate())

    async def read() -> list[str]:
        return [await links.readers.fetch(lambda: threading.current_thread().name) for _ in range(3)]

    assert all(name.startswith("store reader") for name in asyncio.run(read()))
    links.readers.close()
    assert set(threading.enumerate()) == before
