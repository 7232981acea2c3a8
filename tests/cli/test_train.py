"""Whoever stops a training is told how to go on."""

# Why real time passes here: signals reach another process in real time.

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_is_stopped_is_told_that_the_same_command_goes_on(tmp_path: Path, number: int) -> None:
    matches = tmp_path / "run" / "matches"
    command = [sys.executable, "-m", "parlour", "train", "small", "--games", "1000", "--budget", "1", "--jobs", "1"]
    with subprocess.Popen(
        [*command, "--last-year", "1901", "--to", str(matches.parent)], stderr=subprocess.PIPE, text=True
    ) as training:
        while training.poll() is None and not list(matches.glob("*")):
            time.sleep(0.05)
        training.send_signal(number)
        _, said = training.communicate(timeout=120)
    assert training.returncode == 1
    assert said.splitlines()[-1] == "stopped; the same command goes on from what is in the run's folder"
    assert "Traceback" not in said
