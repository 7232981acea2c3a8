"""The map file format, the standard map and the small variant."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.errors import ConfigError, MapError
from parlour.games.diplomacy.maps import map as maps
from parlour.games.diplomacy.maps.map import Ground, load_map, named, read_map, standard

FOLDER = maps.BOARDS
LAGOON = (FOLDER / "lagoon.map").read_text(encoding="utf-8")


def test_standard_map_has_the_published_counts() -> None:
    board = standard()
    assert (len(board.provinces), len(board.areas), len(board.powers)) == (75, 81, 7)
    assert sum(len(ends) for ends in board.army) == 2 * 111
    assert sum(len(ends) for ends in board.fleet) == 2 * 141
    assert [sum(p.kind is kind for p in board.provinces) for kind in Ground] == [14, 19, 42]
    assert sum(p.centre for p in board.provinces) == 34
    assert [len(power.homes) for power in board.powers] == [3, 3, 3, 3, 3, 4, 3]
    assert (board.year, board.victory, len(board.units)) == (1901, 18, 22)


def test_ids_follow_the_published_order() -> None:
    board = standard()
    tags = {0: "BOH", 13: "WAR", 14: "ADR", 20: "ECH", 21: "GOB", 22: "GOL", 33: "ALB", 71: "VEN", 72: "BUL", 74: "STP"}
    assert {number: board.provinces[number].daide for number in tags} == tags
    assert [area.tag for area in board.areas[72:]] == [
        *("BUL", "BUL/EC", "BUL/SC"),
        *("SPA", "SPA/NC", "SPA/SC"),
        *("STP", "STP/NC", "STP/SC"),
    ]
    assert board.areas[20].daide == "ECH"
    assert [power.tag for power in board.powers] == ["AUS", "ENG", "FRA", "GER", "ITA", "RUS", "TUR"]


@pytest.mark.parametrize(
    ("spelling", "tag"),
    [
        ("ENG", "ENG"),
        ("ech", "ENG"),
        ("English  channel", "ENG"),
        ("LYO", "LYO"),
        ("GOL", "LYO"),
        ("gob", "BOT"),
        ("LIV", "LVN"),
        ("LPL", "LVP"),
        ("NOR", "NWY"),
        ("St Petersburg", "STP"),
        ("tyl", "TYR"),
    ],
)
def test_provinces_are_found_by_any_spelling(spelling: str, tag: str) -> None:
    found = standard().find(spelling)
    assert found is not None
    assert found.tag == tag


@pytest.mark.parametrize(
    ("spelling", "tag"),
    [
        ("STP/SC", "STP/SC"),
        ("stp scs", "STP/SC"),
        ("STPSC", "STP/SC"),
        ("Spain north coast", "SPA/NC"),
        ("spa(nc)", "SPA/NC"),
        ("BUL/EC", "BUL/EC"),
        ("BUL", "BUL"),
        ("gol", "LYO"),
    ],
)
def test_areas_are_found_by_any_spelling(spelling: str, tag: str) -> None:
    found = standard().find_area(spelling)
    assert found is not None
    assert found.tag == tag


def test_unknown_spellings_are_not_found() -> None:
    board = standard()
    assert board.find("XYZ") is None
    assert board.find_area("PAR/NC") is None
    assert board.find_area("BUL/NC") is None
    assert board.find_power("SPAIN") is None


def test_powers_are_found_by_name_tag_and_title() -> None:
    assert {standard().find_power(text) for text in ("FRANCE", "fra", "France")} == {standard().powers[2]}


def test_variant_is_small_and_has_all_that_the_rules_speak_of() -> None:
    board = named("lagoon")
    assert (len(board.powers), len(board.provinces), len(board.areas)) == (3, 17, 19)
    assert [p.tag for p in board.provinces if p.coasts] == ["NEK"]
    isle = board.provinces[board.spellings["ISL"]]
    assert not board.army[isle.area], "only fleets and convoys reach the isle"
    assert (board.year, board.victory) == (1701, 7)


def test_a_map_that_is_not_there_is_a_bad_setting() -> None:
    with pytest.raises(ConfigError, match="expected one of standard, lagoon"):
        named("atlantis")


def test_reading_a_map_twice_gives_equal_maps() -> None:
    assert load_map(FOLDER / "lagoon.map") == named("lagoon")


def change(old: str, new: str) -> tuple[str, int]:
    """Return the variant's file with one line changed, and that line's number."""
    lines = LAGOON.splitlines()
    number = lines.index(old)
    lines[number : number + 1] = new.split("\n") if new else []
    return "\n".join(lines), number + 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("army BRY BOW BUX", "army BRY BUX", "asymmetric border: BOW lists BRY, but BRY does not list BOW"),
        ("fleet ISL LAG NOR", "fleet ISL LAG NOR GUL", "asymmetric border: ISL lists GUL"),
        ("coast ISL The Isle", "coast ISL The Isle\ncoast FAR Far Isle", "FAR has no border for fleets"),
        ("coast ISL The Isle", "coast ISL The Isle\nland FAR Far Land", "FAR has no border for armies"),
        ("army BUX BOW BRY MID", "", "asymmetric border"),
        ("army BRY BOW BUX", "army BRY BOW BUX BUX", "a border of BRY is given twice"),
        ("army BRY BOW BUX", "army BRY BOW BUX\narmy BRY BOW", "borders of BRY are given twice"),
        ("army BRY BOW BUX", "army BRY BOW BUX BRY", "BRY cannot border itself"),
        ("army BRY BOW BUX", "army BRY BOW BUX NOR", "an army cannot stand in NOR"),
        ("fleet COV NEK/WC WST", "fleet COV NEK WST", "a fleet cannot stand in NEK"),
        ("fleet COV NEK/WC WST", "fleet COV NEK/SC WST", "unknown area 'NEK/SC'"),
        ("army BRY BOW BUX", "army BRY BOW XYZ", "unknown area 'XYZ'"),
        ("neutral ISL MID NEK", "neutral ISL MID NEK ISL", "ISL is a centre twice"),
        ("neutral ISL MID NEK", "neutral ISL MID ALD", "ALD is a centre twice"),
        ("neutral ISL MID NEK", "neutral LAG", "LAG is at sea and cannot be a centre"),
        ("neutral ISL MID NEK", "neutral FOO", "unknown province 'FOO'"),
        ("home AMBER  ALD APE ASH", "home PINK ALD", "unknown power 'PINK'"),
        ("start AMBER  A APE", "start AMBER A ALD", "two units in ALD"),
        ("start AMBER  A APE", "start AMBER A LAG", "an army cannot stand in LAG"),
        ("start AMBER  A APE", "start AMBER F MID", "a fleet cannot stand in MID"),
        ("start AMBER  A APE", "start AMBER F NEK", "a fleet cannot stand in NEK"),
        ("start AMBER  A APE", "start AMBER X APE", "expected POWER A|F AREA"),
        ("power BRONZE BRO Bronze", "power BRONZE AMB Bronze", "AMB is taken"),
        ("power BRONZE BRO Bronze", "power bronze BRO Bronze", "expected NAME TAG WORDS"),
        ("land ASH Ashfold", "land ASHE Ashfold", "expected TAG WORDS"),
        ("land ASH Ashfold", "land BUX Ashfold", "BUX already means Ashfold"),
        ("coast NEK/WC/EC The Neck", "coast NEK/WC The Neck", "split into two shores"),
        ("coast NEK/WC/EC The Neck", "coast NEK/WC/XX The Neck", "unknown shore 'XX'"),
        ("land ASH Ashfold", "land ASH/NC/SC Ashfold", "split into two shores"),
        ("alias LAG LGN", "alias LAG ISL", "ISL already means The Isle"),
        ("alias LAG LGN", "alias BRONZE AMBER", "alias: AMBER is taken"),
        ("alias LAG LGN", f"alias BRONZE {'B' * 41}", "a name longer than 40 letters"),
        ("alias LAG LGN", "alias SILVER S", "unknown province 'SILVER'"),
        ("alias LAG LGN", "tag LAG lag", "expected TAG OTHER"),
        ("victory 7", "victory 13", "more centres than there are"),
        ("victory 7", "victory many", "victory: expected one value"),
        ("victory 7", "victory 7\nvictory 7", "victory: given twice"),
        ("begin 1701", "begin 0", "expected a number from 1 to 9999"),
        ("begin 1701", "", "no begin"),
        ("title Lagoon", "tilte Lagoon", "unknown statement 'tilte'"),
        ("title Lagoon", "title", "nothing follows"),
        ("map lagoon", "map Lagoon!", "map: expected one value"),
    ],
)
def test_a_map_that_contradicts_itself_is_refused_with_line_and_reason(old: str, new: str, reason: str) -> None:
    text, line = change(old, new)
    with pytest.raises(MapError) as error:
        read_map(text, "my.map")
    assert reason in error.value.reason
    assert str(error.value).startswith(f"my.map:{error.value.line}: ")
    # Errors about a line as such name that line; the others name the line that they show up in.
    if new and "\n" not in new and "asymmetric" not in reason and "more centres" not in reason and "BUX" not in reason:
        assert error.value.line == line


def test_errors_in_files_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.map"
    path.write_bytes(b"map x\xff")
    with pytest.raises(MapError, match="not UTF-8 text"):
        load_map(path)
    path.write_text("map x\n" + "# \n" * 5000, encoding="utf-8")
    with pytest.raises(MapError, match="more than 4096 lines"):
        load_map(path)
    path.write_text("#" * 300_000, encoding="utf-8")
    with pytest.raises(MapError, match="larger than 262144 bytes"):
        load_map(path)
    with pytest.raises(MapError, match="cannot be read"):
        load_map(tmp_path / "missing.map")


def test_too_many_provinces_powers_and_seas_are_refused() -> None:
    provinces = "\n".join(f"land A{n:02} Place {n}" for n in range(97))
    with pytest.raises(MapError, match="more than 96 provinces"):
        read_map(provinces)
    with pytest.raises(MapError, match="more than 64 seas"):
        read_map("\n".join(f"sea A{n:02} Place {n}" for n in range(65)))
    with pytest.raises(MapError, match="more than 15 powers"):
        read_map("\n".join(f"power P{n:02} P{n:02} Power {n}" for n in range(16)))
