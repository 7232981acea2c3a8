"""parlour play --browser and demo --browser: a server for one person, and the record when it is stopped."""

# Why real time passes here: a server in a process of its own lives in real time; waits end as soon as it answers.

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest
from click.testing import CliRunner

from parlour.agents.process_supervisor import CONFINED
from parlour.cli import main, parlour
from parlour.core import events as ev
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.referee.match import replay
from parlour.referee.record import RecordReader
from parlour.referee.state import MatchState
from support.waiting import PATIENCE


@pytest.mark.parametrize(
    ("arguments", "record", "says"),
    [
        (["play", "fish", "human", "greedy", "--browser"], "fish.jsonl", "fish"),
        (["demo", "--browser"], "demo.jsonl", "Demo"),
    ],
)
def test_the_page_of_the_match_is_served_and_its_record_kept(
    tmp_path: Path, arguments: list[str], record: str, says: str
) -> None:
    program = [sys.executable, "-m", "parlour", *arguments]
    quiet = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(program, cwd=tmp_path, env=quiet, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/enter\?key=\S+", running.stdout.readline())
        assert found is not None
        with urlopen(found[0].replace("/enter", "/signin"), timeout=PATIENCE) as page:
            assert "Sign in" in page.read().decode()  # nobody gets in without the key
        with urlopen(found[0], timeout=PATIENCE) as page:
            assert says in page.read().decode()
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0
    assert next(iter(RecordReader(tmp_path / record))).game in ("fish", "diplomacy")  # type: ignore[union-attr]


BOT = """
class Bot:
    def act(self, view):
        return view.position.legal(view.seat)[0]
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if "ask" in told:
        print(json.dumps({"turn": told["ask"]["turn"], "action": told["ask"]["legal"][-1]}), flush=True)
"""


def test_a_class_and_a_command_of_ones_own_play_in_the_browser(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "other.py").write_text(PROGRAM, encoding="utf-8")
    arguments = ["play", "fish", "mine.py:Bot", f"{sys.executable} other.py", "--browser", "--rows", "3", "--cols", "4"]
    quiet = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    program = [sys.executable, "-m", "parlour", *arguments]
    with subprocess.Popen(program, cwd=tmp_path, env=quiet, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        found = re.search(r"(http://127\.0\.0\.1:\d+)/enter\?key=\S+match=(\S+)", running.stdout.readline())
        assert found is not None
        events = f"{found[1]}/match/{found[2]}/events"
        for _ in range(200):
            with urlopen(events, timeout=PATIENCE) as answer:
                if '"ended"' in answer.read().decode():
                    break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0
    record = list(RecordReader(tmp_path / "fish.jsonl"))
    assert isinstance(record[-1], ev.Ended)
    assert not any(isinstance(event, ev.Fouled) for event in record)
    assert {event.name for event in record if isinstance(event, ev.Joined)} == {"mine.py:Bot", arguments[3]}


@contextmanager
def browsing(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """`parlour play` with a browser: the process, the address of its server with a key, and the match."""
    program = [sys.executable, "-m", "parlour", "play", *arguments]
    quiet = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(program, cwd=folder, env=quiet, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            found = re.search(r"(http://127\.0\.0\.1:\d+)/enter(\?key=\S+&match=(\S+))", running.stdout.readline())
            assert found is not None
            with build_opener(HTTPCookieProcessor()).open(found[0], timeout=PATIENCE) as page:
                assert page.status == 200
            yield running, found[0], found[3]
        finally:
            running.kill()


def recorded(folder: Path, name: str, least: int) -> list[ev.Event]:
    """Return the events of a record, once there are so many."""
    for _ in range(1000):
        if (folder / name).exists() and len(events := list(RecordReader(folder / name))) >= least:
            return events
        time.sleep(0.02)
    raise AssertionError(f"{name} has not grown to {least} events")


def test_a_match_that_was_cut_in_the_browser_resumes_there(tmp_path: Path) -> None:
    arguments = ("diplomacy", "hold", "--browser", "--pace", "0.2", "--last-year", "1903")
    with browsing(tmp_path, *arguments) as (_, _, match):
        before = recorded(tmp_path, "diplomacy.jsonl", 14)  # and the process is killed
    before = list(RecordReader(tmp_path / "diplomacy.jsonl"))
    with browsing(tmp_path, "--resume", "diplomacy.jsonl") as (running, _, again):
        assert again == match
        while not isinstance((after := recorded(tmp_path, "diplomacy.jsonl", len(before) + 1))[-1], ev.Ended):
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0
    assert after[: len(before)] == before
    assert len([event for event in after if isinstance(event, ev.Joined)]) == 7, "all sit where they sat"
    assert not any(isinstance(event, ev.Left | ev.Removed) for event in after)
    assert isinstance(replay(after, load_game("diplomacy")), MatchState), "by the rules"


def test_a_person_finds_the_own_seat_and_time_again(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT, encoding="utf-8")
    arguments = ("fish", "mine.py:Bot", "human", "--browser", "--rows", "4", "--cols", "4", "--time-per-turn", "3")
    with browsing(tmp_path, *arguments):
        before = recorded(tmp_path, "fish.jsonl", 6)
    asked = [event for event in before if isinstance(event, ev.TurnBegan)]
    assert asked[-1].to_act == ("white",)
    time.sleep(3.5)  # real time: longer than the turn
    with browsing(tmp_path, "--resume", "fish.jsonl", "--trust-record") as (running, entrance, match):
        opener = build_opener(HTTPCookieProcessor())
        with opener.open(entrance, timeout=PATIENCE):
            pass
        address = entrance.partition("/enter")[0] + f"/match/{match}/events"
        with opener.open(address, timeout=PATIENCE) as answer:
            assert answer.status == 200
        returned = time.time()
        while not (late := [event for event in recorded(tmp_path, "fish.jsonl", 6) if isinstance(event, ev.Fouled)]):
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        running.wait(PATIENCE)
    assert (late[0].seat, late[0].at > returned + 0.5) == ("white", True), "after the rest of the turn"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["play", "fish", "greedy", "no.py:Bot", "--browser"], "no.py"),
        (["play", "fish", "greedy", "greedy", "--browser", "--json"], "without --json and --quiet"),
        (["play", "diplomacy", "--browser", "--explain"], "--browser: expected no --explain"),
        (["demo", "--browser", "--game", "nim"], "without --game and --json"),
    ],
)
def test_what_cannot_be_shown_in_a_browser_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


def test_the_help_tells_of_the_browser() -> None:
    assert "--browser" in CliRunner().invoke(parlour, ["play", "diplomacy", "--help"]).output


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--cassette", "x.tape"], "--browser: expected no --cassette"),
        (["--stand-in", "./program"], "stand-in: with --browser expected an agent's name"),
        (["--usd", "1"], ""),
    ],
)
def test_what_the_browser_cannot_honour_is_refused(
    more: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given: dict[str, Any] = {}
    monkeypatch.setattr("parlour.cli.matches.browsing.browse", lambda spec, *words, **how: given.update(spec=spec))
    arguments = ["play", "fish", "greedy", "./program", "--browser", *more]
    if complaint:
        with pytest.raises(ConfigError, match=complaint):
            parlour.main(arguments, standalone_mode=False)
        return
    parlour.main([*arguments, "--tokens", "7", "--stand-in", "random", "--confined"], standalone_mode=False)
    spec = given["spec"]
    assert (spec.terms.clock.tokens, spec.terms.clock.usd) == (7, 1.0)
    assert spec.terms.conduct.name == "strict with stand-ins"
    assert spec.stand_in.agent == "random"
    assert spec.players["white"].limits.processes == CONFINED.processes
