"""Hostile programs at a table: a fork bomb, one that wants all memory, one that only writes. Nobody else minds."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from parlour.agents.process_supervisor import CONFINED, Limits
from parlour.agents.program import Program
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.terms import Clock, Terms
from parlour.games import load_game
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import RandomPlayer

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and prlimit")
PLAYS = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "ask" in said:
        ask = said["ask"]
        print(json.dumps({"turn": ask["turn"], "action": ask["legal"][0]}), flush=True)
"""
HOSTILE = {
    # They would go on for ever, but end by themselves at 200 and 128, for the sake of whoever runs the tests.
    "fork bomb": "import os, time\nfor _ in range(200):\n    if not os.fork(): time.sleep(60)\ntime.sleep(60)",
    "doubling": "import os, time\nfor _ in range(7): os.fork()\ntime.sleep(60)",
    "10 GB": "block = bytearray(10_000_000_000)\nimport time\ntime.sleep(60)",
    "endless output": "import sys\nwhile True:\n    sys.stdout.write('x' * 65536)",
    "endless lines": "import sys\nwhile True:\n    sys.stdout.write('{}\\n' * 8192)",
}


def seats(program: Path, limits: Limits, conduct: str = "strict") -> Match:
    game, config = load_game("fish"), {"players": 3, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(preset(conduct), Clock(per_turn=10.0)), 1)
    red, white, brown = game.seats(config)
    bad = Program([sys.executable, "-S", str(program)], "fish", limits=limits)
    play(match, {red: RandomPlayer(1), white: bad, brown: RandomPlayer(2)})
    return match


@linux
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_loses_its_seat_and_disturbs_nobody(name: str, tmp_path: Path) -> None:
    program = tmp_path / "hostile.py"
    program.write_text(HOSTILE[name])
    limits = Limits(cpu=5, memory=1 << 30, processes=8, file_size=1 << 20, network=False)
    began = time.process_time()
    match = seats(program, limits)
    fouls = [event for event in match.record if isinstance(event, ev.Fouled)]
    assert {foul.seat for foul in fouls} == {Seat("white")}
    assert match.outcome is not None
    assert set(match.outcome.scores) >= {"red", "brown"}
    assert time.process_time() - began < 20  # ours, not the program's: nobody is kept busy by it


@linux
def test_the_record_says_which_limits_held(tmp_path: Path) -> None:
    program = tmp_path / "good.py"
    program.write_text(PLAYS)
    match = seats(program, CONFINED)
    noted = [event.text for event in match.record if isinstance(event, ev.Noted)]
    assert len(noted) == 1
    assert noted[0].startswith("the program is held to 3600 s of processor time, 2,147,483,648 bytes of memory")
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]
    unlimited = seats(program, Limits())
    assert not [event for event in unlimited.record if isinstance(event, ev.Noted)]
