"""verifiers plays whole matches, one trace per seat, and leaves the records that the core leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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

DIPLOMACY = ("--env.taskset.press", "true", "--env.taskset.rounds", "2", "--env.taskset.last-year", "1902")


def evaluated(fake: FakeEndpoint, folder: Path, game: str, *more: str) -> list[Any]:
    """Run vf-eval; return its episodes."""
    client = ("--client.base-url", fake.url, "--client.api-key-var", "FAKE_KEY")
    command = ("vf-eval", f"parlour-{game}", "-n", "1", "-m", "fake", *client, "--env.taskset.record", "records")
    ran(framework("verifiers"), *command, *more, "--no-push", "--no-rich", "-o", "out", cwd=folder)
    (traces,) = (folder / "out").rglob("traces.jsonl")
    return [json.loads(line) for line in traces.read_text(encoding="utf-8").splitlines()]


def test_fish_gives_the_record_of_the_core(tmp_path: Path) -> None:
    programs = framework("verifiers")
    with fake_models() as fake:
        (episode,) = evaluated(fake, tmp_path, "fish")
        core = played_without(fish(), fake)
    assert episode["ok"]
    assert {trace["agent"]["name"] for trace in episode["traces"]} == {"red", "white", "brown"}
    assert_same_record(tmp_path / "records", core)
    assert_same_rows(outcome_of(programs, tmp_path / "out")["rows"], core)


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_seven_powers_negotiate_to_the_end(tmp_path: Path) -> None:
    with fake_models() as fake:
        (episode,) = evaluated(fake, tmp_path, "diplomacy", *DIPLOMACY)
        core = played_without(diplomacy(), fake)
    assert_same_record(tmp_path / "records", core)
    assert_same_rows(outcome_of(framework("verifiers"), tmp_path / "out")["rows"], core)
    rows = core.standing().seats
    assert {trace["agent"]["name"].upper(): len(trace["calls"]) for trace in episode["traces"]} == {
        seat: row.answers for seat, row in rows.items()
    }


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_a_learner_meets_house_agents_and_is_paid_by_choice(tmp_path: Path) -> None:
    more = ("--env.taskset.learners", "rotate", "--env.taskset.reward", "win=2,legality=0.5", "-n", "2")
    with fake_models() as fake:
        episodes = evaluated(fake, tmp_path, "fish", *more)
    assert sorted(trace["agent"]["name"] for one in episodes for trace in one["traces"]) == ["red", "white"]
    for episode in episodes:
        rewards = episode["traces"][0]["rewards"]
        weights = {name: reward["weight"] for name, reward in rewards.items()}
        assert weights == {"score": 0.0, "win": 2.0, "legality": 0.5, "kept": 0.0}


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_limits_and_pinned_seats(tmp_path: Path) -> None:
    limits = [word for seat in ("red", "white", "brown", "black") for word in (f"--env.{seat}.max-turns", "4")]
    with fake_models(garbage=10**9) as fake:
        (episode,) = evaluated(fake, tmp_path, "fish", *limits, "--env.red.model", "other")
        assert "other" in fake.models
    assert episode["ok"]
    assert all(len(trace["calls"]) <= 4 for trace in episode["traces"])


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_a_run_that_failed_is_not_fine_though_its_exit_code_is_0(tmp_path: Path) -> None:
    with fake_models(**{"500": 1}) as fake:
        evaluated(fake, tmp_path, "fish", "--env.retries.max-retries", "0")
    outcome = outcome_of(framework("verifiers"), tmp_path / "out", code=1)
    assert outcome["problems"]
