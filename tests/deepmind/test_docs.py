"""Claims of the reference pages, docstrings and the example are true."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.deepmind import state

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["deepmind.md", "environments.md"])
def test_the_pages_run_as_written(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "reference" / page), module_relative=False)
    assert (failed, tried > 0) == (0, True)


def test_the_docstrings_run_as_written() -> None:
    failed, tried = doctest.testmod(state)
    assert (failed, tried > 0) == (0, True)


def test_the_example_plays_a_game_and_prints_returns() -> None:
    example = ROOT / "examples" / "deepmind_random.py"
    done = subprocess.run([sys.executable, str(example), "3"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("France opens: ")
    assert [line[:3] for line in lines[-7:]] == ["AUS", "ENG", "FRA", "GER", "ITA", "RUS", "TUR"]
    assert sum(float(line[4:]) for line in lines[-7:]) == pytest.approx(1, abs=0.05)
    assert len(example.read_text(encoding="utf-8").splitlines()) < 60


def test_the_page_of_the_document_names_tests_that_there_are() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs/documents/deepmind-agents.md").read_text(encoding="utf-8")))
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) > 30
    assert named <= set(re.findall(r"def (test_\w+)", tests))
