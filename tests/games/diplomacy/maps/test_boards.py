"""The maps that ship: their facts against those recorded of the `diplomacy` package, and a game on each."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.errors import ConfigError
from parlour.games.diplomacy.draw.regions import drawn_regions
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import (
    BOARDS,
    BY_PACKAGE,
    SHIPPED,
    Map,
    load_map,
    named,
    operators_maps,
    package_name,
    path_of,
    read_map,
)
from parlour.games.diplomacy.position import Position

MAPS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "maps.json").read_bytes())
RECORDED = {**{ours: theirs for theirs, ours in BY_PACKAGE.items()}, "standard": "standard", "pure": "pure"}


def borders_hash(board: Map) -> str:
    lines = [
        f"{kind} {board.areas[start].tag} {board.areas[end].tag}"
        for kind, reach in (("A", board.army), ("F", board.fleet))
        for start, ends in enumerate(reach)
        for end in ends
    ]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def test_every_file_is_shipped_and_every_shipped_map_has_a_file() -> None:
    assert {path.stem for path in BOARDS.glob("*.map")} == set(SHIPPED)
    assert all(named(name).name == name for name in SHIPPED)


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_maps_of_the_package_have_its_borders_homes_and_units(name: str) -> None:
    wanted, board = MAPS[RECORDED[name]], named(name)
    position = Position.start(board)
    assert borders_hash(board) == wanted["borders_hash"]
    assert [power.name for power in board.powers] == wanted["powers"]
    assert position.homes == {power: sorted(homes) for power, homes in wanted["homes"].items()}
    assert {power: sorted(own) for power, own in position.units.items()} == wanted["units"]
    assert (position.phase, board.victory) == (wanted["first_phase"], wanted["win"])
    assert sum(province.centre for province in board.provinces) == wanted["centres"]
    assert (board.build_mode == "anywhere") == ("BUILD_ANY" in wanted["rules"])


def test_ancmed_has_the_borders_of_the_package_but_no_port() -> None:
    board, wanted = named("ancmed"), MAPS["ancmed"]
    assert borders_hash(board) == wanted["borders_hash"]
    assert {power: sorted(own) for power, own in Position.start(board).units.items()} == wanted["units"]


FACTS = {
    "lagoon": "ea6cf4b0e0a2eee5",
    "england-turkey": "9a4031057ee2afa2",
    "germany-russia": "8aae2b2c5ac5fdea",
    "1898": "68a02ff5cc59734e",
    "crowded": "bb1856beb953740e",
    "milan": "0bf17965df35c479",
    "hundred": "80a94d16f9cad86e",
}
"""Hashes of the facts of the maps that the package does not have."""


@pytest.mark.parametrize("name", sorted(FACTS))
def test_the_other_maps_keep_their_borders_homes_centres_units_and_rules(name: str) -> None:
    board = named(name)
    start = Position.start(board)
    centres = [province.tag for province in board.provinces if province.centre]
    rules = [start.phase, board.victory, board.build_mode, board.calendar.step, centres]
    facts = json.dumps([borders_hash(board), start.units, start.homes, start.centers, rules], sort_keys=True)
    assert hashlib.sha256(facts.encode()).hexdigest()[:16] == FACTS[name]


def test_names_of_the_package_mean_our_maps() -> None:
    for theirs, ours in BY_PACKAGE.items():
        assert named(theirs) is named(ours)
        assert package_name(named(ours)) == theirs
    assert package_name(named("standard")) == "standard"
    assert path_of("nowhere") is None


def test_1898_has_homes_that_nobody_owns() -> None:
    position = Position.start(named("1898"))
    assert position.homes["FRANCE"] == ["BRE", "MAR", "PAR"]
    assert position.centers["FRANCE"] == ["BRE"]
    assert sum(map(len, position.centers.values())) == 7


def test_milan_has_no_tuscany() -> None:
    board = named("milan")
    assert board.find("TUS") is None
    assert board.find("Milan") is not None
    rome = board.find("ROM")
    assert rome is not None
    assert {board.areas[end].tag for end in board.fleet[rome.area]} == {"LYO", "NAP", "SAV", "TYS"}
    assert len(board.provinces) == 75


def test_the_hundred_years_pass_by_fives() -> None:
    position = Position.start(named("hundred"))
    told = []
    for _ in range(4):
        told.append((position.phase, position.phase_name))
        position = position.resolve({})
    assert told == [
        ("S1425M", "A.D. 1425, movement"),
        ("F1425M", "A.D. 1430, movement"),
        ("W1425A", "A.D. 1430, adjustments"),
        ("S1435M", "A.D. 1435, movement"),
    ]


@pytest.mark.parametrize("name", SHIPPED)
def test_random_games_are_played_and_every_position_reads_back(name: str) -> None:
    board = named(name)
    rules = rules_of(board)
    states = np.tile(rules.start(board.year + 3 * board.calendar.step), (4, 1))
    for phase in range(24):
        for state in states:
            position = Position(board, state.tobytes())
            assert Position.read(position.fen) == position
        seeds = np.arange(len(states), dtype=np.uint64) + np.uint64(100 * phase)
        states, _ = rules.step(states, rules.sample(states, seeds))
    assert all(Position(board, state.tobytes()).over for state in states)


def test_the_operator_has_maps_in_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pond.map").write_text((BOARDS / "lagoon.map").read_text("utf-8"), "utf-8")
    (tmp_path / "odd.map").write_text("map odd\nland\n", "utf-8")
    assert path_of("pond") is None
    monkeypatch.setenv("PARLOUR_MAPS", f"{tmp_path / 'none'}{os.pathsep}{tmp_path}")
    board = named("pond")
    assert board.name == "pond"
    position = GAME.start({"map": "pond", "years": 1}, GAME.seats({"map": "pond"}), 1)
    assert Position.read(position.fen) == position
    (tmp_path / "inner").mkdir()
    assert path_of("inner/../pond") is None
    assert path_of("lagoon") == BOARDS / "lagoon.map"
    with pytest.raises(ConfigError, match=r"map: .*odd\.map:2: land: nothing follows"):
        named("odd")
    assert operators_maps() == ("pond",)
    with pytest.raises(ConfigError, match="ancmed, pond, got 'ponk'; did you mean pond"):
        named("ponk")
    (tmp_path / "odd.map").write_text((BOARDS / "lagoon.map").read_text("utf-8"), "utf-8")
    assert operators_maps() == ("odd", "pond")


def test_the_map_of_the_how_to_can_be_played_and_drawn() -> None:
    page = (Path(__file__).parents[4] / "docs" / "how-to" / "make-a-map.md").read_text("utf-8")
    (written,) = [block for block in page.split("```")[1::2] if block.startswith("\nmap ")]
    places = page.partition("cat >> pond.map <<END\n")[2].partition("END\n")[0]
    assert places.count("\nat ") == 4
    board = read_map(written + places)
    assert len(board.provinces) == 5
    assert {pair for pair in drawn_regions(board).borders if set(pair) <= {"EEE", "HIL", "ISL", "POO", "WWW"}} == {
        *(("EEE", "HIL"), ("EEE", "POO"), ("HIL", "WWW"), ("ISL", "POO"), ("POO", "WWW")),
    }


def test_a_map_read_from_its_file_is_the_shipped_one() -> None:
    for name in SHIPPED:
        path = path_of(name)
        assert path is not None
        assert load_map(path) == named(name)
