"""A stopped training prints the command that resumes it."""

# Why real time passes here: signals reach another process in real time.

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.waiting import PATIENCE

STOPPED = "stopped; the same command continues from the run's folder"


def test_who_is_stopped_while_the_network_learns_ends_in_order(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "parlour", "train", "small", "--games", "2", "--budget", "1", "--jobs", "1"]
    with subprocess.Popen(
        [*command, "--last-year", "1901", "--output-dir", str(tmp_path / "run")], stderr=subprocess.PIPE, text=True
    ) as training:
        assert training.stderr is not None
        assert any("to learn from" in line for line in training.stderr)
        time.sleep(1)  # now it is compiled, or computes
        training.send_signal(signal.SIGINT)
        said = training.stderr.read()
    assert (training.returncode, said.splitlines()[-1]) == (1, STOPPED)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_is_stopped_is_told_that_the_same_command_goes_on(tmp_path: Path, number: int) -> None:
    matches = tmp_path / "run" / "matches"
    command = [sys.executable, "-m", "parlour", "train", "small", "--games", "1000", "--budget", "1", "--jobs", "1"]
    with subprocess.Popen(
        [*command, "--last-year", "1901", "--output-dir", str(matches.parent)], stderr=subprocess.PIPE, text=True
    ) as training:
        while training.poll() is None and not list(matches.glob("*")):
            time.sleep(0.05)
        training.send_signal(number)
        _, said = training.communicate(timeout=PATIENCE)
    assert training.returncode == 1
    assert said.splitlines()[-1] == STOPPED
    assert "Traceback" not in said
