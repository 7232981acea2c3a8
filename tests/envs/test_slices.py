"""Work on slices of a batch: in order, one call at a time, whatever the threads that ask."""

# Why real time passes here: threads meet in real time; nothing depends on how long they sleep.

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from parlour.envs.slices import Slices


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_slices_cover_the_batch_in_order(threads: int) -> None:
    slices = Slices(3, threads, object)
    found = slices.map(lambda part, _: list(range(part.start, part.stop)))
    assert [game for part in found for game in part] == [0, 1, 2]
    slices.close()


def test_a_desk_serves_one_call_at_a_time() -> None:
    slices = Slices(4, 1, list[int])
    most: list[int] = []

    def work(_: slice, desk: list[int]) -> None:
        desk.append(1)
        time.sleep(0.002)
        most.append(len(desk))
        desk.pop()

    def alone(desk: list[int]) -> None:
        work(slice(0), desk)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            pool.submit(slices.map, work)
            pool.submit(slices.alone, alone)
    assert most == [1] * 20
