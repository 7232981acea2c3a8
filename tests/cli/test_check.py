"""`parlour check trajectory` on files made here: right, wrong, hostile."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour
from parlour.deepmind import RandomPolicy, State, run_game, save_trajectory


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


def test_a_player_that_behaves_passes() -> None:
    done = CliRunner().invoke(parlour, ["check", "player", "fish", "greedy", "--matches", "1"])
    assert (done.exit_code, done.output) == (0, "greedy behaved in 1 matches on each of 3 seats\n")


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
        "peace behaved in 1 matches on each of 7 seats, and in one with press\n",
    )
