"""Every statement of the foreign formats: read, skipped with a note, or refused with its line and the policy's name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parlour.errors import MapError
from parlour.games.diplomacy.imports.dotmap import DotMapReader
from parlour.games.diplomacy.imports.draft import MapDraft
from parlour.games.diplomacy.imports.files import load_any
from parlour.games.diplomacy.maps.map import Builds, Map
from parlour.games.diplomacy.position import Position

BASE = """\
# Three realms on one sea, in the fuller dialect.
BEGIN SPRING 1650 MOVEMENT
Ash = ash
Birch = bir
Cedar = ced
Dogwood = dog
Elm = elm old+elm grove?
Fir (north coast) = fir/nc
Fir (south coast) = fir/sc
Fir = fir
Gulf = gul
Haff = haf
Ice = ice
LAND ASH ABUTS BIR CED ICE
COAST BIR ABUTS ASH GUL FIR/NC
COAST CED ABUTS ASH GUL dog
COAST DOG ABUTS ced GUL HAF ELM
COAST ELM ABUTS DOG HAF
COAST FIR/NC ABUTS GUL BIR
COAST FIR/SC ABUTS HAF
COAST fir ABUTS BIR GUL HAF
WATER GUL ABUTS BIR CED DOG FIR/NC HAF
WATER HAF ABUTS DOG ELM FIR/SC GUL
SHUT ICE ABUTS ASH
ASHEN (ASHEN:A) ASH BIR
A ASH
F BIR
CEDAR+LAND (CEDRIC:C) CED
A CED
ELMS (ELMISH) ELM
F ELM
UNOWNED DOG FIR
"""
LINES = BASE.count("\n")


def draft(text: str, **options: bool) -> MapDraft:
    return DotMapReader(text, "trees.map", "trees", {"more.map": "VICTORY 4\n"}.__getitem__, **options).draft()


def board(text: str) -> Map:
    return draft(text).map()


def one(text: str) -> Position:
    return Position.start(board(text))


READ = [
    ("BEGIN FALL 1650 MOVEMENT", lambda m: m.season == 2),
    ("ELMS\nUNITS\nBEGIN WINTER 1650 ADJUSTMENTS", lambda m: m.season == 4),
    ("MAP more", lambda m: m.victory == 4),
    ("USE more.map", lambda m: m.victory == 4),
    ("USES more", lambda m: m.victory == 4),
    ("VICTORY 3", lambda m: m.victory == 3),
    ("RULE BUILD_ANY", lambda m: m.builds is Builds.ANYWHERE),
    ("RULES REMOTE_BUILDS CD_DUMMIES FTF_PRESS", lambda m: m.builds is Builds.ROOTED),
    ("RULE HOME_BUILDS IMMOBILE_DUMMIES", lambda m: m.builds is Builds.HOMES),
    ("RULE BUILD_ANY\nRULE !BUILD_ANY", lambda m: m.builds is Builds.HOME),
    ("AMEND BIR ABUTS -ASH\nAMEND ASH ABUTS -BIR", lambda m: m.army[m.find("ASH").area] == (m.find("CED").area,)),
    ("AMEND ASH ABUTS DOG\nAMEND DOG ABUTS ash", lambda m: m.find("DOG").area in m.army[m.find("ASH").area]),
    ("PORT ELM ABUTS DOG HAF", lambda m: [p.tag for p in m.provinces if p.port] == ["ELM"]),
    ("DROP FIR", lambda m: m.find("FIR") is None),
    ("ASH -> Aspen = asp", lambda m: m.find("ASP") is not None and m.find("ASH") is None),
    ("NEUTRAL ICE\nDROP ICE", lambda m: m.find("ICE") is None),
    ("UNOWNED CED -DOG", lambda m: not m.find("DOG").centre),
    ("ELMS\nOWNS DOG", lambda m: [m.provinces[p].tag for p in m.find_power("ELMS").owned] == ["DOG"]),
    ("ELMS\nCENTERS FIR", lambda m: [m.provinces[p].tag for p in m.find_power("ELMS").owned] == ["FIR"]),
    ("ELMS\nINHABITS DOG", lambda m: {m.provinces[p].tag for p in m.find_power("ELMS").homes} == {"DOG", "ELM"}),
    ("ELMS\nHOME DOG", lambda m: [m.provinces[p].tag for p in m.find_power("ELMS").homes] == ["DOG"]),
    ("ELMS\nHOMES DOG FIR", lambda m: len(m.find_power("ELMS").homes) == 2),
    ("ASHEN -BIR", lambda m: m.find("BIR").home is None and m.find("BIR").centre),
    ("ELMS\nUNITS\nA ELM", lambda m: not next(u for u in m.units if u.power == m.find_power("ELMS").id).fleet),
    ("ELMS\nF FIR/SC", lambda m: len(m.units) == 5),
    ("UNPLAYED ELMS", lambda m: len(m.powers) == 2),
    ("UNPLAYED ELMS, ELMS", lambda m: len(m.powers) == 2),
    ("UNPLAYED ALL EXCEPT ASHEN, ELMS", lambda m: len(m.powers) == 2),
    ("ELMS\nDUMMY", lambda m: not m.find_power("ELMS").played),
    ("DUMMIES ALL EXCEPT ASHEN ELMS", lambda m: not m.find_power("CEDARLAND").played),
    ("FLOW SPRING:MOVEMENT,RETREATS FALL:MOVEMENT,RETREATS WINTER:ADJUSTMENTS", lambda m: m.calendar.step == 1),
    (
        "BEGIN AGE 1650 MOVEMENT\nFLOW NEWYEAR:5 AGE:MOVEMENT,RETREATS IFYEARDIV:10 AGE:ADJUSTMENTS",
        lambda m: m.calendar.step == 10,
    ),
    ("PAYOLA DIRECTIVES\nRULE ANYTHING\nEND DIRECTIVES", lambda m: m.builds is Builds.HOME),
]


@pytest.mark.parametrize(("text", "holds"), READ, ids=[text for text, _ in READ])
def test_a_statement_changes_the_map(text: str, holds) -> None:  # type: ignore[no-untyped-def]
    assert holds(board(f"{BASE}{text}\n"))


def test_the_base_says_what_it_seems_to_say() -> None:
    position = one(BASE)
    assert position.units == {"ASHEN": ["A ASH", "F BIR"], "CEDARLAND": ["A CED"], "ELMS": ["F ELM"]}
    assert position.board.find("old elm") == position.board.find("ELM")
    assert (position.board.year, position.board.victory) == (1650, 4)


SKIPPED = ["FLAG x", "FLAGS x y", "NOTIFY a@b", "TEXTONLY", "ROTATE 2", "TEAM A B", "CONTROL ASHEN ELMS", "LEAGUE x"]
SKIPPED += ["MILITIA ASH", "RESERVES 4"]


@pytest.mark.parametrize("text", SKIPPED)
def test_statements_on_display_teams_and_money_are_skipped_with_a_note(text: str) -> None:
    found = draft(f"{BASE}{text}\n")
    assert found.notes == [f"line {LINES + 1}: {text.split()[0]} is skipped"]
    assert found.map() == board(BASE)


REFUSED = [
    ("FLOW SPRING:MOVEMENT,RETREATS", 1, "FLOW: the calendar"),
    ("FLOW NEWYEAR:-1\nFLOW SUMMER:MOVEMENT,RETREATS", 1, "FLOW: the calendar"),
    ("FLOW NEWYEAR:5 AGE:MOVEMENT,RETREATS IFYEARDIV:15 AGE:ADJUSTMENTS", 1, "FLOW: the calendar"),
    ("FLOWSIGN -1", 1, "FLOWSIGN: a calendar of its own"),
    ("NEWHOMES 1660", 1, "NEWHOMES: homes that change in play"),
    ("FROM SPRING 1660: DROP ASH", 1, "FROM: borders that change in play"),
    ("IN FALL: AMEND ASH ABUTS -BIR", 1, "IN: borders by season"),
    ("COAST ELM ABUTS A:DOG HAF", 1, "ELM: 'A:DOG': borders by power or owner"),
    ("COAST ELM ABUTS DOG(ASH) HAF", 1, "ELM: 'DOG(ASH)': borders by power or owner"),
    ("COAST ELM ABUTS DOG* HAF", 1, "ELM: 'DOG*': weak borders"),
    ("COAST ELM ABUTS DOG~ HAF", 1, "ELM: 'DOG~': weak borders"),
    ("ELMS DOG*", 1, "ELMS: 'DOG*': expected the tag of a home; marked sites"),
    ("ELMS &DOG", 1, "ELMS: '&DOG': expected the tag of a home; marked sites"),
    ("RULE MOBILIZE", 1, "RULE: MOBILIZE is not supported"),
    ("RULE HIBERNATE", 1, "RULE: HIBERNATE is not supported"),
    ("RULE CD_BUILDS", 1, "RULE: CD_BUILDS is not supported"),
    ("VICTORY 4 5", 1, "VICTORY: a number that changes by year"),
    ("PORT FIR/NC ABUTS GUL BIR\nPORT FIR/SC ABUTS HAF\nPORT fir ABUTS BIR GUL HAF", 3, "port: expected one shore"),
    ("COAST FIR/WC ABUTS HAF", 21, "FIR: a coast is split into two shores, like BUL/EC/SC, or not at all"),
    ("BEGIN SPRING 0 MOVEMENT", 1, "expected a year from 1 to 9999, got 0"),
    ("SEQ SPRING", 1, "unknown statement 'SEQ'"),
    ("ROOT pines", 1, "unknown statement 'ROOT'"),
    ("ATLANTIS", 1, "unknown statement 'ATLANTIS'"),
]


@pytest.mark.parametrize(("text", "line", "reason"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_a_statement_that_is_not_played_is_refused_with_its_line_and_name(text: str, line: int, reason: str) -> None:
    with pytest.raises(MapError) as caught:
        board(f"{BASE}{text}\n")
    told = str(caught.value)
    assert reason in told
    wanted = line if line == 21 else LINES + line
    assert told.startswith(f"trees.map:{wanted}: "), told


def wide(count: int, powers: int = 2, seas: int = 0) -> str:
    """Return a map of a chain of provinces, the last of which are seas, with a home for each power."""
    tags = [f"{chr(65 + n // 100)}{n % 100:02}" for n in range(count)]
    kinds = ["LAND" if n < count - seas else "WATER" for n in range(count)]
    lines = [f"Place {tag} = {tag}" for tag in tags]
    for n, (tag, kind) in enumerate(zip(tags, kinds, strict=True)):
        near = [tags[other] for other in (n - 1, n + 1) if 0 <= other < count and kinds[other] == kind]
        lines.append(f"{kind} {tag} ABUTS {' '.join(near)}")
    for power in range(powers):
        name = "".join(chr(65 + int(digit)) for digit in f"{power:02}")
        lines += [f"P{name} (P{name}X) {tags[power]}", f"A {tags[power]}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (wide(97), "more than 96 provinces"),
        (wide(80, seas=65), "more than 64 seas"),
        (wide(40, powers=16), "more than 15 powers"),
    ],
    ids=["provinces", "seas", "powers"],
)
def test_a_map_beyond_a_limit_is_refused_by_the_name_of_the_limit(text: str, reason: str) -> None:
    with pytest.raises(MapError, match=reason):
        board(text)


# jDip

VARIANTS = """\
<VARIANTS>
<VARIANT name="Grove" version="1.0">
<MAP adjacencyURI="grove_adjacency.xml"/>
<RULEOPTIONS>
<RULEOPTION name="OPTION_BUILDS" value="VALUE_BUILDS_HOME_ONLY"/>
</RULEOPTIONS>
<POWER name="Ashen" active="true" adjective="Ashen"/>
<POWER name="Elms" active="true" adjective="Elmish"/>
<POWER name="Firs" active="true" adjective="Firry"/>
<STARTINGTIME turn="Spring, 1650, Movement"/>
<VICTORYCONDITIONS><WINNING_SUPPLY_CENTERS value="2"/></VICTORYCONDITIONS>
<SUPPLYCENTER province="ash" homepower="ashen" owner="ashen"/>
<SUPPLYCENTER province="elm" homepower="elms" owner="elms"/>
<INITIALSTATE province="ash" power="ashen" unit="army"/>
<INITIALSTATE province="elm" power="elms" unit="fleet" unitcoast="nc"/>
</VARIANT>
</VARIANTS>
"""
GROVE = """\
<PROVINCES>
<PROVINCE shortname="ash" fullname="Ash"><ADJACENCY type="mv" refs="elm"/><ADJACENCY type="xc" refs="gul"/></PROVINCE>
<PROVINCE shortname="elm" fullname="Elm"><ADJACENCY type="mv" refs="ash"/>
<ADJACENCY type="nc" refs="gul"/>
<ADJACENCY type="sc" refs="haf"/></PROVINCE>
<PROVINCE shortname="gul" fullname="Gulf"><ADJACENCY type="xc" refs="ash elm-nc haf"/></PROVINCE>
<PROVINCE shortname="haf" fullname="Haff"><ADJACENCY type="xc" refs="gul elm-sc"/></PROVINCE>
</PROVINCES>
"""


def grove(folder: Path, change: tuple[str, str] = ("", ""), *, land: bool = False) -> tuple[Map, tuple[str, ...]]:
    old, new = change
    assert old in (GROVE if land else VARIANTS)
    variants = VARIANTS if land or not old else VARIANTS.replace(old, new, 1)
    (folder / "variants.xml").write_text(variants, "utf-8")
    (folder / "grove_adjacency.xml").write_text(GROVE.replace(old, new, 1) if land and old else GROVE, "utf-8")
    loaded = load_any(folder / "variants.xml")
    return loaded.map, loaded.notes


JDIP_READ = [
    ("VALUE_BUILDS_HOME_ONLY", "VALUE_BUILDS_ANY_OWNED", lambda m: m.builds is Builds.ANYWHERE),
    ("VALUE_BUILDS_HOME_ONLY", "VALUE_BUILDS_ANY_IF_HOME_OWNED", lambda m: m.builds is Builds.ROOTED),
    ('"Elms" active="true"', '"Elms" active="false"', lambda m: not m.find_power("ELMS").played),
    ("Spring, 1650, Movement", "Fall, 1650, Movement", lambda m: m.season == 2),
    (' owner="elms"', "", lambda m: m.find_power("ELMS").owned == ()),
    (' homepower="elms"', "", lambda m: m.find_power("ELMS").homes == ()),
    ('unitcoast="nc"', 'unitcoast="sc"', lambda m: m.areas[m.units[1].area].tag == "ELM/SC"),
]


@pytest.mark.parametrize(("old", "new", "holds"), JDIP_READ, ids=[new or old for old, new, _ in JDIP_READ])
def test_an_attribute_of_jdip_changes_the_map(tmp_path: Path, old: str, new: str, holds) -> None:  # type: ignore[no-untyped-def]
    assert holds(grove(tmp_path, (old, new))[0])


def test_a_coast_of_jdip_where_fleets_convoy_is_a_port(tmp_path: Path) -> None:
    change = ('fullname="Ash"', 'fullname="Ash" isConvoyableCoast="true"')
    assert [place.tag for place in grove(tmp_path, change, land=True)[0].provinces if place.port] == ["ASH"]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (
            "</RULEOPTIONS>",
            '<RULEOPTION name="OPTION_CONVOYED_MOVES" value="x"/></RULEOPTIONS>',
            "OPTION_CONVOYED_MOVES",
        ),
        (
            "</VICTORYCONDITIONS>",
            '<YEARS_WITHOUT_SC_CAPTURE value="7"/></VICTORYCONDITIONS>',
            "YEARS_WITHOUT_SC_CAPTURE",
        ),
        ("</VICTORYCONDITIONS>", '<GAME_LENGTH value="35"/></VICTORYCONDITIONS>', "GAME_LENGTH"),
    ],
)
def test_an_option_of_jdip_that_does_not_matter_is_noted(tmp_path: Path, old: str, new: str, name: str) -> None:
    _, notes = grove(tmp_path, (old, new))
    assert len(notes) == 1
    assert re.fullmatch(rf"line \d+: {name} is skipped", notes[0])


JDIP_REFUSED = [
    (False, "VALUE_BUILDS_HOME_ONLY", "VALUE_BUILDS_SAVED", "variants.xml:5: OPTION_BUILDS: 'VALUE_BUILDS_SAVED'"),
    (False, "OPTION_BUILDS", "OPTION_TRANSFORM", "variants.xml:5: RULEOPTION: 'OPTION_TRANSFORM' is not supported"),
    (False, '"OPTION_BUILDS" value="VALUE_BUILDS_HOME_ONLY"', '"OPTION_WINGS" value="VALUE_WINGS_ENABLED"', "wings"),
    (False, "Spring, 1650, Movement", "Spring, 50 BC, Movement", "variants.xml:10: STARTINGTIME"),
    (False, 'unit="army"', 'unit="wing"', "variants.xml:14: unit: expected army or fleet, got 'wing'"),
    (True, 'fullname="Elm"', 'fullname="Elm" isConvoyableCoast="true"', "port: expected one shore"),
    (True, 'fullname="Ash"', 'fullname="Ash" borders="river"', "adjacency.xml:2: ASH: borders with conditions"),
    (True, '<ADJACENCY type="sc" refs="haf"/>', '<ADJACENCY type="sc" refs="haf"/><ADJACENCY type="wc" refs="haf"/>',
     "ELM: a coast is split into two shores"),
]  # fmt: skip


def test_a_map_of_jdip_beyond_a_limit_is_refused_by_its_name_before_its_long_names(tmp_path: Path) -> None:
    many = "".join(f'<POWER name="{number}-Nowhere"/>' for number in range(13))
    with pytest.raises(MapError, match=r"variants.xml:\d+: more than 15 powers: the map has 16"):
        grove(tmp_path, ("<POWER", f"{many}<POWER"))
    wide = "".join(f'<PROVINCE shortname="ash{number}" fullname="Ash {number}"/>\n' for number in range(93))
    with pytest.raises(MapError, match=r"grove_adjacency.xml:\d+: more than 96 provinces: the map has 97"):
        grove(tmp_path, ("<PROVINCE ", f"{wide}<PROVINCE "), land=True)


@pytest.mark.parametrize(("land", "old", "new", "reason"), JDIP_REFUSED, ids=[new for _, _, new, _ in JDIP_REFUSED])
def test_a_policy_of_jdip_that_is_not_played_is_refused_by_name(
    tmp_path: Path, land: bool, old: str, new: str, reason: str
) -> None:
    with pytest.raises(MapError) as caught:
        grove(tmp_path, (old, new), land=land)
    assert reason in str(caught.value)
