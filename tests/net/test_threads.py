"""Calls off the event loop: results, errors, and a program that ends although a call never does."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextvars import ContextVar
from pathlib import Path

import pytest

from parlour.net.threads import on_thread
from support.waiting import PATIENCE


def test_results_and_errors_come_back() -> None:
    assert asyncio.run(on_thread(max, 3, 4)) == 4
    with pytest.raises(ZeroDivisionError):
        asyncio.run(on_thread(divmod, 1, 0))
    with pytest.raises(RuntimeError, match="wanted to exit: 3"):
        asyncio.run(on_thread(sys.exit, 3))


def test_nobody_waits_for_a_call_that_was_given_up() -> None:
    go_on = threading.Event()

    async def gives_up() -> None:
        async with asyncio.timeout(0.01):
            await on_thread(go_on.wait)

    with pytest.raises(TimeoutError):
        asyncio.run(gives_up())
    go_on.set()


async def test_calls_one_after_the_other_share_a_thread_and_calls_at_once_do_not() -> None:
    # A thread that an earlier test left busy may come back in between, and is then the next to be taken.
    assert len({await on_thread(threading.get_ident) for _ in range(4)}) < 4
    both = threading.Barrier(2)

    def here() -> int:
        both.wait(PATIENCE)
        return threading.get_ident()

    assert len(set(await asyncio.gather(on_thread(here), on_thread(here)))) == 2


async def test_a_call_finds_nothing_that_an_earlier_one_left_behind() -> None:
    said: ContextVar[str] = ContextVar("said", default="nothing")
    await on_thread(said.set, "something")
    assert await on_thread(said.get) == "nothing"
    given = Given()
    gone = weakref.ref(given)
    await on_thread(id, given)
    del given
    for _ in range(1000):
        if gone() is None:
            break
        await asyncio.sleep(0.01)  # real time: the thread has a moment to let go
    assert gone() is None, "a thread that waits holds nothing"


class Given:
    """Something that is given to a call."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # JAX warns if another test imported it
def test_a_fork_starts_threads_of_its_own() -> None:
    asyncio.run(on_thread(int))
    child = os.fork()
    if not child:
        os._exit(asyncio.run(asyncio.wait_for(on_thread(lambda: 7), PATIENCE)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_tournament_stops_when_told_to_though_an_agent_never_answers(tmp_path: Path) -> None:
    bot, sign = tmp_path / "bot.py", tmp_path / "thinks"
    bot.write_text(
        "import pathlib, threading\n"
        "class Bot:\n    def act(self, view):\n"
        f"        pathlib.Path({str(sign)!r}).touch()\n        threading.Event().wait()\n"
    )
    arguments = [sys.executable, "-m", "parlour", "tournament", "fish", f"{bot}:Bot", "greedy"]
    more = ["--store", str(tmp_path / "store.db")]
    with subprocess.Popen([*arguments, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            while not sign.exists():
                time.sleep(0.02)  # real time, since the program is a real one
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=PATIENCE)
        finally:
            program.kill()
    assert program.returncode == 1
    assert "continue with" in err
