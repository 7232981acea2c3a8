"""A new event, made as docs/how-to/add-an-intent.md says: three files, and a line for each door that words it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import parlour

SOURCE = Path(parlour.__file__).parent
TESTS = Path(__file__).parents[1]
INTENT = """class Applaud(_Intent, frozen=True, tag="applaud"):
    sender = IntentSender.MODERATOR
    by: str
    text: str


"""
EVENT = """class Applauded(EventBase, frozen=True, tag="applauded"):
    by: str
    text: str
    seen = open_to_all


"""
RULES = """@rules_on(it.Applaud, leads_to=ev.Applauded)
def applaud(state, intent, now):
    return ev.Applauded(now, intent.by, intent.text)


@folds(ev.Applauded)
def _applauded(state, event):
    pass


"""
REFEREE = {
    "core/intents.py": [("class Start(_Intent", INTENT), ("    | Start\n", "    | Applaud\n")],
    "core/events.py": [("class PressOpened(", EVENT), ("    | Proclaimed\n", "    | Applauded\n")],
    "referee/rules/press.py": [("@rules_on(it.Announce, ", RULES)],
}
"""Texts to insert, each with the text that follows it, in the three files of the referee."""
DOORS = {
    "net/daide/match_messages.py": ("case ev.Proclaimed():", "case ev.Proclaimed() | ev.Applauded():"),
    "net/mcp/event_text.py": (
        "case ev.Proclaimed(text=text):",
        "case ev.Proclaimed(text=text) | ev.Applauded(text=text):",
    ),
}
"""The line of each of two doors that words it. Pages and the API hand events on as they are."""
SCENE = """
import asyncio, sys
from pathlib import Path
import msgspec
from parlour.core import events as ev
from parlour.core.intents import Intent
from parlour.core.viewers import SPECTATOR
from parlour.net.mcp.event_text import news_of
from parlour.referee.match import replay
from support.daide.table import at_table
from support.hall.people import session_of

async def scene(at):
    lines = await at.seven()
    told = []
    await at.hall.watch("table", SPECTATOR, lambda observed: told.append(observed.event))
    intent = msgspec.json.decode(b'{"intent": "applaud", "by": "", "text": "bravo"}', type=Intent)
    (answer,) = await session_of(at.hall, "admin", admin=True).submit("table", intent)
    assert answer.refusal is None
    assert told == [ev.Applauded(told[0].at, "admin", "bravo")]
    assert lines["FRA"].heard() == ["ADM ( 'admin' ) ( 'bravo' )"]
    record = await at.hall.record("table")
    assert replay(record).count == len(record)
    assert news_of(told[0], at.seat("FRA")) == "the host says: bravo"

at_table(Path(sys.argv[1]), scene)
"""


def test_a_new_event_reaches_the_doors(tmp_path: Path) -> None:
    copy = tmp_path / "parlour"
    shutil.copytree(SOURCE, copy, copy_function=os.link, ignore=shutil.ignore_patterns("__pycache__", "static"))
    for name, additions in REFEREE.items():
        text = (SOURCE / name).read_text(encoding="utf-8")
        for before, added in additions:
            assert text.count(before) == 1
            text = text.replace(before, added + before)
        rewrite(copy / name, text)
    for name, (before, after) in DOORS.items():
        text = (SOURCE / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, "one line"
        rewrite(copy / name, text.replace(before, after))
    (tmp_path / "store").mkdir()
    paths = os.pathsep.join([str(tmp_path), str(TESTS)])
    command = [sys.executable, "-c", SCENE, str(tmp_path / "store")]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def rewrite(path: Path, text: str) -> None:
    """Write a file anew, which has been a link to ours."""
    path.unlink()
    path.write_text(text, encoding="utf-8")
