"""`parlour map` lists, checks, converts and draws maps, and answers bad files in one line."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour
from parlour.games.diplomacy.maps.map import BOARDS, SHIPPED, load_map, named

SMALL = """\
NORTH (NORTHERN) AAA
A AAA
SOUTH (SOUTHERN) BBB
A BBB
Alpha = aaa
Beta = bbb
LAND AAA ABUTS BBB
LAND BBB ABUTS AAA
"""


def run(*arguments: str) -> str:
    done = CliRunner().invoke(parlour, ["map", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_maps_of_the_operator_are_listed_after_those_that_ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mere.map").write_text((BOARDS / "lagoon.map").read_text("utf-8"), "utf-8")
    monkeypatch.setenv("PARLOUR_MAPS", str(tmp_path))
    assert run("list").splitlines()[-1].startswith("mere ")


def test_maps_that_ship_are_listed() -> None:
    lines = run("list").splitlines()
    assert [line.split()[0] for line in lines] == list(SHIPPED)
    assert lines[2].endswith("France against Austria, 2 players, 75 provinces, 34 centres, 18 to win")


def test_a_file_is_checked_converted_and_drawn(tmp_path: Path) -> None:
    file, own, picture = tmp_path / "two.map", tmp_path / "own.map", tmp_path / "two.svg"
    file.write_text(f"FLAG x\n{SMALL}", "utf-8")
    assert run("check", str(file)).splitlines() == [
        "note: line 1: FLAG is skipped",
        "two: Two, 2 players, 2 provinces, 2 centres, 2 to win, 15 actions; .map",
    ]
    assert run("convert", str(file), "-o", str(own)) == ""
    assert load_map(own).name == "two"
    assert run("check", str(own)).endswith("; parlour\n")
    assert run("draw", str(file), "-o", str(picture), "--theme", "dark") == ""
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert run("convert", "lagoon").startswith("# A small board")
    assert named("standard_fleet_rome").name in run("check", "standard_fleet_rome")


def test_a_misspelt_name_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["map", "draw", "hundrd"])
    assert left.value.code == 2
    assert capsys.readouterr().err.endswith("or a map file, got 'hundrd'; did you mean hundred?\n")


def test_what_is_wrong_is_one_line_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.map"
    file.write_text(f"{SMALL}FLOWN x\n", "utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["map", "check", str(file)])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"parlour: {file}:9: unknown statement 'FLOWN'")
    assert told.count("\n") == 1
