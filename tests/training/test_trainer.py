"""Learning: what is learned is kept, goes on after a kill, and gives the same as if nothing had happened."""

# Why real time passes here: another thread loads in real time.

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from parlour.deepmind import Network, read_parameters
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.parameters import made_parameters
from parlour.errors import ConfigError, MissingExtra, NotationError
from parlour.training.batches import BatchRoom
from parlour.training.imitation import Pace, imitate
from parlour.training.loader import Loader, room_for
from parlour.training.phases import PlayedPhases, joined
from parlour.training.sources import phases_of_file, split_matches
from parlour.training.trainer import NETWORK, Figures, Run, Trainer, optimizer_of
from support.matches.training import write_matches

pytest.importorskip("optax")
TINY = NetworkConfig(4, 4, 0, 0, 4, 0, (4,), 2, 2, 2)


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> PlayedPhases:
    folder = tmp_path_factory.mktemp("matches")
    return joined([phases_of_file(path, "centres") for path in write_matches(folder, 3, "hold")])


def test_batches_are_made_ahead_and_hang_on_their_number_alone(phases: PlayedPhases) -> None:
    rows = np.arange(len(phases))
    room = room_for(phases, rows, 4, 0)
    with Loader(phases, rows, 4, 7, 0, 6, room) as loader:
        first = [batch.season.copy() for batch, _ in loader]
    with Loader(phases, rows, 4, 7, 3, 6, room) as loader:
        later = [batch.season.copy() for batch, _ in loader]
    assert len(first) == 6
    assert all(np.array_equal(x, y) for x, y in zip(first[3:], later, strict=True))
    assert len({batch.tobytes() for batch in first}) > 1


def test_every_phase_is_seen_before_any_is_seen_again(phases: PlayedPhases) -> None:
    rows = np.arange(10, 21)
    loader = Loader(phases, rows, 4, 1, 0, 11, BatchRoom.none())
    seen = np.concatenate([loader.rows_of(number) for number in range(11)])
    for turn in range(4):
        assert sorted(seen[11 * turn : 11 * (turn + 1)]) == rows.tolist()
    assert seen[:11].tolist() != seen[11:22].tolist()


def test_what_goes_wrong_in_the_making_is_raised_to_who_waits(phases: PlayedPhases) -> None:
    with Loader(phases, np.array([10**9]), 4, 7, 0, 6, BatchRoom.none()) as loader, pytest.raises(IndexError):
        list(loader)


@pytest.mark.timeout(300)  # most of it is compiling
def test_it_learns_and_goes_on_where_it_stopped(phases: PlayedPhases, tmp_path: Path) -> None:
    rows = split_matches(phases, 0.3, 0)

    def run(folder: Path, *stops: int) -> tuple[Trainer, Figures]:
        for stop in stops:
            kept = Run(folder)
            trainer = kept.begin({"a": 1}, lambda: made_parameters(TINY), 0.02)
            judged = imitate(trainer, kept, phases, rows, Pace(stop, 4, 2, 4, 4), 0, lambda step, figures: None)
        return trainer, judged

    whole, judged = run(tmp_path / "whole", 12)
    parts, _ = run(tmp_path / "parts", 4, 12)
    for name, array in whole.parameters.arrays.items():
        assert np.allclose(array, parts.parameters.arrays[name], atol=1e-5), name
    notes = [json.loads(line) for line in (tmp_path / "parts" / "progress.jsonl").read_text().splitlines()]
    assert [note["step"] for note in notes] == [0, 2, 4, 6, 8, 10, 12]
    assert notes[-1]["held_policy_loss"] < notes[0]["held_policy_loss"]
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [
        "network.safetensors", "optimizer-12.safetensors", "progress.jsonl", "settings.json",
    ]  # fmt: skip
    kept = read_parameters(tmp_path / "parts" / NETWORK)
    assert kept.step == 12
    # What plays uses the averages that were kept, and agrees with what was learned.
    held = rows[1]
    likely = Network(kept.config, kept.arrays).score(phases.inputs(held).forced(phases.shrunk(held)))
    expected = phases.shrunk(held).reshape(-1, 17)
    right = (likely.shrunk(len(expected)) == expected)[expected > 0]
    assert right.mean() == pytest.approx(judged["accuracy"], abs=0.02)


def test_folders_of_other_runs_are_not_touched(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    run.begin({"rate": 1}, lambda: made_parameters(TINY), 0.01)
    with pytest.raises(ConfigError, match="holds a run with another rate"):
        run.begin({"rate": 2}, lambda: made_parameters(TINY), 0.01)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").write_text("dear", encoding="utf-8")
    with pytest.raises(ConfigError, match="is not empty and holds no run"):
        Run(tmp_path / "full").begin({}, lambda: made_parameters(TINY), 0.01)
    (tmp_path / "run" / "x.part99").write_text("half", encoding="utf-8")
    run.begin({"rate": 1}, lambda: made_parameters(TINY), 0.01)
    assert not (tmp_path / "run" / "x.part99").exists()


def test_an_optimizer_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    run = Run(tmp_path)
    trainer = run.begin({}, lambda: made_parameters(TINY), 0.01)
    trainer.save(tmp_path)
    (tmp_path / "optimizer-0.safetensors").rename(tmp_path / "kept")
    with pytest.raises(NotationError, match=r"optimizer-0\.safetensors: is missing"):
        run.begin({}, lambda: made_parameters(TINY), 0.01)
    Trainer(made_parameters(NetworkConfig(2, 2, 0, 0, 2, 0, (4,), 2, 2, 2)), 0.01).save(tmp_path)
    trainer.step = 0
    with pytest.raises(NotationError, match="is of another network"):
        trainer.restore(tmp_path)


def test_without_its_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optax", None)
    with pytest.raises(MissingExtra, match=r"training needs an optional part.*\[net\]"):
        optimizer_of(0.1)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_killed_it_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    """The command itself, killed outright when it has kept something, and given again."""
    write_matches(tmp_path, 4, "hold")
    command = [
        sys.executable, "-m", "parlour", "train", "imitation", "--matches", str(tmp_path), "--steps", "300", "--size",
        "tiny", "--batch-size", "4", "--output-dir", str(tmp_path / "run"),
    ]  # fmt: skip
    network = tmp_path / "run" / NETWORK
    with (tmp_path / "said").open("w+", encoding="utf-8") as said:
        first = subprocess.Popen(command, stdout=said, stderr=said)
        while not network.exists() and first.poll() is None:
            time.sleep(0.02)
        first.kill()
        assert first.wait() == -signal.SIGKILL, (tmp_path / "said").read_text(encoding="utf-8")
    kept = read_parameters(network).step
    assert 0 < kept < 300
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"going on from step {kept}" in done.stderr
    assert read_parameters(network).step == 300
    assert (tmp_path / "run" / "curves.svg").read_text(encoding="utf-8").startswith("<svg")
