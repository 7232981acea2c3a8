"""`parlour check trajectory` on files made here: right, wrong, hostile."""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour
from parlour.deepmind import (
    FixedPlayPolicy,
    Network,
    Policy,
    RandomPolicy,
    State,
    run_game,
    save_trajectory,
    write_parameters,
)
from support.deepmind import golden as golden
from support.harness.episodes import fish_setup, played


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    save_trajectory(run_game(State(), [RandomPolicy(4)], [0] * 7, max_length=12), folder)
    return folder


def run(folder: Path, *more: str, **files: Path) -> int:
    named = {"observations": "observations", "legal-actions": "legal_actions", "actions": "actions_outputs"}
    arguments = [
        word for option, name in named.items() for word in (f"--{option}", str(files.get(name, folder / f"{name}.npz")))
    ]
    with pytest.raises(SystemExit) as caught:
        main(["check", "trajectory", *arguments, *more])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def altered(folder: Path, place: Path, change: Any) -> Path:
    observations = pickle.loads((folder / "observations.npz").read_bytes())
    change(observations)
    place.write_bytes(pickle.dumps(observations))
    return place


def test_a_right_trajectory(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--step-outputs", str(folder / "step_outputs.npz")) == 0
    assert capsys.readouterr().out == "all 12 phases agree\n"


def test_a_wrong_one_says_where(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = altered(folder, tmp_path / "wrong.npz", lambda seen: seen[1]["board"].__setitem__((26, 1), 1))
    assert run(folder, observations=wrong) == 1
    said = capsys.readouterr().out
    assert said == (
        "1 phase agrees; then step 1 (F1901M), board, area 26 MAO, column 1 (fleet here): expected 1, found 0\n"
    )


def test_as_json(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"phases": 12, "difference": None}
    wrong = altered(folder, tmp_path / "wrong.npz", lambda seen: seen[0].update(season=2))
    assert run(folder, "--json", observations=wrong) == 1
    assert json.loads(capsys.readouterr().out)["difference"] == {
        "step": 0, "phase": "S1901M", "where": "season", "expected": "AUTUMN_MOVES", "found": "SPRING_MOVES",
    }  # fmt: skip


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('harm was done')",))


def test_a_hostile_file_is_refused_in_one_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hostile.npz"
    path.write_bytes(pickle.dumps([Hostile()]))
    assert run(folder, observations=path) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "parlour: hostile.npz: asks for builtins.exec, which is not read\n"


def test_options_decide_uncertain_points(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--option", "idle_convoys=no") == 0
    assert run(folder, "--option", "centre_on_coasts=no") == 1
    assert "area 73 BUL/EC, column 34 (centre of nobody)" in capsys.readouterr().out
    assert run(folder, "--option", "nothing=yes") == 2
    assert "a NAME of idle_convoys, removals_persist" in " ".join(capsys.readouterr().err.split())


def test_a_missing_file_is_bad_usage(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, observations=tmp_path / "gone.npz") == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a reference trajectory as the published one was made: fixed play, and a network that only looks on."""
    folder = tmp_path_factory.mktemp("recorded")
    write_parameters(golden.parameters(), folder / "params.npz")
    moves = run_game(State(), [RandomPolicy(4)], [0] * 7, max_length=6)
    fixed = FixedPlayPolicy([(moves.action_lists(phase), {}) for phase in range(6)])
    network = Network(golden.parameters().config, golden.parameters().arrays)
    looking = Policy(network, 0.2, seed=42, calculate_all_policies=True, legacy_stream=True)
    save_trajectory(run_game(State(), [fixed, looking], [0] * 7, max_length=6), folder)
    return folder


def with_network(folder: Path, *more: str, outputs: Path | None = None) -> int:
    return run(
        folder,
        "--step-outputs",
        str(outputs or folder / "step_outputs.npz"),
        "--params",
        str(folder / "params.npz"),
        *more,
    )


def test_a_network_gives_what_was_recorded_of_it(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert with_network(recorded) == 0
    assert capsys.readouterr().out == "all 6 phases agree\n"
    assert with_network(recorded, "--network-seed", "7") == 1
    assert "step 0 (S1901M), step output of OnPolicy(t=0.2), action drawn, " in capsys.readouterr().out
    assert with_network(recorded, "--stream", "current") == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda output: output["values"].__setitem__(2, output["values"][2] + 1e-4), "value of France: expected 0."),
        (
            lambda output: output["policy"].__setitem__((1, 0, 84), 0.5),
            "policy, England, unit 0, 'R ECH': expected 0.5",
        ),
        (
            lambda output: output.pop("actions"),
            "actions: expected numbers of shape (7, 17), found other ones in the file",
        ),
    ],
)
def test_what_a_network_gives_otherwise_is_named(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any, words: str
) -> None:
    outputs = pickle.loads((recorded / "step_outputs.npz").read_bytes())
    change(outputs[1]["OnPolicy(t=0.2)"])
    changed = tmp_path / "changed.npz"
    changed.write_bytes(pickle.dumps(outputs))
    code = with_network(recorded, outputs=changed)
    said = capsys.readouterr().out
    assert code == 1
    assert "1 phase agrees; then step 1 (F1901M), step output of OnPolicy(t=0.2), " in said
    assert words in said


def test_a_network_needs_outputs_to_be_compared_with(
    recorded: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(recorded, "--params", str(recorded / "params.npz")) == 2
    assert "--params needs --step-outputs" in capsys.readouterr().err
    assert (
        run(folder, "--step-outputs", str(folder / "step_outputs.npz"), "--params", str(recorded / "params.npz")) == 2
    )
    assert "nothing of a network was recorded in it" in capsys.readouterr().err


def test_a_network_is_checked_in_words(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optax", None)
    done = CliRunner().invoke(parlour, ["check", "network", "--params", str(recorded / "params.npz")])
    assert done.exit_code == 0, done.output
    assert [line.partition(":")[0] for line in done.output.splitlines()] == [
        "parameters", "transformer", "inference", "copies", "play", "files", "update",
    ]  # fmt: skip
    assert "151 arrays, 1,090,913 numbers, all finite; step 3" in done.output
    assert "update: left out: training needs an optional part" in done.output


def test_a_network_with_broken_numbers_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optax", None)
    arrays = dict(golden.parameters().arrays)
    arrays["value/1/bias"] = np.full(7, np.nan, np.float32)
    write_parameters(replace(golden.parameters(), arrays=arrays), tmp_path / "nan.npz")
    done = CliRunner().invoke(parlour, ["check", "network", "--params", str(tmp_path / "nan.npz"), "--json"])
    found = {part["part"]: part for part in json.loads(done.output)}
    assert done.exit_code == 1
    assert found["parameters"]["words"] == "1 arrays have numbers that are not finite, value/1/bias among them"
    assert "finite" in found["inference"]["words"]
    assert found["play"]["fine"]


def test_all_that_does_not_fit_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights, state, step = golden.triple()
    del weights["network/~/mlp/~/linear_1"]
    (tmp_path / "params").write_bytes(pickle.dumps((weights, state, step)))
    with pytest.raises(SystemExit) as caught:
        main(["check", "network", "--params", str(tmp_path / "params")])
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert "'network/~/mlp/~/linear_0|w' has shape (64, 12), expected (64, 7)" in said.out
    assert said.err.startswith("parlour: params: ")


@pytest.mark.long
@pytest.mark.timeout(300)  # most of it is compiling
def test_a_network_is_updated_for_show() -> None:
    done = CliRunner().invoke(parlour, ["check", "network"])
    assert done.exit_code == 0, done.output
    assert "changes 151 of 151 arrays; all figures are there" in done.output


def test_a_player_that_behaves_passes() -> None:
    done = CliRunner().invoke(parlour, ["check", "player", "fish", "greedy", "--matches", "1"])
    assert (done.exit_code, done.output) == (0, "greedy behaved in 1 match on each of 3 seats\n")


def test_a_player_that_fouls_is_told_what_it_did(tmp_path: Path) -> None:
    bot = tmp_path / "cheat.py"
    bot.write_text("class Cheat:\n    def act(self, view):\n        return [99, 99]\n", encoding="utf-8")
    done = CliRunner().invoke(parlour, ["check", "player", "fish", f"{bot}:Cheat", "--matches", "1"])
    assert done.exit_code == 1
    assert "removed as cheater on red: illegal in turn 1" in done.output


JUMPY = """
from parlour.agents.press.base import PressAgent

class Jumpy(PressAgent):
    def accepts(self, proposal, position):
        return {}["FRANCE"]
"""


def test_a_press_bot_is_let_talk(tmp_path: Path) -> None:
    bot = tmp_path / "jumpy.py"
    bot.write_text(JUMPY, encoding="utf-8")
    done = CliRunner().invoke(parlour, ["check", "player", "diplomacy", f"{bot}:Jumpy", "--matches", "1"])
    assert done.exit_code == 1
    assert "in a match with press: crashed in turn" in done.output
    assert "KeyError: 'FRANCE' (jumpy.py:6, in accepts)" in done.output
    done = CliRunner().invoke(parlour, ["check", "player", "diplomacy", "peace", "--matches", "1"])
    assert (done.exit_code, done.output) == (
        0,
        "peace behaved in 1 match on each of 7 seats, and in one with press\n",
    )


def test_a_record_is_played_again_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    whole = played(fish_setup()).record_bytes()
    file.write_bytes(whole)
    result = CliRunner().invoke(parlour, ["check", "record", str(file)])
    assert (result.exit_code, result.output[:24]) == (0, "match.jsonl: bit for bit")
    file.write_bytes(whole.replace(b'"finish":"stop"', b'"finish":"done"', 1).replace(b"policy@", b"other@", 1))
    result = CliRunner().invoke(parlour, ["check", "record", str(file)])
    assert result.exit_code == 1
    assert "differs at event" in result.output
