"""inspect plays whole matches, a sample each, and leaves the records that the core leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.referee.record import read_record
from parlour.testing import FakeEndpoint
from support.harness.frameworks import (
    assert_same_record,
    assert_same_rows,
    diplomacy,
    fake_models,
    fish,
    framework,
    outcome_of,
    played_without,
    ran,
)


def evaluated(fake: FakeEndpoint, folder: Path, task: str, *more: str) -> Any:
    """Run inspect; return its log as a plain value."""
    programs = framework("inspect")
    model = ("--model", "openai-api/fake/fake", "-T", "record=records")
    ran(programs, "inspect", "eval", f"parlour/{task}", *model, *more, "--display", "plain", "--log-dir", "logs",
        "--max-retries", "1", "--timeout", "20", cwd=folder, fake=fake)  # fmt: skip
    (log,) = (folder / "logs").glob("*.eval")
    return json.loads(ran(programs, "inspect", "log", "dump", str(log), cwd=folder))


def test_fish_gives_the_record_of_the_core(tmp_path: Path) -> None:
    with fake_models() as fake:
        log = evaluated(fake, tmp_path, "fish")
        core = played_without(fish(), fake)
    assert log["status"] == "success"
    assert_same_record(tmp_path / "records", core)
    assert_same_rows(outcome_of(framework("inspect"), tmp_path / "logs")["rows"], core)


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_seven_powers_negotiate_to_the_end_with_another_model_in_a_role(tmp_path: Path) -> None:
    more = ("-T", "press=true", "-T", "rounds=2", "-T", "last_year=1902")
    with fake_models() as fake:
        log = evaluated(fake, tmp_path, "diplomacy", *more, "--model-role", "france=openai-api/fake/other")
        assert "other" in fake.models
        core = played_without(diplomacy(), fake)
    assert_same_record(tmp_path / "records", core)
    assert_same_rows(outcome_of(framework("inspect"), tmp_path / "logs")["rows"], core)
    events = [event for event in log["samples"][0]["events"] if event["event"] == "model"]
    assert len(events) == sum(row.answers for row in core.standing().seats.values())
    assert log["stats"]["role_usage"]["france"]["total_tokens"] == core.standing().seats["FRANCE"].tokens


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_several_samples_have_intervals(tmp_path: Path) -> None:
    with fake_models() as fake:
        log = evaluated(fake, tmp_path, "fish", "-T", "matches=4", "-T", "learners=rotate", "-T", "per_seat=true")
    scores = {score["name"]: score["metrics"] for score in log["results"]["scores"]}
    legality = {name.rpartition("/")[2]: value["value"] for name, value in scores["legality"].items()}
    assert 0 <= legality["low"] <= legality["mean"] <= legality["high"] <= 1
    assert "red/reward" in scores


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_a_seat_has_a_budget_of_its_own(tmp_path: Path) -> None:
    with fake_models() as fake:
        log = evaluated(fake, tmp_path, "fish", "-T", "tokens=6500")
    (score,) = log["samples"][0]["scores"].values()
    assert all(row["tokens"] <= 6500 for row in score["metadata"]["seats"].values())
    (record,) = (tmp_path / "records").glob("*.jsonl")
    assert any("budget" in event.detail for event in read_record(record) if isinstance(event, ev.Fouled))


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_a_limit_cuts_the_match_off_and_leaves_a_score(tmp_path: Path) -> None:
    with fake_models() as fake:
        log = evaluated(fake, tmp_path, "fish", "--token-limit", "1500")
    (sample,) = log["samples"]
    assert sample["limit"]["type"] == "token"
    assert sample["scores"]
    assert outcome_of(framework("inspect"), tmp_path / "logs", code=1)["problems"]


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_a_run_that_failed_is_not_fine_though_its_exit_code_is_0(tmp_path: Path) -> None:
    with fake_models(**{"500": 1}) as fake:
        log = evaluated(fake, tmp_path, "fish")
    assert log["status"] == "error"
    assert outcome_of(framework("inspect"), tmp_path / "logs", code=1)["problems"]
