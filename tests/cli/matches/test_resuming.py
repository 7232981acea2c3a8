"""`parlour play` is killed at random events, again and again, and resumed; its record is that of an uncut match."""

# Why real time passes here: a process is killed while it plays.

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.cli.matches import resuming
from parlour.core.events import Fouled
from parlour.core.game import Plain
from parlour.core.terms import Terms
from parlour.games import load_game
from parlour.matches.spec import MatchSpec, PlayerSpec, encoded
from parlour.referee.conduct import STRICT
from parlour.referee.record import RecordWriter, read_record

SLOW = """
import random, time

class Slow:
    def __init__(self, seed):
        self._chance = random.Random(seed)

    def act(self, view):
        time.sleep(0.002)  # simulated thought
        return self._chance.choice(list(view.position.legal(view.seat)))
"""
MATCH = ["fish", "slow.py:Slow", "random", "lookahead1", "--rows", "5", "--cols", "5", "--seed", "9", "--quiet"]
AGAIN = ["--resume", "cut.jsonl", "--trust-record", "--quiet"]


def events_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def run_until(events: int | None, folder: Path, *arguments: str) -> None:
    """Run `parlour play`, and kill it as soon as its record has that many events, if it is to be killed."""
    command = [sys.executable, "-m", "parlour", "play", *arguments]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while events is not None and running.poll() is None and events_in(folder / "cut.jsonl") < events:
        time.sleep(0.001)  # real time: the other process writes
    if events is not None:
        running.kill()
    _, err = running.communicate()
    assert events is not None or (running.returncode, err) == (0, "")


@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(1200)])])
def test_a_match_that_is_killed_at_random_events_has_the_record_of_one_that_was_not(tmp_path: Path, kills: int) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    run_until(None, tmp_path, *MATCH, "--record", "whole.jsonl")
    whole = (tmp_path / "whole.jsonl").read_bytes()
    length, chance, killed = whole.count(b"\n"), random.Random(kills), 0
    cut = tmp_path / "cut.jsonl"
    while killed < kills:
        cut.unlink(missing_ok=True)
        run_until(chance.randrange(1, length), tmp_path, *MATCH, "--record", "cut.jsonl")
        while (known := events_in(cut)) < length and killed < kills:
            killed += 1
            assert whole.startswith(cut.read_bytes().rpartition(b"\n")[0])
            run_until(chance.randrange(known, length), tmp_path, *AGAIN)
        if events_in(cut) < length:
            run_until(None, tmp_path, *AGAIN)
        assert cut.read_bytes() == whole


CONFINED_BOT = """
import json, os, resource, sys

if resource.getrlimit(resource.RLIMIT_AS)[0] != 2 << 30 or os.environ.get("BOT_KEY") != "x":
    sys.exit("not as it was")
for line in sys.stdin:
    (kind, value), = json.loads(line).items()
    if kind == "ask":
        print(json.dumps({"turn": value["turn"], "action": []}), flush=True)
"""
"""A bot that holds, as long as it is confined and has its key."""


def test_a_program_does_not_see_the_record_of_the_match_that_it_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config: dict[str, Plain] = {"rows": 4, "cols": 4, "players": 2, "holes": 0}
    players = {seat: PlayerSpec("./bot", 1) for seat in load_game("fish").seats(config)}
    spec = MatchSpec("fish", Terms(STRICT), players, config)
    with RecordWriter(tmp_path / "cut.jsonl", spec=encoded(spec)) as record:
        record.write(spec.open().start(0.0).events[:1])
    hosted: list[MatchSpec] = []
    monkeypatch.setattr(resuming, "host", lambda spec, *_, **__: hosted.append(spec))
    resuming.resume(Path("cut.jsonl"), trusts_record=True, as_json=True, quiet=True)
    assert {player.limits.hidden for player in hosted[0].players.values()} == {(str(tmp_path / "cut.jsonl"),)}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of programs need Linux")
def test_a_confined_program_comes_back_confined_with_what_it_was_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOT_KEY", "x")
    (tmp_path / "bot.py").write_text(CONFINED_BOT)
    seats = ["--seat", f"ITALY={sys.executable} bot.py", "--last-year", "1902", "--quiet"]
    with pytest.raises(SystemExit):
        main(["play", "diplomacy", "random", *seats, "--confined", "--pass-env", "BOT_KEY"])
    lines = (tmp_path / "diplomacy.jsonl").read_bytes().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[: len(lines) // 2]))
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(["play", *AGAIN])
    assert stop.value.code in (0, None)
    assert "cannot be asked again: all players are new, and continue from the record" in capsys.readouterr().err
    assert not [event for event in read_record(cut) if isinstance(event, Fouled)]
    cut.write_bytes(b"".join(lines[: len(lines) // 2]))
    monkeypatch.delenv("BOT_KEY")
    with pytest.raises(SystemExit) as stop:
        main(["play", *AGAIN])
    assert stop.value.code == 2
    assert "pass-env: there is no 'BOT_KEY' in your environment" in capsys.readouterr().err


@pytest.mark.parametrize(
    "agent",
    [
        "touch ran",
        "./program",
        "bot.py:Bot",
        "llm:qwen3@127.0.0.1:9/v1",
        "lookahead:file=/etc/passwd",
    ],
)
@pytest.mark.parametrize("stands_in", [False, True])
def test_a_record_of_somebody_else_starts_nothing_without_being_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], agent: str, stands_in: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    config: dict[str, Plain] = {"rows": 4, "cols": 4, "players": 2, "holes": 0}
    players = {seat: PlayerSpec("random" if stands_in else agent) for seat in load_game("fish").seats(config)}
    spec = MatchSpec("fish", Terms(STRICT), players, config, stand_in=PlayerSpec(agent) if stands_in else None)
    with RecordWriter(tmp_path / "cut.jsonl", spec=encoded(spec)) as record:
        record.write(spec.open().start(0.0).events[:1])
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SystemExit) as stop:
        main(["play", "--resume", "cut.jsonl", "--quiet"])
    assert stop.value.code == 2
    refusal = f"the record starts {agent!r}: if you trust whoever wrote it, add --trust-record"
    assert refusal in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before
