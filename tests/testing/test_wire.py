"""The in-memory wire carries bytes both ways, in pieces if asked, with back-pressure and an end."""

from __future__ import annotations

import asyncio

from parlour.testing import MemoryWire


async def test_what_one_end_writes_the_other_reads() -> None:
    wire = MemoryWire(trickle=True)
    (near_reader, near), (far_reader, far) = wire.near, wire.far
    near.write(b"hello\n")
    await near.drain()
    assert await far_reader.readline() == b"hello\n"
    far.write(b"good day\n")
    assert await near_reader.readline() == b"good day\n"
    near.close()
    await near.wait_closed()
    assert await far_reader.read() == b""
    wire.close()


async def test_a_writer_waits_for_a_reader_that_lags() -> None:
    wire = MemoryWire(limit=16)
    (_, near), (far_reader, _) = wire.near, wire.far
    near.write(b"x" * 100)
    waiting = asyncio.create_task(near.drain())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert await far_reader.readexactly(100) == b"x" * 100
    await waiting
    wire.close()
