"""Reading `.map` files: both dialects, the meaning of letter case, and one clear line for whatever is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parlour.errors import MapError
from parlour.games.diplomacy.imports.dotmap import MAX_FILES, DotMapReader
from parlour.games.diplomacy.imports.draft import map_name, power_tag
from parlour.games.diplomacy.imports.files import Form, load_any
from parlour.games.diplomacy.maps.calendar import Calendar
from parlour.games.diplomacy.maps.map import BOARDS, Builds, Map, named, read_map
from parlour.games.diplomacy.position import Position

SMALL = """\
# Two islands and a strait.
BEGIN SPRING 1801 MOVEMENT
NORTH (NORTHERN:N) AAA BBB
A AAA
F BBB
SOUTH (SOUTHERN) CCC
A CCC
UNOWNED DDD
Alpha = aaa first
Beta = bbb
Beta (east coast) = bbb/ec
Beta (west coast) = bbb/wc
Gamma = ccc gamma+city south?
Delta = ddd
Wide Water = www
Far Water = xxx
Stone = sss
LAND AAA ABUTS BBB SSS
COAST BBB/EC ABUTS WWW
COAST BBB/WC ABUTS XXX
COAST bbb ABUTS AAA WWW XXX
COAST CCC ABUTS WWW ddd
COAST DDD ABUTS WWW XXX ccc
WATER WWW ABUTS BBB/EC CCC DDD XXX
WATER XXX ABUTS BBB/WC DDD WWW
SHUT SSS ABUTS AAA
"""
START = SMALL.replace("F BBB", "F BBB/EC")


def read(text: str, files: dict[str, str] | None = None) -> Map:
    return DotMapReader(text, "small.map", "small", (files or {}).__getitem__).draft().map()


def refused(text: str, files: dict[str, str] | None = None) -> str:
    with pytest.raises(MapError) as caught:
        read(text, files)
    return str(caught.value)


def reach(board: Map, fleet: bool, tag: str) -> set[str]:
    area = board.find_area(tag)
    assert area is not None
    return {board.areas[end].tag for end in (board.fleet if fleet else board.army)[area.id]}


def test_letter_case_says_who_may_pass() -> None:
    board = read(START)
    assert reach(board, False, "BBB") == {"AAA"}
    assert reach(board, True, "BBB/EC") == {"WWW"}
    assert reach(board, False, "CCC") == {"DDD"}
    assert reach(board, True, "CCC") == {"WWW"}
    assert reach(board, True, "DDD") == {"WWW", "XXX"}
    by_sea_only = read(START.replace("CCC ABUTS WWW ddd", "CCC ABUTS WWW Ddd").replace("XXX ccc", "XXX Ccc"))
    assert (reach(by_sea_only, False, "CCC"), reach(by_sea_only, True, "CCC")) == (set(), {"WWW", "DDD"})


def test_what_the_file_says_is_on_the_map() -> None:
    board = read(START)
    assert (board.year, board.victory, board.name, board.title) == (1801, 3, "small", "Small")
    assert [power.name for power in board.powers] == ["NORTH", "SOUTH"]
    assert Position.start(board).units == {"NORTH": ["A AAA", "F BBB/EC"], "SOUTH": ["A CCC"]}
    assert board.find("gamma city") == board.find("CCC") == board.find("Gamma")
    assert board.find("SSS") is None
    assert board.find_power("northern") == board.powers[0]


def test_the_text_in_our_own_format_reads_back() -> None:
    draft = DotMapReader(START, "small.map", "small").draft()
    assert read_map(draft.text()) == draft.map()


def test_statements_of_dpjudge_change_the_map() -> None:
    more = """\
