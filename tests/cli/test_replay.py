"""parlour replay: whole matches, JSON, pictures, and records that are damaged or foreign."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(parlour, ["play", "fish", "greedy", "greedy", "--rows", "3", "--cols", "4", "--quiet"])
    return tmp_path / "fish.jsonl"


def replay(*arguments: object) -> str:
    done = CliRunner().invoke(parlour, ["replay", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.output


def failure(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main(["replay", *map(str, arguments)])
    assert isinstance(stop.value.code, int)
    return stop.value.code, capsys.readouterr().err


def test_a_whole_match_is_shown_with_its_ranking(record: Path) -> None:
    text = replay(record)
    assert "turn 1" in text
    assert "place  seat" in text


def test_json_gives_the_position_after_each_turn(record: Path) -> None:
    lines = [json.loads(line) for line in replay(record, "--json").splitlines()]
    assert [line["turn"] for line in lines] == list(range(len(lines)))
    assert "position" in lines[-1]


def test_pictures_are_written_one_a_turn(record: Path, tmp_path: Path) -> None:
    assert "pictures in" in replay(record, "--svg", tmp_path / "pictures")
    pictures = sorted((tmp_path / "pictures").glob("*.svg"))
    turns = len(replay(record, "--json").splitlines()) - 1
    assert len(pictures) == turns
    assert ElementTree.parse(pictures[0]).getroot().tag.endswith("svg")


def test_pictures_are_named_by_phase_have_a_legend_and_the_width_asked_for(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    played = ["play", "diplomacy", "--last-year", "1901", "--quiet", "--record", str(record)]
    assert CliRunner().invoke(parlour, played).exit_code == 0
    replay(record, "--svg", tmp_path / "pictures", "--width", "640", "--theme", "dark")
    pictures = sorted((tmp_path / "pictures").glob("*.svg"))
    assert [path.stem for path in pictures][:2] == ["0001-S1901M", "0002-F1901M"]
    root = ElementTree.parse(pictures[0]).getroot()
    assert root.get("width") == "640"
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Spring 1901, movement", "France", "random"} <= texts


def test_a_cut_off_line_is_reported_and_left_out(record: Path) -> None:
    record.write_bytes(record.read_bytes()[:-20])
    done = CliRunner().invoke(parlour, ["replay", str(record)])
    assert done.exit_code == 0
    assert "was cut off and is left out" in done.stderr


def test_an_event_that_is_not_there_is_named(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = failure(capsys, record, "--at", 9999)
    assert code == 2
    assert "there is no event 9999" in text


def test_a_record_that_does_not_follow_the_rules_fails_with_the_event(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = record.read_bytes().splitlines(keepends=True)
    ended = next(i for i, line in enumerate(lines) if b'"turn ended"' in line)
    lines[ended] = lines[ended].replace(b'"happened":{', b'"happened":{"x":1,')
    record.write_bytes(b"".join(lines))
    code, text = failure(capsys, record)
    assert code == 1
    assert text == f"parlour: event {ended - 1}: 'turn ended': the rules give another happened\n"


def test_a_file_that_is_no_record_fails_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello\n", encoding="utf-8")
    code, text = failure(capsys, path)
    assert code == 2
    assert text == "parlour: notes.txt is not a record: its first line is not a header\n"


def test_a_game_that_is_not_known_is_named(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record.write_bytes(record.read_bytes().replace(b'"game":"fish"', b'"game":"chess"'))
    code, text = failure(capsys, record)
    assert code == 1
    assert "game: expected one of diplomacy, fish, got 'chess'" in text


@pytest.mark.parametrize("other", [["--json"], ["--at", "3"]])
def test_pictures_are_of_every_turn_and_not_mixed_with_json(
    record: Path, tmp_path: Path, other: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = failure(capsys, record, "--svg", tmp_path / "out", *other)
    assert (code, text) == (2, "parlour: --svg draws every turn: give it without --json and --at\n")
    assert not (tmp_path / "out").exists()


def test_json_has_what_was_done_and_what_came_of_it(record: Path) -> None:
    done = CliRunner().invoke(parlour, ["replay", str(record), "--json"])
    turns = [json.loads(line) for line in done.output.splitlines()][1:]
    assert all(turn["actions"] for turn in turns)
    assert all("happened" in turn for turn in turns)
