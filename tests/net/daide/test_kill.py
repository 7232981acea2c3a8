"""kill -9 of `parlour serve --daide-port` in the middle of a match: what was acknowledged is there, bots return."""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parlour.core import events as ev
from parlour.referee.match import Match
from parlour.store import open_store, read_events
from support.daide.table import HOLDS, POWERS
from support.daide.wire import DaideLine
from support.processes.ports import free_port
from support.waiting import PATIENCE

KILLED = "FAL 1901"
"""The turn in which the server is killed; one bot orders nothing in it before."""
LAST = "FAL 1903"
"""The turn in which all want a draw."""


@contextmanager
def serving(path: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", "from parlour.cli import main; main()", "serve", "--only", "daide"]
    command += ["--daide-port", str(port), "--store", str(path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield server
        finally:
            server.kill()


class Survivor:
    """A bot that holds, and comes back whenever it is cut off."""

    def __init__(self, power: str, port: int) -> None:
        self.power, self._port = power, port
        self._code = ""
        self.turns: list[str] = []
        self.thanked: set[str] = set()
        """Turns in which orders were acknowledged."""
        self.returns = 0
        self.ending: list[str] = []

    async def play(self) -> None:
        """Until the server says that it is over."""
        while not self.ending:
            try:
                line = await DaideLine.open(self._port)
                if self._code:
                    await self._return(line)
                else:
                    await line.sit(f"{self.power}:bot@evening")
                await self._listen(line)
            except (OSError, EOFError):
                await asyncio.sleep(0.1)

    async def _return(self, line: DaideLine) -> None:
        answer = await line.ask(f"IAM ( {self.power} ) ( {self._code} )")
        assert answer == f"YES ( IAM ( {self.power} ) ( {self._code} ) )"
        self.returns += 1
        line.say("NOW")

    async def _listen(self, line: DaideLine) -> None:
        while True:
            heard = await line.hear()
            word = heard.split()[0]
            if word == "HLO":
                self._code = heard.split()[5]
            elif word == "NOW":
                turn = " ".join(heard.split()[2:4])
                self.turns.append(turn)
                if turn != KILLED or self.power != "TUR" or self.returns:
                    line.say("DRW" if turn == LAST else f"SUB {HOLDS[self.power]}")
            elif word == "THX":
                self.thanked.add(self.turns[-1])
            elif word == "SMR":
                self.ending.append(heard)
                return
            elif word == "<3":  # the server says goodbye
                return


def test_bots_come_back_after_kill_9_and_the_match_ends(tmp_path: Path) -> None:
    path, port = tmp_path / "s.db", free_port()
    bots = [Survivor(power, port) for power in POWERS]

    async def whole() -> None:
        async with asyncio.timeout(PATIENCE), DaideLine.hung_up_at_the_end(), asyncio.TaskGroup() as group:
            with serving(path, port) as first:
                for bot in bots:
                    group.create_task(bot.play())
                while sum(KILLED in bot.thanked for bot in bots) < 6:  # noqa: ASYNC110 - it is another program
                    await asyncio.sleep(0.001)
                first.send_signal(signal.SIGKILL)
                first.wait()
            with open_store(str(path), read_only=True) as store:
                events = read_events(store, "evening")
            acted = {event.seat for event in events if isinstance(event, ev.Acted) and event.turn == 2}
            assert len(acted) == 6, "what was acknowledged is stored"
            with serving(path, port):
                while not all(bot.ending for bot in bots):  # noqa: ASYNC110 - it is another program
                    await asyncio.sleep(0.05)

    asyncio.run(whole())
    assert all(bot.returns == 1 for bot in bots)
    with open_store(str(path)) as store:
        events = read_events(store, "evening")
    Match.resume(events)  # every event follows from those before it
    assert isinstance(events[-1], ev.Ended)
    assert events[-1].outcome.reason.startswith("draw agreed by AUSTRIA, ENGLAND")
    assert not any(isinstance(event, ev.Left) for event in events), "they were back in time"
