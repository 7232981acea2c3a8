"""Work that several wait for: it goes on without those who went, and what it fails with is nobody's surprise."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from contextlib import closing
from typing import Any

import pytest

from parlour.errors import ParlourError, StoreError
from parlour.net.shared_work import PendingSubmission, begin_shared
from support.simulation.world import SimulatedLoop


def complaints(scenario: Coroutine[Any, Any, None]) -> list[str]:
    """Return the complaints of the loop during a scenario."""
    said: list[str] = []
    with closing(SimulatedLoop()) as loop:
        loop.set_exception_handler(lambda _, context: said.append(str(context["message"])))
        loop.run_until_complete(scenario)
        gc.collect()
    return said


async def failing_after(seconds: float, error: Exception) -> str:
    await asyncio.sleep(seconds)
    raise error


async def abandoned(error: Exception) -> None:
    """The only one who waits for some work is gone before it fails."""
    task = begin_shared(failing_after(2.0, error))

    async def wait() -> str:
        return await asyncio.shield(task)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wait(), 1.0)
    assert not task.done(), "it goes on all the same"
    await asyncio.sleep(2.0)
    assert task.done()


def test_that_work_fails_for_which_nobody_waits_any_more_is_no_complaint(caplog: pytest.LogCaptureFixture) -> None:
    assert complaints(abandoned(StoreError("the disk could not be read"))) == []
    assert caplog.text == ""


def test_a_submission_that_ends_after_its_caller_has_gone_is_no_complaint() -> None:
    async def refused() -> list[Any]:
        await asyncio.sleep(2.0)
        raise StoreError("the disk is full")

    async def left() -> None:
        done = PendingSubmission(begin_shared(refused())).done
        assert done is not None
        done.cancel()
        await asyncio.sleep(3.0)

    assert complaints(left()) == []


def test_what_nobody_expected_is_logged_whoever_waits(caplog: pytest.LogCaptureFixture) -> None:
    assert complaints(abandoned(KeyError("a mistake"))) == []
    assert "shared work failed: KeyError('a mistake')" in caplog.text


def test_whoever_still_waits_learns_how_it_ended() -> None:
    async def scenario() -> None:
        task = begin_shared(failing_after(1.0, StoreError("no")))
        ends = await asyncio.gather(*(asyncio.shield(task) for _ in range(3)), return_exceptions=True)
        assert [str(error) for error in ends] == ["no"] * 3
        assert all(isinstance(error, ParlourError) for error in ends)
        cancelled = begin_shared(failing_after(1.0, StoreError("no")))
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled

    assert complaints(scenario()) == []
