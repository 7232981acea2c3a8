"""parlour new: the bots that it writes play and behave."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour
from parlour.core.events import Fouled
from parlour.referee.record import read_record


@pytest.mark.parametrize("kind", ["fish", "diplomacy", "diplomacy --press"])
def test_a_new_bot_behaves_as_it_is(kind: str, tmp_path: Path) -> None:
    game, *press = kind.split()
    path = tmp_path / "mine.py"
    made = CliRunner().invoke(parlour, ["new", "bot", str(path), "--game", game, *press, "--name", "Mine"])
    assert made.exit_code == 0, made.output
    assert f"parlour check player {game}" in made.output
    checked = CliRunner().invoke(parlour, ["check", "player", game, f"{path}:Mine", "--matches", "1"])
    assert checked.exit_code == 0, checked.output
    assert checked.output.endswith("with press\n") is bool(press)


def test_a_new_press_bot_makes_pacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(parlour, ["new", "bot", "mine.py", "--game", "diplomacy", "--press"])
    assert "parlour play diplomacy --press mine.py:Bot peace" in made.output
    played = CliRunner().invoke(
        parlour, ["play", "diplomacy", "--press", "--agent", "mine.py:Bot", "--agent", "peace", "--last-year", "1901"]
    )
    assert (played.exit_code, played.stderr) == (0, "")
    for line in (
        "TURKEY → RUSSIA: Turkey proposes to Russia that both keep out of the Black Sea.",
        "RUSSIA → TURKEY: Russia agrees with Turkey that both keep out of the Black Sea.",
        "FRANCE → ENGLAND: France proposes to England that both keep out of the English Channel.",
    ):
        assert line in played.output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["mine.txt"], "does not end in .py"),
        (["mine.py", "--name", "1st"], "is not a valid class name"),
        (["mine.py", "--name", "class"], "is not a valid class name"),
        (["mine.py", "--press"], "give --game diplomacy, too"),
    ],
)
def test_what_cannot_be_written_is_refused(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["new", "bot", *arguments])
    assert stop.value.code == 2
    assert complaint in capsys.readouterr().err


def test_a_file_that_exists_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["new", "bot", str(path)])
    assert "exists already" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("game", ["fish", "diplomacy"])
@pytest.mark.parametrize(
    ("lang", "file", "needed"),
    [("python", "mine.py", sys.executable), ("javascript", "mine.js", "node"), ("c", "mine.c", "cc")],
)
def test_a_new_program_plays_without_our_package(tmp_path: Path, lang: str, file: str, needed: str, game: str) -> None:
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    path = tmp_path / file
    made = CliRunner().invoke(parlour, ["new", "program", str(path), "--lang", lang, "--game", game])
    assert made.exit_code == 0, made.output
    assert path.read_text(encoding="utf-8").count("\n") < 60
    start = f"{needed} {path}"
    if lang == "c":
        subprocess.run(["cc", "-Wall", "-Werror", "-o", tmp_path / "bot", path], check=True)
        start = f"{tmp_path}/bot"
    # Seven of them, for several years: somebody is to build, and somebody to remove a unit.
    seats = [start, "random"] if game == "fish" else [start, "--last-year", "1903"]
    record = str(tmp_path / "match.jsonl")
    done = CliRunner().invoke(parlour, ["play", game, *seats, "--quiet", "--record", record])
    assert done.exit_code == 0, done.output
    assert not [event for event in read_record(record) if isinstance(event, Fouled)]


@pytest.mark.parametrize(
    ("file", "start"), [("mine.py", "python3 mine.py"), ("mine.js", "node mine.js"), ("mine.c", "./bot")]
)
def test_a_new_program_is_in_the_language_that_its_name_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, start: str
) -> None:
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(parlour, ["new", "program", file])
    assert f'parlour play fish "{start}" random' in made.output
    refused = CliRunner().invoke(parlour, ["new", "program", "mine.rs"])
    assert "'mine.rs' does not end in .py or .js or .c" in str(refused.exception)


@pytest.mark.parametrize(("file", "message"), [("mine.py", "does not end in .js"), ("there.js", "exists already")])
def test_a_new_program_needs_a_free_name_of_its_language(tmp_path: Path, file: str, message: str) -> None:
    (tmp_path / "there.js").touch()
    made = CliRunner().invoke(parlour, ["new", "program", str(tmp_path / file), "--lang", "javascript"])
    assert message in str(made.exception)
