"""Lines that say what to type next call the program as its user did."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.cli.terminal.calling import program

SCRIPT = Path(sys.executable).with_name("parlour")


def test_who_called_us_by_name_is_answered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(SCRIPT)])
    monkeypatch.setenv("PATH", str(SCRIPT.parent))
    assert program() == "parlour"


def test_who_called_us_by_a_path_is_answered_by_that_path(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "parlour").symlink_to(SCRIPT)
    done = subprocess.run(
        ["bin/parlour", "new", "bot", "mine.py"],
        cwd=tmp_path, env={**os.environ, "PATH": os.defpath}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shutil.which("parlour", path=os.defpath) is None
    assert "bin/parlour play fish mine.py:Bot greedy" in done.stdout
    assert "bin/parlour check player fish mine.py:Bot" in done.stdout
