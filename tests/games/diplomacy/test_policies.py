"""Rules that a map file sets: where units are built, homes and owners, the first phase, years, idle powers, one way."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from parlour.core.game import Seat
from parlour.errors import MapError
from parlour.games.diplomacy.game import GAME, in_time
from parlour.games.diplomacy.maps.map import BOARDS, Builds, Map, read_map
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table
from parlour.games.diplomacy.position import Position

LAGOON = (BOARDS / "lagoon.map").read_text("utf-8")


def lagoon(*changes: tuple[str, str], more: str = "") -> Map:
    """Return the lagoon with some lines replaced and others added."""
    text = LAGOON
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_map(text + more)


def in_winter(board: Map, units: str, centres: str) -> Position:
    return Position.read(f"lagoon W1701A {units} {centres}", board)


UNITS, CENTRES = "AMB=AASH;BRO=ABUX", "AMB=ALD,MID,COV,ISL;BRO=BUX"


@pytest.mark.parametrize(
    ("mode", "sites"),
    [
        ("home", ["ALD"]),
        ("homes", ["ALD", "COV"]),
        ("anywhere", ["ALD", "COV", "ISL", "MID"]),
        ("rooted", ["ALD", "COV", "ISL", "MID"]),
    ],
)
def test_units_are_built_where_the_map_says(mode: str, sites: list[str]) -> None:
    position = in_winter(lagoon(more=f"builds {mode}\n"), UNITS, CENTRES)
    assert position.build_sites["AMBER"] == sites
    assert position.builds["AMBER"] == min(3, len(sites))
    assert {order.split()[1] for order in position.legal(Seat("AMBER")) if order.endswith(" B")} == set(sites)
    built = position.resolve({"AMBER": [f"A {sites[-1]} B"]})
    assert f"A {sites[-1]}" in built.units["AMBER"]


def test_a_rooted_power_without_a_home_builds_nothing() -> None:
    board = lagoon(more="builds rooted\n")
    position = in_winter(board, "AMB=AASH;BRO=ABUX", "AMB=MID,COV,ISL;BRO=BUX,BRY")
    assert (position.builds["AMBER"], position.builds["BRONZE"]) == (0, 1)
    assert position.legal(Seat("AMBER")) == []
    entry = position.understand(Seat("AMBER"), ["A MID B"])[0]
    assert entry.action is None
    refused = position.resolve({"AMBER": ["A MID B"], "BRONZE": ["A BRY B"]})
    assert refused.units["AMBER"] == ["A ASH"]
    assert refused.units["BRONZE"] == ["A BRY", "A BUX"]
    assert board.build_mode is Builds.ROOTED


def test_a_site_is_no_home_but_units_are_built_there() -> None:
    board = lagoon(more="site AMBER MID\n")
    position = in_winter(board, UNITS, CENTRES)
    assert position.build_sites["AMBER"] == ["ALD", "MID"]
    assert position.homes["AMBER"] == ["ALD", "APE", "ASH"]


def test_homes_may_be_unowned_owned_by_others_and_shared() -> None:
    board = lagoon(
        ("home AMBER  ALD APE ASH", "home AMBER ALD APE\nhomeland AMBER ASH COV\nowns BRONZE ASH"),
        ("home COBALT COV CLE CRA", "homeland COBALT COV\nhome COBALT CLE CRA"),
    )
    position = Position.start(board)
    assert position.homes["AMBER"] == ["ALD", "APE", "ASH", "COV"]
    assert position.homes["COBALT"] == ["CLE", "COV", "CRA"]
    assert position.centers["AMBER"] == ["ALD", "APE"]
    assert position.centers["BRONZE"] == ["ASH", "BOW", "BRY", "BUX"]
    for owner, tag in (("AMB", "AMBER"), ("COB", "COBALT")):
        shared = in_winter(board, f"{owner}=AMID", f"{owner}=MID,COV")
        assert shared.build_sites[tag] == ["COV"]


@pytest.mark.parametrize(("season", "phase"), [("spring", "S1701M"), ("fall", "F1701M"), ("winter", "W1701A")])
def test_the_first_phase_is_the_map_s(season: str, phase: str) -> None:
    board = lagoon(("begin 1701", f"begin 1701 {season}"), ("start AMBER  A ASH\n", ""))
    position = Position.start(board)
    assert position.phase == phase
    if season == "winter":
        assert position.to_act() == ("AMBER",)
        assert position.legal(Seat("AMBER")) == ["A ASH B", "WAIVE"]


def test_a_first_winter_without_anything_to_do_is_refused() -> None:
    with pytest.raises(MapError, match="nobody has anything to build"):
        lagoon(("begin 1701", "begin 1701 winter"))


def test_years_go_by_steps() -> None:
    board = lagoon(more="years 10 5\nseasons Seed Reap Frost\n")
    position = Position.start(board)
    assert position.phase_name == "Seed 1701, movement"
    position = position.resolve({})
    assert (position.phase, position.phase_name) == ("F1701M", "Reap 1706, movement")
    position = position.resolve({})
    assert position.phase == "S1711M"
    last = Position.start(board, last_year=1711).resolve({}).resolve({}).resolve({}).resolve({})
    assert last.over


def test_matches_end_after_years_of_the_map() -> None:
    assert in_time({"map": "hundred"})["last_year"] == 1425 + 9 * 10
    position = GAME.start({"map": "hundred", "years": 3}, GAME.seats({"map": "hundred"}), 0)
    assert position.last_year == 1445


def test_a_power_that_nobody_plays_holds_and_leaves_when_dislodged() -> None:
    board = lagoon(more="unplayed COBALT\n")
    position = Position.start(board)
    assert [power.name for power in board.players] == ["AMBER", "BRONZE"]
    assert "COBALT" not in position.to_act()
    assert Position.read(position.fen, board) == position
    assert "removed" not in position.fen
    attacked = Position.read("lagoon S1701M AMB=AHEA,AMID,ABOW;BRO=ABRY;COB=ACRA COB=CRA;AMB=ALD;BRO=BRY", board)
    following, _ = attacked.apply({Seat("AMBER"): ["A HEA - CRA", "A MID S A HEA - CRA"], Seat("BRONZE"): []})
    assert following.units["COBALT"] == []
    assert following.phase == "F1701M"
    assert following.units["AMBER"] == ["A BOW", "A CRA", "A MID"]


def test_a_border_may_lead_one_way() -> None:
    board = lagoon(more="oneway army ISL MID\noneway fleet GUL COV\n")
    position = Position.read("lagoon S1701M AMB=AISL,FGUL;BRO=AMID,FCOV;COB=ACRA AMB=ALD", board)
    amber, bronze = position.legal(Seat("AMBER")), position.legal(Seat("BRONZE"))
    assert "A ISL - MID" in amber
    assert "F GUL - COV" in amber
    assert not {"A MID - ISL", "F COV - GUL"} & set(bronze)
    # A support follows where the supporter could go, and it needs the way of the supported unit.
    assert "A ISL S A CRA - MID" in amber
    assert "A CRA S A ISL - MID" in position.legal(Seat("COBALT"))
    moved = position.resolve({"AMBER": ["F GUL - COV", "A ISL - MID"], "BRONZE": ["A MID - BUX", "F COV - WST"]})
    assert moved.units["AMBER"] == ["F COV", "A MID"]


def test_convoys_pass_only_where_fleets_pass_both_ways() -> None:
    def convoys(board: Map) -> set[int]:
        return {low for low in action_table(board).low.tolist() if low & 255 == OrderKind.CONVOY}

    assert convoys(lagoon(more="oneway fleet WST GUL\n")) == convoys(lagoon())


PORTS = ("ALD", "APE", "BOW", "BRY", "ISL")
"""Coasts of the lagoon that touch one another, so that chains lead through several ports."""


def with_ports() -> Map:
    return lagoon(*((f"coast {tag} ", f"port {tag} ") for tag in PORTS))


def test_fleets_convoy_in_ports_as_at_sea() -> None:
    position = Position.read("lagoon S1701M AMB=AALD,FAPE,FLAG;BRO=FBOW,ABRY AMB=ALD;BRO=BRY", with_ports())
    amber = position.legal(Seat("AMBER"))
    assert {"A ALD - CLE VIA", "F APE C A ALD - CLE", "F APE C A BRY - NEK"} <= set(amber)
    # Each end of a chain may be a port, but none carries an army to itself.
    assert "F BOW C A BRY - CLE" in position.legal(Seat("BRONZE"))
    assert "A ALD - BOW VIA" in amber
    assert not [order for order in position.legal(Seat("BRONZE")) if order.startswith("F BOW C") and "- BOW" in order]
    orders = {"AMBER": ["A ALD - CLE VIA", "F APE C A ALD - CLE", "F LAG C A ALD - CLE"]}
    assert "A CLE" in position.resolve(orders).units["AMBER"]
    plain = Position.read(position.fen, lagoon())
    assert plain.legal(Seat("AMBER")) != amber
    assert "A ALD" in plain.resolve(orders).units["AMBER"]


def test_an_army_in_a_port_carries_nobody() -> None:
    position = Position.read("lagoon S1701M AMB=AALD,AAPE,FLAG;BRO=ABRY AMB=ALD;BRO=BRY", with_ports())
    amber = position.legal(Seat("AMBER"))
    assert not [order for order in amber if " C A ALD" in order or (order.startswith("A ALD -") and "VIA" in order)]
    assert "A APE - CLE VIA" in amber
    entry = position.understand(Seat("AMBER"), ["A APE C A ALD - CLE"])[0]
    assert entry.action is None


def test_a_convoy_through_a_port_is_disrupted_like_any_other() -> None:
    position = Position.read("lagoon S1701M AMB=AALD,FAPE,FLAG;BRO=FNOR,ANEK AMB=ALD;BRO=BRY", with_ports())
    orders = ["A ALD - CLE VIA", "F APE C A ALD - CLE", "F LAG C A ALD - CLE"]
    after = position.resolve({"AMBER": orders, "BRONZE": ["A NEK - APE", "F NOR S A NEK - APE"]})
    assert "A ALD" in after.units["AMBER"]
    assert after.units["BRONZE"] == ["A APE", "F NOR"]


def paths(board: Map, fleets: set[int], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """Yield every simple chain of fleets between two shores, by trying them all."""
    near: dict[int, set[int]] = {province.id: set() for province in board.provinces}
    for here, others in enumerate(board.fleet):
        near[board.areas[here].province].update(board.areas[there].province for there in others)
    chains: list[tuple[int, ...]] = [(fleet,) for fleet in fleets if fleet in near[start]]
    while chains:
        chain = chains.pop()
        if end in near[chain[-1]]:
            yield chain
        chains += [(*chain, other) for other in near[chain[-1]] & fleets if other not in chain]


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 12))])
def test_convoys_of_a_map_with_ports_are_those_that_one_finds_by_trying(seed: int) -> None:
    board, chance = with_ports(), random.Random(seed)
    tags = [province.tag for province in board.provinces]
    for _ in range(8):
        units = {
            province.id: province.kind == "sea" or (province.kind == "coast" and chance.random() < 0.7)
            for province in board.provinces
            if not province.coasts and chance.random() < 0.6
        }
        written = ",".join(("F" if fleet else "A") + tags[at] for at, fleet in units.items())
        position = Position.read(f"lagoon S1701M AMB={written} AMB=ALD;BRO=BRY", board)
        legal = set(position.legal(Seat("AMBER")))
        carriers = {at for at, fleet in units.items() if fleet and board.provinces[at].convoys}
        shores = [province.id for province in board.provinces if province.kind == "coast"]
        moves, convoys = set[str](), set[str]()
        for start in (at for at, fleet in units.items() if not fleet and at in shores):
            for end in shores:
                for chain in paths(board, carriers - {start, end}, start, end) if start != end else ():
                    moves.add(f"A {tags[start]} - {tags[end]} VIA")
                    convoys.update(f"F {tags[at]} C A {tags[start]} - {tags[end]}" for at in chain)
        assert {order for order in legal if order.endswith(" VIA")} == moves
        assert {order for order in legal if " C " in order} == convoys
        for order in sorted(moves | convoys):
            assert position.understand(Seat("AMBER"), [order])[0].action is not None, order
        for at in carriers:
            for start, end in ((start, end) for start in shores for end in shores):
                order = f"F {tags[at]} C A {tags[start]} - {tags[end]}"
                assert (position.understand(Seat("AMBER"), [order])[0].action is not None) == (order in convoys), order


def test_civil_disorder_counts_the_way_home_not_the_way_from_there() -> None:
    # From the Isle an army walks straight home to Ashfold; from Midmoor it is farther, though Ashfold leads there.
    board = lagoon(more="oneway army ISL ASH\noneway army ASH MID\n")
    position = in_winter(board, "AMB=AISL,AMID;BRO=ABUX", "AMB=ALD;BRO=BUX")
    assert position.resolve({}).units["AMBER"] == ["A ISL"]


BROKEN = [
    ("begin 1701 summer", "begin: expected YEAR and one of spring, fall, winter"),
    ("begin 1701\nyears 5 5", "years: expected fewer than 5"),
    ("begin 1701\nyears 5 4 3", "years: expected STEP and LATER"),
    ("begin 1701\nseasons One Two", "seasons: expected three names"),
    ("begin 1701\nbuilds nowhere", "builds: expected one value like home|homes|anywhere|rooted"),
    ("begin 1701\ngeography nowhere", "geography: expected one of standard"),
]


@pytest.mark.parametrize(("line", "reason"), BROKEN)
def test_a_bad_statement_is_refused_with_its_line(line: str, reason: str) -> None:
    with pytest.raises(MapError, match=rf"map:\d+: {re.escape(reason)}"):
        lagoon(("begin 1701", line))


LATE = [
    ("site AMBER HEA", "site: HEA is not a supply centre"),
    ("site AMBER ALD", "site: AMBER may build in ALD anyway"),
    ("owns AMBER BRY", "BRY is owned twice, already by BRONZE"),
    ("homeland AMBER ALD", "ALD is a home of AMBER twice"),
    ("unplayed COBALT COBALT", "unplayed: COBALT is given twice"),
    ("unplayed COBALT BRONZE", "fewer than 2 powers"),
    ("port NEK/WC/EC The Other Neck", "port: expected one shore, got 'NEK/WC/EC'"),
    ("oneway army MID", "oneway: expected army or fleet"),
    ("oneway army MID GUL", "oneway: an army cannot stand in GUL"),
    ("oneway army MID BOW", "border both ways and one way"),
    ("oneway fleet GUL GUL", "oneway: GUL cannot border itself"),
    ("geography standard", "geography: expected before any province"),
]


@pytest.mark.parametrize(("line", "reason"), LATE)
def test_a_bad_statement_at_the_end_is_refused(line: str, reason: str) -> None:
    with pytest.raises(MapError, match=re.escape(reason)):
        lagoon(more=f"{line}\n")


def test_a_power_and_a_province_have_different_tags() -> None:
    with pytest.raises(MapError, match="AMBER: the tag ALD is that of the province ALD in DAIDE"):
        lagoon(("power AMBER  AMB Amber", "power AMBER ALD Amber"))


def test_a_map_with_the_geography_of_another_has_none_of_its_own() -> None:
    text = (BOARDS / "france-austria.map").read_text("utf-8")
    with pytest.raises(MapError, match="land: the geography is that of standard"):
        read_map(f"{text}land XXX Nowhere\n")
    with pytest.raises(MapError, match="germany-italy has the geography of another map"):
        read_map(text.replace("geography standard", "geography germany-italy"))
