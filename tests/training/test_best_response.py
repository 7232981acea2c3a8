"""Improvement by best responses: what was done is not done again; networks are compared with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.parameters import made_parameters, read_parameters, write_parameters
from parlour.errors import ConfigError
from parlour.training.best_response import Rounds, Told, compare, improve
from parlour.training.phases import PlayedPhases
from parlour.training.responses import Sampling
from parlour.training.sources import phases_of_file
from parlour.training.trainer import NETWORK, Run, Trainer
from training_matches import write_matches

pytest.importorskip("optax")
TINY = NetworkConfig(4, 4, 0, 0, 4, 0, (4,), 2, 2, 2)
HOW = Sampling(3, 2)


def listened(told: list[str]) -> Told:
    return lambda what, done, total, figures: None if told and told[-1] == what else told.append(what)


def begun(folder: Path) -> tuple[Run, Trainer]:
    run = Run(folder)
    return run, run.begin({"a": 1}, lambda: made_parameters(TINY, 1), 0.02)


@pytest.mark.timeout(300)  # most of it is compiling
def test_rounds_are_played_responded_to_and_learned_and_not_done_twice(tmp_path: Path) -> None:
    pace = Rounds(rounds=2, matches=2, steps=3, batch=4, last_year=1901, jobs=1)
    run, trainer = begun(tmp_path / "run")
    told: list[str] = []
    improve(trainer, run, pace, HOW, 7, listened(told))
    assert told == ["playing", "responding", "learning"] * 2
    assert trainer.step == 6
    assert [note["step"] for note in run.notes()] == [3, 6]
    targets = PlayedPhases.load(tmp_path / "run" / "responses-0.safetensors")
    assert len(np.unique(targets.match)) == 2
    assert targets.counts.sum(axis=1).max() == 1
    begin, later = (read_parameters(tmp_path / "run" / f"round-{number}.safetensors") for number in (0, 1))
    assert np.array_equal(begin.arrays["actions"], made_parameters(TINY, 1).arrays["actions"])
    assert (begin.step, later.step) == (0, 3)
    assert read_parameters(tmp_path / "run" / NETWORK).step == 6
    # Given again, all is done; what was played for a round that was not learned is not played again.
    told.clear()
    improve(begun(tmp_path / "run")[1], run, pace, HOW, 7, listened(told))
    assert told == []
    (tmp_path / "run" / NETWORK).unlink()
    (tmp_path / "run" / "responses-1.safetensors").unlink()
    improve(begun(tmp_path / "run")[1], run, pace, HOW, 7, listened(told))
    assert told == ["learning", "playing", "responding", "learning"]


def test_nothing_to_learn_from_is_said(tmp_path: Path) -> None:
    run, trainer = begun(tmp_path / "run")
    played = phases_of_file(write_matches(tmp_path, 1, "hold", 1901)[0], "centres")
    empty = replace(played, counts=np.zeros_like(played.counts))
    empty.save(tmp_path / "run" / "responses-0.safetensors")
    with pytest.raises(ConfigError, match="nothing was played that could be learned from"):
        improve(trainer, run, Rounds(rounds=1, steps=2), HOW, 1, listened([]))


def test_a_network_is_as_good_as_itself_within_the_interval(tmp_path: Path) -> None:
    path = tmp_path / "one.safetensors"
    write_parameters(made_parameters(TINY, 2), path)
    told: list[tuple[int, int]] = []

    def hear(what: str, done: int, total: int, figures: Mapping[str, float]) -> None:
        assert what == "comparing"
        told.append((done, total))

    found = compare(path, path, 2, Rounds(last_year=1901, jobs=2), 1.0, 4, hear)
    assert told[-1] == (14, 14)
    assert set(found) == {"solo", "draw size", "sum of squares", "centre share"}
    estimate = found["centre share"]
    assert estimate.half is not None
    assert abs(estimate.mean - 1 / 7) <= estimate.half + 0.05
    assert found["draw size"].mean == pytest.approx(1 / 7)
