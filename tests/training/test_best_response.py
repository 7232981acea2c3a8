"""Improvement by best responses: what was done is not done again; networks are compared with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from parlour.deepmind.actions import POSSIBLE_ACTIONS
from parlour.deepmind.legal import RULES
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.network import Floats, Network, NoiseKeys, copies_of
from parlour.deepmind.network.parameters import made_parameters, read_parameters, write_parameters
from parlour.errors import ConfigError
from parlour.training.best_response import ProgressReport, Rounds, compare, improve
from parlour.training.loader import Loader, room_for
from parlour.training.phases import PlayedPhases, joined, observed
from parlour.training.responses import Sampling, respond_all
from parlour.training.sources import phases_of_file
from parlour.training.trainer import NETWORK, Run, Trainer
from support.matches.training import Standing, standing, write_matches

pytest.importorskip("optax")
TINY = NetworkConfig(4, 4, 0, 0, 4, 0, (4,), 2, 2, 2)
HOW = Sampling(3, 2)


def listened(report: list[str]) -> ProgressReport:
    return lambda what, done, total, figures: None if report and report[-1] == what else report.append(what)


def begun(folder: Path) -> tuple[Run, Trainer]:
    run = Run(folder)
    return run, run.begin({"a": 1}, lambda: made_parameters(TINY, 1), 0.02)


@pytest.mark.timeout(300)  # most of it is compiling
def test_rounds_are_played_responded_to_and_learned_and_not_done_twice(tmp_path: Path) -> None:
    pace = Rounds(rounds=2, matches=2, steps=3, batch=4, last_year=1901, jobs=1)
    run, trainer = begun(tmp_path / "run")
    report: list[str] = []
    improve(trainer, run, pace, HOW, 7, listened(report))
    assert report == ["playing", "responding", "learning"] * 2
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
    report.clear()
    improve(begun(tmp_path / "run")[1], run, pace, HOW, 7, listened(report))
    assert report == []
    (tmp_path / "run" / NETWORK).unlink()
    (tmp_path / "run" / "responses-1.safetensors").unlink()
    improve(begun(tmp_path / "run")[1], run, pace, HOW, 7, listened(report))
    assert report == ["learning", "playing", "responding", "learning"]


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
    report: list[tuple[int, int]] = []

    def hear(what: str, done: int, total: int, figures: Mapping[str, float]) -> None:
        assert what == "comparing"
        report.append((done, total))

    found = compare(path, path, 2, Rounds(last_year=1901, jobs=2), 1.0, 4, hear)
    assert report[-1] == (14, 14)
    assert set(found) == {"solo", "draw size", "sum of squares", "centre share"}
    estimate = found["centre share"]
    assert abs(estimate.mean - 1 / 7) <= (estimate.half or 0.0) + 0.05  # no interval where all blocks agree
    assert found["draw size"].mean == pytest.approx(1 / 7)


@pytest.mark.long
@pytest.mark.timeout(300)  # most of it is compiling
def test_what_learned_best_responses_does_better_than_what_it_was(tmp_path: Path) -> None:
    """Among six of what it was, at temperature 1, on every seat, in phases that it has not seen.

    It gains by the values by which its responses were chosen: how many units stand on supply centres. Those values are
    given here, for a network that learned them in so short a time would know little.
    """
    config = NetworkConfig(8, 8, 0, 0, 8, 1, (4,), 2, 2, 2)
    base = made_parameters(config, 3)
    played = [phases_of_file(path, "centres") for path in write_matches(tmp_path, 14, "random", 1902)]
    targets = respond_all(Standing(config, base.arrays), joined(played[:10]), Sampling(16, 3), 5, 2, lambda done: None)
    trainer, rows = Trainer(base, 0.02), np.flatnonzero(targets.counts.any(axis=1))
    with Loader(targets, rows, 16, 1, 0, 60, room_for(targets, rows, 16, 1)) as loader:
        for made in loader:
            trainer.learn(*made)
    improved = Network(config, trainer.parameters.arrays)
    gains = [gain(improved, Network(config, base.arrays), phases) for phases in played[10:]]
    assert np.mean(gains) > 0.2
    assert min(gains) > 0


def gain(improved: Network, base: Network, phases: PlayedPhases) -> float:
    """Return the gain in units on centres if the improved network orders for one power alone."""
    seasons = phases.inputs(np.arange(len(phases))).season
    found = []
    for row in np.flatnonzero(np.isin(seasons, (0, 2))).tolist():
        others = drawn(base, phases, row, 2 * row)
        own = drawn(improved, phases, row, 2 * row + 1)
        before = follows(phases, row, others)
        for power in range(7):
            mixed = others.copy()
            mixed[:, power] = own[:, power]
            found.append((follows(phases, row, mixed) - before)[:, power].mean())
    return float(np.mean(found))


def drawn(network: Network, phases: PlayedPhases, row: int, seed: int, copies: int = 48) -> npt.NDArray[np.int32]:
    """[copies, 7, 17]: shrunk actions of all powers in a phase, at temperature 1."""
    given = replace(phases.inputs(np.array([row])), temperature=np.ones(1, np.float32))
    keys = np.random.default_rng(seed).integers(0, 1 << 32, (2, 7 * copies), dtype=np.uint32)
    noise = NoiseKeys(keys, np.zeros(7 * copies, np.uint32), np.ones(7 * copies, np.uint32))
    return network.decide(given, noise, copies_of([copies]), values=False).shrunk(7 * copies).reshape(copies, 7, 17)


def follows(phases: PlayedPhases, row: int, shrunk: npt.NDArray[np.int32]) -> Floats:
    """[copies, 7]: how many units stand on centres after actions."""
    states = np.repeat(phases.states[[row]], len(shrunk), axis=0)
    actions = np.where(shrunk > 0, POSSIBLE_ACTIONS[np.maximum(shrunk, 0) >> 16], 0)
    return standing(observed(RULES.step(states, actions)[0])[0])
