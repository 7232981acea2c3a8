"""A real disk that is full, by a limit on the size of files: what was acknowledged is there, and then all goes on.

Run as a program, this is the server in question: the limit is one of its whole process.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import StoreError
from parlour.net.hall import Hall
from parlour.referee.conduct import DIPLOMACY
from parlour.store import SQLiteStore, read_events
from support.hall.halls import FRANCE, diplomacy, seven
from support.waiting import PATIENCE

ROOM = 600_000
TERMS = Terms(DIPLOMACY, press=PressTerms(PressMode.ANYTIME, level=8000, max_length=100_000))


def test_a_full_disk_is_waited_for_and_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        timeout=PATIENCE,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["refused"], "there was no room"
    assert told["troubles"] == [False, True, False]
    assert told["kept"] == [*told["acknowledged"], "at "]


async def live(folder: Path) -> dict[str, object]:
    """Return a server whose disk is full for a while; what became of what was said to it."""
    acknowledged: list[str] = []
    refused: list[str] = []
    with SQLiteStore(folder / "hall.db") as store:
        hall = Hall(store)
        await hall.start()
        match = await hall.open(diplomacy(terms=TERMS))
        sessions = await seven(hall, match)
        troubles = [bool(hall.trouble)]
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
        for number in range(30):
            text = f"{number} " + "x" * 50_000
            try:
                await sessions[FRANCE].submit(match, it.Say(FRANCE, text))
                acknowledged.append(text[:3])
            except StoreError:
                refused.append(text[:3])
        troubles.append(bool(hall.trouble))
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        while hall.trouble:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # real time: the hall tries the disk again each second
        troubles.append(bool(hall.trouble))
        await sessions[FRANCE].submit(match, it.Say(FRANCE, "at last"))
        events = read_events(store, match)
        await hall.close()
    return {
        "acknowledged": acknowledged,
        "refused": refused,
        "troubles": troubles,
        "kept": [event.text[:3] for event in events if isinstance(event, ev.Said)],
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
        sys.stdout.write(json.dumps(asyncio.run(live(Path(folder)))))
