"""Results of a run are read from its files: rows of seats, errors, void matches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from parlour.cli import parlour
from parlour.errors import ConfigError
from parlour.harness.outcomes import read_outcome


def episode(*, ok: bool = True, errors: tuple[str, ...] = (), void: str = "", seats: int = 2) -> dict[str, Any]:
    """Return one line of verifiers, with the fields that are read."""
    told = {"sha256": "ab" * 32, "void": void}
    rewards = {name: {"score": 0.5, "weight": weight} for name, weight in {"score": 1.0, "legality": 0.2}.items()}
    metrics = {"promises_kept": 3.0, "broken": 1.0, "tokens": 900.0}
    traces = [
        {"info": {"parlour": {**told, "seat": seat}}, "rewards": rewards, "metrics": metrics, "errors": []}
        for seat in ("red", "white")[:seats]
    ]
    said = [{"message": error} for error in errors]
    return {"id": "1", "ok": ok, "task": {"data": {"name": "fish-0"}}, "errors": said, "traces": traces}


def written(folder: Path, *episodes: dict[str, Any]) -> Path:
    (folder / "run").mkdir()
    (folder / "run" / "traces.jsonl").write_text("".join(json.dumps(one) + "\n" for one in episodes), encoding="utf-8")
    return folder


def test_a_good_run_is_fine(tmp_path: Path) -> None:
    outcome = read_outcome(written(tmp_path, episode()))
    assert outcome.fine
    assert [(row.match, row.seat, row.tokens) for row in outcome.rows] == [
        ("fish-0", "red", 900.0),
        ("fish-0", "white", 900.0),
    ]
    assert outcome.rows[0].reward == pytest.approx(0.6)
    result = CliRunner().invoke(parlour, ["check", "run", str(tmp_path)])
    assert result.exit_code == 0
    assert "abababababab" in result.output


@pytest.mark.parametrize(
    ("bad", "line"),
    [
        (episode(ok=False, errors=("HTTP 500",)), "fish-0: HTTP 500"),
        (episode(ok=False), "fish-0: failed without a word"),
        (episode(seats=0), "fish-0: failed without a word"),
        (episode(void="no model"), "fish-0: void: no model"),
    ],
)
def test_a_run_with_a_failure_is_not(bad: dict[str, Any], line: str, tmp_path: Path) -> None:
    outcome = read_outcome(written(tmp_path, episode(), bad))
    assert not outcome.fine
    assert outcome.problems == (line,)
    result = CliRunner().invoke(parlour, ["check", "run", str(tmp_path)])
    assert result.exit_code == 1
    assert line in result.output


@pytest.mark.parametrize("content", ["{", "[]", '{"traces": 3}', "7"])
def test_a_file_of_something_else_is_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"path: traces\.jsonl"):
        read_outcome(tmp_path)


def test_an_empty_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"path: expected traces\.jsonl or a log \.eval"):
        read_outcome(tmp_path)
