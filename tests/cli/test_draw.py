"""`parlour draw` writes pictures and answers bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from parlour.cli import main
from parlour.games.diplomacy.draw.theme import THEMES
from parlour.games.diplomacy.maps import map as map_module
from parlour.games.diplomacy.maps.map import load_map
from parlour.games.diplomacy.position import Position

SVG = "{http://www.w3.org/2000/svg}"
PHASE = {
    "phase": "F1902M",
    "units": {
        "FRANCE": ["A PAR", "A MAR", "F ENG"],
        "GERMANY": ["A MUN", "A RUH"],
        "ENGLAND": ["A LON", "F NTH", "F NWG"],
    },
    "orders": {
        "FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR", "F ENG S A BRE"],
        "GERMANY": ["A MUN - BUR", "A RUH - MOS"],
        "ENGLAND": ["A LON - NWY VIA", "F NTH C A LON - NWY", "gibberish"],
    },
}


def run(*arguments: str) -> int:
    """Return the exit code of the command line."""
    with pytest.raises(SystemExit) as caught:
        main(["draw", *arguments])
    code = caught.value.code
    return code if isinstance(code, int) else 0


def picture(tmp_path: Path, *arguments: str) -> ElementTree.Element:
    output = tmp_path / "out.svg"
    assert run(*arguments, "-o", str(output)) == 0
    return ElementTree.fromstring(output.read_text(encoding="utf-8"))


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == name]


@pytest.fixture
def phase(tmp_path: Path) -> str:
    path = tmp_path / "phase.json"
    path.write_text(json.dumps(PHASE), encoding="utf-8")
    return str(path)


def test_draws_the_start(tmp_path: Path) -> None:
    root = picture(tmp_path, "--phase", "S1901M")
    assert root.findtext(SVG + "title") == "Spring 1901, movement"
    assert len(of_class(root, "unit")) == 22
    assert of_class(root, "order") == []


def test_writes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--map", "lagoon") == 0
    assert len(of_class(ElementTree.fromstring(capsys.readouterr().out), "unit")) == 9


def test_draws_a_map_file_without_geometry(tmp_path: Path) -> None:
    file = tmp_path / "mine.map"
    shipped = (map_module.BOARDS / "lagoon.map").read_text(encoding="utf-8")
    file.write_text(shipped.replace("map lagoon", "map mine"), encoding="utf-8")
    position = Position.start(load_map(file))
    value = tmp_path / "phase.json"
    value.write_text(json.dumps({"phase": "S1701M", "units": position.units}), encoding="utf-8")
    for more in ((), ("--phase", "F1701M"), ("--position", position.fen), ("--input", str(value))):
        assert len(of_class(picture(tmp_path, "--map", str(file), *more), "unit")) == 9


def test_draws_a_compact_position(tmp_path: Path) -> None:
    position = Position.start().resolve({"FRANCE": ["A PAR - BUR"]})
    root = picture(tmp_path, "--position", position.fen)
    assert "BUR" in [unit.get("data-area") for unit in of_class(root, "unit")]


def test_draws_orders_with_their_results(tmp_path: Path, phase: str) -> None:
    titles = {group.findtext(SVG + "title") for group in of_class(picture(tmp_path, "--input", phase), "order")}
    assert titles == {
        "A PAR - BUR: succeeded",
        "A MAR S A PAR - BUR: succeeded",
        "F ENG S A BRE: void",
        "F ENG H: succeeded",
        "A MUN - BUR: bounced",
        "A RUH - MOS: void",
        "A RUH H: succeeded",
        "A LON - NWY VIA: succeeded",
        "F NTH C A LON - NWY: succeeded",
        "F NWG H: succeeded",
    }


def test_draws_orders_without_results(tmp_path: Path, phase: str) -> None:
    orders = of_class(picture(tmp_path, "--input", phase, "--no-results"), "order")
    assert {group.get("data-result") for group in orders} == {"pending"}


def test_shows_the_orders_of_the_powers_asked_for(tmp_path: Path, phase: str) -> None:
    root = picture(tmp_path, "--input", phase, "--power", "france", "--power", "GER")
    assert {group.get("data-power") for group in of_class(root, "order")} == {"FRANCE", "GERMANY"}


def test_retreats_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "retreat.json"
    value = {
        "phase": "S1902R",
        "units": {"FRANCE": ["A BUR"]},
        "retreats": {"GERMANY": {"A BUR": ["MUN", "RUH"]}},
        "orders": {"GERMANY": ["A BUR R MUN"]},
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    root = picture(tmp_path, "--input", str(path))
    assert [group.findtext(SVG + "title") for group in of_class(root, "order")] == ["A BUR R MUN: succeeded"]
    assert "GERMANY A BUR dislodged" in [unit.findtext(SVG + "title") for unit in of_class(root, "unit")]


def test_builds_and_removals_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "winter.json"
    value = {
        "phase": "W1902A",
        "units": {"FRANCE": ["A BUR"], "GERMANY": ["A BER", "A KIE"]},
        "centers": {"FRANCE": ["PAR", "BRE"], "GERMANY": ["BER"]},
        "orders": {"FRANCE": ["A PAR B"], "GERMANY": ["A KIE D"]},
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    root = picture(tmp_path, "--input", str(path))
    kinds = {(group.get("data-kind"), group.get("data-result")) for group in of_class(root, "order")}
    assert kinds == {("build", "succeeded"), ("remove", "succeeded")}


def test_the_dark_theme_is_dark(tmp_path: Path) -> None:
    root = picture(tmp_path, "--theme", "dark", "--width", "600")
    assert root.get("width") == "600"
    assert THEMES["dark"].paper in {element.get("fill") for element in root.iter()}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--phase", "X1"), "phase"),
        (("--power", "ATLANTIS"), "power"),
        (("--map", "moon"), "map"),
        (("--width", "3"), "width"),
        (("--position", "standard S1901M FRA=AXXX"), "units"),
        (("--phase", "S1901M", "--position", "x"), "--position"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize("text", ["[]", "{}", "nonsense", '{"phase": 3, "units": {}}', "[" * 5000])
def test_bad_json_is_refused_in_one_line(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    assert run("--input", str(path)) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-o", str(tmp_path / "no" / "such" / "folder.svg")) == 1
    assert "folder.svg" in capsys.readouterr().err


def test_a_picture_that_is_no_svg_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-o", str(tmp_path / "x.png")) == 2
    assert "does not end in .svg" in capsys.readouterr().err
    assert not (tmp_path / "x.png").exists()
