"""Reading jDip's variants: adjacencies, powers, centres, units, rules; and XML that means harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.errors import MapError
from parlour.games.diplomacy.imports.files import Form, LoadedMap, load_any
from parlour.games.diplomacy.imports.xml_tree import MAX_DEPTH, MAX_NODES
from parlour.games.diplomacy.maps.map import MAX_FILE, Builds
from parlour.games.diplomacy.position import Position

VARIANTS = """\
<?xml version="1.0"?>
<!DOCTYPE VARIANTS [
<!ELEMENT VARIANTS (VARIANT+)>
<!ATTLIST POWER name CDATA #REQUIRED>
]>
<VARIANTS>
<VARIANT name="Two Isles" version="1.0">
<MAP adjacencyURI="isles_adjacency.xml"/>
<RULEOPTIONS><RULEOPTION name="OPTION_BUILDS" value="VALUE_BUILDS_ANY_IF_HOME_OWNED"/></RULEOPTIONS>
<POWER name="West" adjective="Western" altnames="Occident"/>
<POWER name="East" active="true" adjective="Eastern"/>
<POWER name="North" active="false" adjective="Northern"/>
<STARTINGTIME turn="Fall, 1900, Adjustment"/>
<VICTORYCONDITIONS><WINNING_SUPPLY_CENTERS value="3"/></VICTORYCONDITIONS>
<SUPPLYCENTER province="aaa" homepower="occident" owner="west"/>
<SUPPLYCENTER province="bbb" homepower="west"/>
<SUPPLYCENTER province="ccc" homepower="east" owner="east"/>
<SUPPLYCENTER province="ddd"/>
<INITIALSTATE province="ccc" power="east" unit="army"/>
<INITIALSTATE province="bbb" power="north" unit="fleet" unitcoast="sc"/>
</VARIANT>
</VARIANTS>
"""
ADJACENCY = """\
<PROVINCES>
<PROVINCE shortname="aaa" fullname="Alpha"><ADJACENCY type="mv" refs="bbb"/></PROVINCE>
<PROVINCE shortname="bbb" fullname="Beta"><UNIQUENAME name="second"/>
<ADJACENCY type="mv" refs="aaa"/><ADJACENCY type="nc" refs="www"/><ADJACENCY type="sc" refs="xxx"/></PROVINCE>
<PROVINCE shortname="ccc" fullname="Gamma"><ADJACENCY type="mv" refs="ddd"/>
<ADJACENCY type="xc" refs="www ddd"/></PROVINCE>
<PROVINCE shortname="ddd" fullname="Delta"><ADJACENCY type="mv" refs="ccc"/>
<ADJACENCY type="xc" refs="www ccc"/></PROVINCE>
<PROVINCE shortname="eee" fullname="Isle"><ADJACENCY type="mv" refs="eee"/>
<ADJACENCY type="xc" refs="www xxx"/></PROVINCE>
<PROVINCE shortname="www" fullname="Wide Water"><ADJACENCY type="xc" refs="second-nc ccc ddd eee xxx"/></PROVINCE>
<PROVINCE shortname="xxx" fullname="Far Water"><ADJACENCY type="xc" refs="bbb/sc www eee"/></PROVINCE>
<PROVINCE shortname="sss" fullname="Stone" isImpassable="true"><ADJACENCY type="mv" refs="aaa"/></PROVINCE>
</PROVINCES>
"""


def load(folder: Path, variants: str = VARIANTS, adjacency: str = ADJACENCY, variant: str | None = None) -> LoadedMap:
    (folder / "variants.xml").write_text(variants, "utf-8")
    (folder / "isles_adjacency.xml").write_text(adjacency, "utf-8")
    return load_any(folder / "variants.xml", variant=variant)


def test_a_variant_becomes_a_map(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    board = loaded.map
    assert (loaded.form, board.name, board.title) == (Form.JDIP, "two-isles", "Two Isles")
    assert (board.builds, board.victory, board.year) == (Builds.ROOTED, 3, 1900)
    assert [(power.name, power.played) for power in board.powers] == [("EAST", True), ("NORTH", False), ("WEST", True)]
    position = Position.start(board)
    assert position.phase == "W1900A"
    assert position.units == {"EAST": ["A CCC"], "NORTH": ["F BBB/SC"], "WEST": []}
    assert (position.centers["WEST"], position.homes["WEST"]) == (["AAA"], ["AAA", "BBB"])
    assert position.to_act() == ("WEST",)
    beta = board.find("second")
    assert beta is not None
    assert beta.coasts == ("NC", "SC")
    isle = board.find("EEE")
    assert isle is not None
    assert board.army[isle.area] == ()
    assert board.find("SSS") is None


def test_a_place_that_borders_only_on_itself_is_left_out(tmp_path: Path) -> None:
    alone = (
        '<PROVINCE shortname="swi" fullname="Alps"><UNIQUENAME name="alp"/><ADJACENCY type="mv" refs="swi"/></PROVINCE>'
    )
    more = ADJACENCY.replace("</PROVINCES>", f"{alone}\n</PROVINCES>")
    loaded = load(tmp_path, adjacency=more)
    assert loaded.map == load(tmp_path).map
    assert loaded.notes == ("line 14: SWI borders on nothing, and is left out",)
    with pytest.raises(MapError, match=r"isles_adjacency.xml:2: 'alp' borders on nothing but itself"):
        load(tmp_path, adjacency=more.replace('refs="bbb"', 'refs="bbb alp"'))


def test_a_neighbour_that_is_named_twice_is_one_neighbour(tmp_path: Path) -> None:
    more = ADJACENCY.replace('type="nc" refs="www"', 'type="nc" refs="www www"')
    assert load(tmp_path, adjacency=more).map == load(tmp_path).map


def test_one_variant_of_several_is_chosen(tmp_path: Path) -> None:
    second = VARIANTS.replace("</VARIANTS>", VARIANTS[VARIANTS.index("<VARIANT ") :]).replace(
        '<VARIANT name="Two Isles"', '<VARIANT name="Other"', 1
    )
    with pytest.raises(MapError, match="variant: expected one of Other, Two Isles"):
        load(tmp_path, second)
    assert load(tmp_path, second, variant="Other").map.title == "Other"
    with pytest.raises(MapError, match="got 'Third'"):
        load(tmp_path, second, variant="Third")


BAD_VARIANTS = [
    ("VALUE_BUILDS_ANY_IF_HOME_OWNED", "VALUE_BUILDS_NOWHERE", "variants.xml:9: OPTION_BUILDS: 'VALUE_BUILDS_NOWHERE'"),
    ('"OPTION_BUILDS" value="VALUE_BUILDS_ANY_IF_HOME_OWNED"', '"OPTION_WINGS" value="VALUE_WINGS_ENABLED"', "wings"),
    ("isles_adjacency.xml", "../isles_adjacency.xml", "adjacencyURI: expected the name of one file"),
    ("isles_adjacency.xml", "none.xml", "none.xml: cannot be read"),
    ("Fall, 1900, Adjustment", "Fall, 1900, Retreat", "STARTINGTIME: expected a turn like Spring"),
    ("Fall, 1900, Adjustment", "Spring, 100 BC, Movement", "STARTINGTIME: expected a turn like Spring"),
    ('homepower="east"', 'homepower="south"', "homepower: unknown power 'south'"),
    ('province="ddd"', 'province="qqq"', "unknown province 'qqq'"),
    ('unit="army"', 'unit="wing"', "unit: expected army or fleet, got 'wing'"),
    ('value="3"', 'value="x"', "WINNING_SUPPLY_CENTERS: expected a number"),
    ("<VARIANTS>", "<VARIANTS><", "not XML"),
    ("VARIANTS>", "OTHERS>", "expected a variants.xml of jDip, got <OTHERS>"),
]


@pytest.mark.parametrize(("old", "new", "reason"), BAD_VARIANTS)
def test_what_is_wrong_in_a_variant_is_said(tmp_path: Path, old: str, new: str, reason: str) -> None:
    text = VARIANTS.replace("<!ELEMENT VARIANTS (VARIANT+)>", "")
    assert old in text
    with pytest.raises(MapError) as caught:
        load(tmp_path, VARIANTS.replace(old, new))
    assert reason in str(caught.value).replace(f"{tmp_path}/", "")


BAD_ADJACENCY = [
    ('refs="bbb"', 'refs="qqq"', "isles_adjacency.xml:2: unknown province 'qqq'"),
    ('type="nc"', 'type="zc"', "unknown type of adjacency 'zc'"),
    ('shortname="aaa"', 'shortname="a"', "expected a tag of a letter and two letters or digits"),
    ('shortname="aaa"', 'shortname="ccc"', "CCC already means Alpha"),
    ('shortname="aaa"', 'borders="weak" shortname="aaa"', "AAA: borders with conditions are not supported"),
    ('refs="www ddd"', 'refs="ddd"', "asymmetric border"),
]


@pytest.mark.parametrize(("old", "new", "reason"), BAD_ADJACENCY)
def test_what_is_wrong_in_adjacencies_is_said(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in ADJACENCY
    with pytest.raises(MapError) as caught:
        load(tmp_path, adjacency=ADJACENCY.replace(old, new, 1))
    assert reason in str(caught.value)


def test_xml_that_means_harm_is_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><a>&y;</a>'
    outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    for text in (bomb, outside):
        with pytest.raises(MapError, match="entities are not read"):
            load(tmp_path, text)
    with pytest.raises(MapError, match=f"more than {MAX_NODES} elements"):
        load(tmp_path, f"<VARIANTS>{'<a/>' * (MAX_NODES + 1)}</VARIANTS>")
    with pytest.raises(MapError, match=f"within more than {MAX_DEPTH} others"):
        load(tmp_path, "<a>" * (MAX_DEPTH + 2))


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=f"variants.xml: larger than {MAX_FILE} bytes"):
        load(tmp_path, variants=VARIANTS + " " * MAX_FILE)
    with pytest.raises(MapError, match=f"isles_adjacency.xml: larger than {MAX_FILE} bytes"):
        load(tmp_path, adjacency=ADJACENCY + " " * MAX_FILE)


def test_a_variant_is_asked_for_only_where_there_are_some(tmp_path: Path) -> None:
    (tmp_path / "own.map").write_text("map x\n", "utf-8")
    with pytest.raises(MapError, match=r"only for a variants\.xml"):
        load_any(tmp_path / "own.map", variant="x")
