"""The small network learns from matches, goes on where it stopped, and its command plays them itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from parlour.agents.diplomacy.area_network import SmallNetwork, made_small, read_small
from parlour.cli.training.small import command
from parlour.errors import NotationError
from parlour.training.phases import PlayedPhases, joined
from parlour.training.small import MEMORY, NETWORK, SmallTrainer, learn_small, play_for_small, small_batch
from parlour.training.sources import phases_of_file, split_matches
from parlour.training.trainer import Run
from support.matches.training import write_matches

pytest.importorskip("optax")


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> PlayedPhases:
    folder = tmp_path_factory.mktemp("matches")
    return joined([phases_of_file(path, "centres") for path in write_matches(folder, 3, "dumbbot")])


def test_a_batch_has_every_known_order_among_what_was_legal(phases: PlayedPhases) -> None:
    rows = np.arange(3)
    batch, given = small_batch(phases, rows), phases.inputs(rows)
    real = batch.counts > 0
    assert real.sum() == (phases.actions[rows] >= 0).sum()
    assert len(batch.actions) % 4096 == 0
    for step in np.flatnonzero(real).tolist():
        own = np.flatnonzero(batch.steps == step)[: batch.counts[step]]
        state, power = divmod(int(batch.rows[batch.chosen[step]]), 7)
        assert batch.chosen[step] in own
        assert batch.actions[batch.chosen[step]] in phases.actions[rows][state, power]
        spans = given.spans[state, power, : given.lengths[state, power]].tolist()
        assert any(np.array_equal(batch.actions[own], given.indices[begin:end]) for begin, end in spans)


@pytest.mark.timeout(300)  # most of it is compiling
def test_it_learns_and_goes_on_where_it_stopped(phases: PlayedPhases, tmp_path: Path) -> None:
    rows = split_matches(phases, 0.3, 0)
    before = SmallTrainer(SmallNetwork(made_small(0)), 3e-3).judge([small_batch(phases, rows[0][:8])])
    found = {}
    for name, stops in {"whole": (8,), "parts": (4, 8)}.items():
        run = Run(tmp_path / name)
        run.claim({})
        for stop in stops:
            network, _ = learn_small(run, phases, rows, stop, 4, 3e-3, 0, lambda step, figures: None)
        found[name] = network
        assert [note["step"] for note in run.notes()] == [*stops]
    for name, array in found["whole"].arrays.items():
        assert np.allclose(array, found["parts"].arrays[name], atol=1e-5), name
    assert found["parts"].step == read_small(tmp_path / "parts" / NETWORK).step == 8
    after = SmallTrainer(found["whole"], 3e-3).judge([small_batch(phases, rows[0][:8])])
    assert after["policy_loss"] < before["policy_loss"]
    (tmp_path / "parts" / MEMORY).write_bytes((tmp_path / "parts" / NETWORK).read_bytes())
    with pytest.raises(NotationError, match="is of another network"):
        SmallTrainer(found["whole"], 3e-3).restore(tmp_path / "parts")


def test_matches_of_search_are_played_once(tmp_path: Path) -> None:
    told: list[int] = []
    play_for_small(tmp_path, 2, 5, 1901, 1, 1, told.append)
    assert told[-1] == 2
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(kept) == {"match-0.jsonl", "match-1.jsonl"}
    assert len(phases_of_file(tmp_path / "match-0.jsonl", "centres")) >= 2
    (tmp_path / "match-1.jsonl").unlink()
    stamp = (tmp_path / "match-0.jsonl").stat().st_mtime_ns
    play_for_small(tmp_path, 2, 5, 1901, 1, 1, told.append)
    assert (tmp_path / "match-0.jsonl").stat().st_mtime_ns == stamp
    assert (tmp_path / "match-1.jsonl").exists()


@pytest.mark.timeout(300)
def test_the_command_plays_learns_and_draws(tmp_path: Path) -> None:
    wanted = [
        "--games",
        "2",
        "--budget",
        "5",
        "--last-year",
        "1901",
        "--steps",
        "2",
        "--batch-size",
        "2",
        "--jobs",
        "1",
    ]
    done = CliRunner().invoke(command, [*wanted, "--output-dir", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert "held out: " in done.output
    assert read_small(tmp_path / "run" / NETWORK).step == 2
    assert (tmp_path / "run" / "curves.svg").read_text(encoding="utf-8").startswith("<svg")
    again = CliRunner().invoke(command, [*wanted, "--seed", "9", "--output-dir", str(tmp_path / "run")])
    assert "holds a run with another seed" in str(again.exception)
