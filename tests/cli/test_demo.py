"""parlour demo: shows a match, prints it as JSON, and leaves a record that replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import parlour


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def test_the_demo_plays_and_says_where_the_record_is(run: CliRunner) -> None:
    done = run.invoke(parlour, ["demo", "--game", "nim"])
    assert done.exit_code == 0, done.output
    assert "the match is over" in done.output
    assert "parlour replay demo.jsonl" in done.output


def test_the_demo_shows_a_promised_support_that_is_given_and_a_promise_that_is_broken(run: CliRunner) -> None:
    done = run.invoke(parlour, ["demo"])
    assert done.exit_code == 0, done.output
    kept = [line for line in done.output.splitlines() if " kept its promise to " in line]
    assert any(" supports " in line for line in kept)
    assert "! first broken promise: Germany broke its promise to England" in done.output
    ledger = run.invoke(parlour, ["press", "ledger", "demo.jsonl"]).output
    assert "S1903M: Germany stabbed England: takes Norway" in ledger


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


def test_the_same_seed_gives_the_same_record(run: CliRunner) -> None:
    records = []
    for _ in range(2):
        run.invoke(parlour, ["demo", "--seed", "3"])
        records.append(Path("demo.jsonl").read_bytes())
    assert records[0] == records[1]