RULE REMOTE_BUILDS CD_DUMMIES
FLAG anything
AMEND CCC ABUTS -ddd
AMEND DDD ABUTS -ccc
AAA -> Capital = cap
DROP SSS
VICTORY 2
EAST (EASTERN) DDD
F DDD
DUMMY
"""
    board = read(START + more)
    assert (board.builds, board.victory) == (Builds.ROOTED, 2)
    assert reach(board, False, "CCC") == set()
    assert board.find("AAA") is None
    assert reach(board, False, "CAP") == {"BBB"}
    assert Position.start(board).units["NORTH"] == ["F BBB/EC", "A CAP"]
    assert [power.played for power in board.powers] == [False, True, True]


def test_a_power_may_have_no_adjective_if_its_centres_are_known() -> None:
    board = read(f"{START}BALKAN DDD\nF DDD\n")
    assert [power.name for power in board.powers] == ["BALKAN", "NORTH", "SOUTH"]
    assert [power.name for power in read(START.replace("SOUTH (SOUTHERN)", "SOUTH")).powers] == ["NORTH", "SOUTH"]
    assert "unknown statement 'UNOWNDE'" in refused(f"{START}UNOWNDE DDD\n")
    assert "unknown statement 'Balkan'" in refused(f"{START}Balkan DDD\n")
    assert "unknown statement 'BALKAN'" in refused(f"{START}BALKAN QQQ\n")


def test_directives_for_other_rules_are_skipped_and_rules_may_be_taken_back() -> None:
    more = "RULE BUILD_ANY\nPAYOLA DIRECTIVES\nRULE NO_DONATIONS\nEND DIRECTIVES\nVICTORY 2\n"
    assert (read(START + more).builds, read(START + more).victory) == (Builds.ANYWHERE, 2)
    assert read(f"{START}{more}RULE !BUILD_ANY\n").builds is Builds.HOME


def test_powers_may_be_taken_off_and_their_homes_become_neutral() -> None:
    with_third = START + "EAST (EASTERN) DDD\nF DDD\n"
    board = read(f"{with_third}UNPLAYED ALL EXCEPT NORTH, EAST\n")
    assert [power.name for power in board.powers] == ["EAST", "NORTH"]
    gamma = board.find("CCC")
    assert gamma is not None
    assert (gamma.centre, gamma.home, gamma.owner) == (True, None, None)
    assert Position.start(board).units == {"EAST": ["F DDD"], "NORTH": ["A AAA", "F BBB/EC"]}


def test_owners_may_differ_from_homes() -> None:
    board = read(f"{START}NORTH\nOWNS AAA DDD\nSOUTH\nHOMES CCC DDD\n")
    position = Position.start(board)
    assert position.centers == {"NORTH": ["AAA", "DDD"], "SOUTH": ["CCC"]}
    assert position.homes == {"NORTH": ["AAA", "BBB"], "SOUTH": ["CCC", "DDD"]}


def test_a_calendar_of_one_phase_of_moves_per_step_is_played() -> None:
    flow = "BEGIN A.D. 1425 MOVEMENT\nFLOW NEWYEAR:5\nFLOW A.D.:MOVEMENT,RETREATS\nFLOW IFYEARDIV:10 A.D.:ADJUSTMENTS\n"
    board = read(START + flow)
    assert (board.calendar, board.year, board.season) == (Calendar(10, 5, ("A.D.", "A.D.", "A.D.")), 1425, 0)
    assert (read(START + flow.replace("1425", "1430")).year, read(START + flow.replace("1425", "1430")).season) == (
        1425,
        2,
    )


@pytest.mark.parametrize(("begin", "season"), [("FALL 1800 MOVEMENT", 2), ("SPRING 0001 MOVEMENT", 0)])
def test_the_first_phase_is_read(begin: str, season: int) -> None:
    assert read(f"{START}BEGIN {begin}\n").season == season


def test_other_files_are_included_from_the_same_folder_and_once() -> None:
    assert read("USE base\nVICTORY 2\n", {"base.map": START}).victory == 2
    assert "small.map:2: USE: base.map is read twice" in refused("USE base\nMAP base.map\n", {"base.map": START})
    assert "expected the name of a file in the same folder" in refused("USE ../base\n")
    assert "base.map:1: unknown statement" in refused("USE base\n", {"base.map": "GIBBERISH\n"})
    many = {f"f{number}.map": f"USE f{number + 1}\n" for number in range(MAX_FILES + 2)}
    assert f"more than {MAX_FILES} files" in refused("USE f0\n", many)


def test_a_file_that_is_read_from_text_alone_includes_nothing() -> None:
    with pytest.raises(MapError, match=r"base\.map cannot be read from here"):
        DotMapReader("USE base\n", "x", "x").draft()


BAD = [
    ("FLOW SPRING:MOVEMENT", "FLOW: the calendar 'SPRING:MOVEMENT' is not supported"),
    ("SEQ FOO", "small.map:27: unknown statement 'SEQ'"),
    ("BALKAN", "small.map:27: unknown statement 'BALKAN'; a power is declared as NAME (ADJECTIVE) CENTRE..."),
    ("BEGIN SPRING MOVEMENT", "small.map:27: BEGIN: expected SEASON YEAR TYPE"),
    ("BEGIN SUMMER 1901 MOVEMENT", "BEGIN: SUMMER MOVEMENT: expected moves of spring or fall"),
    ("BEGIN SPRING 0 MOVEMENT", "expected a year from 1 to 9999, got 0"),
    ("RULE MOBILIZE", "small.map:27: RULE: MOBILIZE is not supported"),
    ("VICTORY 3 4 5", "small.map:27: VICTORY: a number that changes by year is not supported"),
    ("NEWHOMES 1910", "NEWHOMES: homes that change in play: not supported"),
    ("IN SPRING: DROP AAA", "IN: borders by season: not supported"),
    ("Gamma Two = ccc", "small.map:27: CCC already means Gamma (line 13)"),
    ("Beta = zzz\nLAND ZZZ ABUTS AAA", "small.map:27: BETA already means Beta (line 10)"),
    ("Zeta = zzz first\nLAND ZZZ ABUTS AAA", "small.map:27: FIRST already means Alpha (line 9)"),
    ("Zeta = zzz", "ZZZ has a name, but no borders"),
    ("LAND ZZZ ABUTS AAA", "small.map:27: ZZZ has borders, but no name"),
    ("Eps = 1st", "expected a tag of a letter and two letters or digits, got '1st'"),
    ("COAST DDD ABUTS WWW XXX ccc*", "DDD: 'ccc*': weak borders are not supported"),
    ("COAST DDD ABUTS WWW R:XXX ccc", "DDD: 'R:XXX': borders by power or owner are not supported"),
    ("COAST DDD ABUTS WWW(CCC)", "borders by power or owner are not supported"),
    ("COAST DDD ABUTS WWW QQQ", "small.map:27: DDD: unknown neighbour QQQ"),
    ("COAST DDD ABUTS WWW XXX/NC ccc", "small.map:27: DDD: XXX has no shore NC"),
    ("WATER WWW ABUTS BBB CCC DDD XXX", "small.map:27: WWW: BBB is split: expected one of its shores"),
    ("COAST DDD ABUTS WWW ccc", "fleet: asymmetric border: XXX lists DDD, but DDD does not list XXX"),
    ("AMEND QQQ ABUTS AAA", "small.map:27: AMEND: unknown place QQQ"),
    ("AMEND QQQ", "AMEND: expected TAG ABUTS and neighbours"),
    ("DROP QQQ", "DROP: unknown place 'QQQ'"),
    ("QQQ -> New = new", "->: unknown place 'QQQ'"),
    ("SOUTH CCC+", "SOUTH: 'CCC+': expected the tag of a home; marked sites are not supported"),
    ("UNOWNED QQQ", "unknown centre QQQ"),
    ("UNPLAYED WEST", "small.map:27: unknown power 'WEST'"),
    ("A WWW", "A: expected after a power"),
    ("SOUTH\nA WWW", "small.map:28: start: an army cannot stand in WWW"),
    ("SOUTH\nF QQQ", "small.map:28: SOUTH: F QQQ: unknown place"),
    ("SOUTH\nF BBB", "small.map:28: start: a fleet cannot stand in BBB"),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=[line for line, _ in BAD])
def test_what_is_wrong_is_one_line_with_the_place(line: str, reason: str) -> None:
    extra = "UNOWNED\n" if line == "A WWW" else ""
    told = refused(f"{START}{extra}{line}\n")
    assert re.search(re.escape(reason), told), told
    assert "\n" not in told


def test_a_file_of_a_stranger_is_bounded() -> None:
    assert "larger than" in refused("#" * 300_000)
    assert "more than 4096 lines" in refused("\n" * 5000)
    spellings = " ".join(f"s{number}" for number in range(100))
    assert "more than 64 spellings" in refused(f"Alpha = aaa {spellings}\n")


def test_files_of_every_form_are_loaded(tmp_path: Path) -> None:
    foreign = tmp_path / "small.map"
    foreign.write_text(START, "utf-8")
    loaded = load_any(foreign)
    assert (loaded.form, loaded.map.name) == (Form.DOT_MAP, "small")
    own = tmp_path / "own.map"
    own.write_text(loaded.text, "utf-8")
    assert load_any(own).form is Form.OWN
    assert load_any(own).map == loaded.map
    assert load_any(BOARDS / "lagoon.map").map == named("lagoon")
    (tmp_path / "latin.map").write_bytes(b"\xe9")
    with pytest.raises(MapError, match="not UTF-8"):
        load_any(tmp_path / "latin.map")
    with pytest.raises(MapError, match="cannot be read"):
        load_any(tmp_path / "none.map")


def test_a_port_is_read_as_a_coast_if_that_is_wished(tmp_path: Path) -> None:
    path = tmp_path / "port.map"
    path.write_text(START.replace("COAST DDD", "PORT DDD"), "utf-8")
    port = load_any(path)
    assert [place.tag for place in port.map.provinces if place.port] == ["DDD"]
    assert read_map(port.text) == port.map
    assert load_any(path, plain_ports=True).notes == ("line 23: the port DDD is read as a coast",)


def test_tags_of_powers_are_made_up_of_their_names() -> None:
    taken: list[str] = []
    for name in ("OZ", "OZARK", "OZONE", "ROME"):
        taken.append(power_tag(name, [*taken, "ROM"]))
    assert taken == ["OZX", "OZA", "OZO", "ROE"]
    assert (map_name("Standard_France"), map_name("_x y"), map_name("§")) == ("standard_france", "x-y", "map")
