"""Calls off the event loop: results, errors, and a program that ends although a call never does."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from parlour.tournament.threads import on_thread


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
            _, err = program.communicate(timeout=120)
        finally:
            program.kill()
    assert program.returncode == 1
    assert "go on with" in err
