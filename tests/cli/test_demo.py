"""parlour demo: shows a match, prints it as JSON, and leaves a record that replays."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import parlour

NEXT = "recorded in demo.jsonl; look at it again, or continue with one of these:"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def test_the_demo_plays_and_says_where_the_record_is(run: CliRunner) -> None:
    done = run.invoke(parlour, ["demo", "--game", "nim"])
    assert done.exit_code == 0, done.output
    assert "the match is over" in done.output
    assert "parlour replay demo.jsonl" in done.output


def test_the_demo_shows_a_broken_promise_reasons_a_tournament_and_what_to_try_and_stays_in_place_in_a_terminal(
    run: CliRunner, tmp_path: Path
) -> None:
    """In a terminal, all that the match writes is gone at its end but for the broken promises, and fits on the screen.

    It is the same demo, though another process plays it.
    """
    (there := tmp_path / "terminal").mkdir()
    screen, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    command = [
        sys.executable,
        "-c",
        "from parlour.cli import parlour\nfrom parlour.cli.demos import match\nmatch.PACE = 0\nparlour(['demo'])",
    ]
    shown = subprocess.Popen(
        command, stdout=terminal, stderr=terminal, stdin=terminal, cwd=there,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"},
    )  # fmt: skip
    os.close(terminal)
    written = b""
    with contextlib.suppress(OSError):  # the terminal is gone with its last writer
        while chunk := os.read(screen, 1 << 16):
            written += chunk
    os.close(screen)
    assert shown.wait() == 0
    text = written.decode()
    assert text.count("\x1b[2K") > 100, "the screen is drawn again and again"
    tallest = max(frame.count("\n") for frame in re.split(r"(?:\x1b\[1A\x1b\[2K)+", text)[1:-1])
    assert tallest <= 40
    assert "first broken promise" in text
    assert NEXT in text

    done = run.invoke(parlour, ["demo"])
    assert done.exit_code == 0, done.output
    assert Path("demo.jsonl").read_bytes() == (there / "demo.jsonl").read_bytes()
    lines = done.output.splitlines()
    assert lines[0] == "What you will see, in less than a minute:"
    assert [line for line in lines if line.startswith("! first broken promise: ")]
    assert [line for line in lines if "A move must be stronger than all that stands against it." in line]
    assert [line for line in lines if " kept its promise to " in line and " supports " in line]
    counts = [lines[at - 1] for at, line in enumerate(lines) if line.endswith(" more that failed")]
    assert counts
    assert all(re.match(r"  [A-Z]+: .*: ", before) for before in counts), "the count follows the orders that failed"
    assert len(lines) < 300
    words = lines[lines.index("Who kept their word") + 2 :][:7]
    assert any(" stabber " in line and "of" in line and "190" in line for line in words), "it broke its word"
    assert "  carl is out as a cheater: illegal: No penguin is in that spot." in lines
    assert "  sid is out as a failure: late: no answer in time" in lines
    assert [line for line in lines if re.fullmatch(r"sam +won", line)]
    assert len(lines[lines.index(NEXT) + 1 :]) == 3
    assert "# open demo.html in a browser" in done.output


def test_with_json_each_event_is_one_object_and_the_record_the_same(run: CliRunner) -> None:
    done = run.invoke(parlour, ["demo", "--game", "bids", "--json"])
    events = [json.loads(line) for line in done.output.splitlines()]
    assert [events[0]["event"], events[-1]["event"]] == ["opened", "ended"]
    assert Path("demo.jsonl").read_text(encoding="utf-8").splitlines()[1:] == done.output.splitlines()


def test_the_record_shows_the_position_after_any_event(run: CliRunner) -> None:
    run.invoke(parlour, ["demo", "--game", "nim"])
    done = run.invoke(parlour, ["replay", "demo.jsonl", "--at", "5"])
    assert done.exit_code == 0, done.output
    assert "after event 5" in done.output
    assert "●" in done.output


def test_before_the_start_the_position_to_come_is_shown(run: CliRunner) -> None:
    run.invoke(parlour, ["demo", "--game", "nim"])
    done = run.invoke(parlour, ["replay", "demo.jsonl", "--at", "1"])
    assert "it will start from" in done.output
