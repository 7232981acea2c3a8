"""Maps drawn as regions from their borders: what is drawn is what is played, and every word has its place."""

from __future__ import annotations

import math
from functools import cache

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from shapely.affinity import rotate
from shapely.geometry import LineString, MultiPolygon, Point, Polygon, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union
from shapely.strtree import STRtree

from parlour.games.diplomacy.draw import planar
from parlour.games.diplomacy.draw.cells import province_borders
from parlour.games.diplomacy.draw.geometry import geometry_of, read_geometry
from parlour.games.diplomacy.draw.planar import embedded
from parlour.games.diplomacy.draw.regions import drawn_regions
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.sheets import sheet_of
from parlour.games.diplomacy.draw.svg import pairs
from parlour.games.diplomacy.maps.map import BOARDS, SHIPPED, Ground, Map, named, read_map
from parlour.games.diplomacy.variations import Variation

MAPS = ("lagoon", "hundred", "ancmed", "milan", "pure", "standard")
"""Maps of every kind; standard as if it had no drawing."""
SHIPPED_DRAWINGS = tuple(f"{name} as shipped" for name in ("lagoon", "hundred", "ancmed", "pure"))
"""The drawings that ship, as tools/map/make_regions.py and make_pure.py wrote them."""
MOST_BRIDGES = {"hundred": 1, "ancmed": 3, "pure": 6, "pure as shipped": 14}
VISIBLE = 8.0
"""A border shorter than this is easily overlooked."""


@cache
def geometry(name: str) -> Geometry:
    plain = name.removesuffix(" as shipped")
    return drawn_regions(named(name)) if plain == name else geometry_of(named(plain))


def board_of(name: str) -> Map:
    return named(name.removesuffix(" as shipped"))


@cache
def shapes(name: str) -> dict[str, MultiPolygon]:
    return {
        tag: MultiPolygon([Polygon(pairs(rings[0]), [pairs(hole) for hole in rings[1:]]) for rings in polygons])
        for tag, polygons in geometry(name).outlines().items()
    }


def wanted(board: Map) -> set[tuple[str, str]]:
    tags = [province.tag for province in board.provinces]
    return {(min(tags[a], tags[b]), max(tags[a], tags[b])) for a, b in province_borders(board)}


@pytest.mark.parametrize("name", [*MAPS, *SHIPPED_DRAWINGS])
def test_each_border_is_drawn_and_none_is_invented(name: str) -> None:
    drawn = {pair for pair in geometry(name).borders if set(pair) <= set(geometry(name).provinces)}
    at = {shape.unit: tag for tag, shape in geometry(name).provinces.items()}
    bridged = {(min(at[b.start], at[b.end]), max(at[b.start], at[b.end])) for b in geometry(name).bridges}
    assert drawn | bridged == wanted(board_of(name))
    assert not drawn & bridged
    assert len(bridged) == MOST_BRIDGES.get(name, MOST_BRIDGES.get(board_of(name).name, 0))
    edges = geometry(name).borders
    assert {pair for pair in drawn if sum(math.dist(a, b) for a, b in edges[pair]) < VISIBLE} == set()


@pytest.mark.parametrize("name", [*MAPS, *SHIPPED_DRAWINGS[:-1]])
def test_a_bridge_leads_from_region_to_region_and_crosses_no_other_land(name: str) -> None:
    at = {shape.unit: tag for tag, shape in geometry(name).provinces.items()}
    for bridge in geometry(name).bridges:
        ends = (at[bridge.start], at[bridge.end])
        first, shore, *_, bank, last = bridge.line
        for tag, point, near in ((ends[0], first, shore), (ends[1], last, bank)):
            assert shapes(name)[tag].contains(Point(point)), ends
            assert name == "pure" or math.dist(point, near) < 23, ends
        third = [tag for tag, shape in geometry(name).provinces.items() if not shape.sea and tag not in ends]
        inland = {tag: LineString(bridge.line).intersection(shapes(name)[tag].buffer(-8)).length for tag in third}
        # So much of pure cannot be drawn without crossings that a drawing of its own ships.
        assert name == "pure" or max(inland.values()) == 0, (ends, max(inland, key=inland.__getitem__))


@pytest.mark.parametrize("name", [*MAPS, *SHIPPED_DRAWINGS])
def test_regions_fill_the_paper_without_gaps_or_overlaps(name: str) -> None:
    pieces = list(shapes(name).values())
    assert [tag for tag, shape in shapes(name).items() if not shape.is_valid] == []
    paper = box(0, 0, geometry(name).width, geometry(name).height)
    assert paper.difference(unary_union(pieces)).area < 1e-3 * paper.area
    tree = STRtree(pieces)
    overlaps = [
        pieces[i].intersection(pieces[j]).area for i in range(len(pieces)) for j in tree.query(pieces[i]) if i < j
    ]
    assert max(overlaps) < 0.5


@pytest.mark.parametrize("name", [*MAPS, *(f"{name} as shipped" for name in SHIPPED)])
def test_units_stars_tags_and_names_are_inside_their_regions(name: str) -> None:
    board = board_of(name)
    for province in board.provinces:
        shape, region = geometry(name).provinces[province.tag], shapes(name)[province.tag]
        assert shape.sea == (province.kind is Ground.SEA)
        assert region.contains(Point(shape.unit)), province.tag
        assert (shape.centre is not None) == province.centre
        assert shape.centre is None or region.contains(Point(shape.centre)), province.tag
        # Half a pixel: places are written with one decimal.
        room, tag, words = region.buffer(0.5), shape.label, shape.name
        assert room.contains(around(tag.x, tag.y, *tag.reach(province.tag))), province.tag
        assert room.contains(around(words.x, words.y, *replace(words, turn=0).reach, words.turn)), province.tag
        assert " ".join(words.lines).replace("- ", "") in (province.name, province.tag)


def around(x: float, y: float, across: float, down: float, turn: float = 0) -> BaseGeometry:
    """Return the box of words round their middle."""
    return rotate(box(x - across, y - down, x + across, y + down), turn, origin=(x, y))


@pytest.mark.parametrize("name", [*MAPS, *SHIPPED_DRAWINGS])
def test_the_berth_of_a_coast_lies_beside_its_waters(name: str) -> None:
    board = board_of(name)
    for province in board.provinces:
        for number, coast in enumerate(province.coasts, 1):
            near = [board.areas[there].province for there in board.fleet[province.area + number]]
            seas = [board.provinces[each].tag for each in near if board.provinces[each].kind is Ground.SEA]
            berth = Point(geometry(name).provinces[province.tag].coasts[coast].unit)
            assert min(shapes(name)[sea].distance(berth) for sea in seas) < 16, f"{province.tag}/{coast}"
            assert shapes(name)[province.tag].distance(berth) < 6


def test_shores_lie_on_the_side_that_they_are_named_after() -> None:
    coasts = geometry("hundred").provinces["NUM"].coasts
    assert coasts["WC"].unit[0] < coasts["EC"].unit[0]
    without = read_map("\n".join(line for line in lines_of("hundred") if not line.startswith("at ")))
    free = drawn_regions(without).provinces
    assert free["NUM"].coasts["WC"].unit[0] < free["NUM"].coasts["EC"].unit[0]
    assert free["ARA"].coasts["NC"].unit[1] < free["ARA"].coasts["SC"].unit[1]


def lines_of(name: str) -> list[str]:
    return (BOARDS / f"{name}.map").read_text("utf-8").splitlines()


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_smallest_maps_are_drawn(count: int) -> None:
    tags = [f"P{number:02}" for number in range(count)]
    lines = ["map chain", "title Chain", "begin 1901", "victory 2", "power EAST EAS East", "power WEST WES West"]
    lines += [f"land {tag} Province {tag}" for tag in tags]
    lines += [f"home EAST {tags[0]}", f"home WEST {tags[-1]}", f"start EAST A {tags[0]}", f"start WEST A {tags[-1]}"]
    for at, tag in enumerate(tags):
        lines.append(" ".join(["army", tag, *(tags[near] for near in (at - 1, at + 1) if 0 <= near < count)]))
    board = read_map("\n".join(lines) + "\n")
    drawn = drawn_regions(board)
    assert {pair for pair in drawn.borders if set(pair) <= set(drawn.provinces)} == wanted(board)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_map_that_ships_is_drawn_as_in_its_file(name: str) -> None:
    file = BOARDS / f"{named(name).geography or name}.geometry.json"
    assert geometry_of(named(name)).outlines() == read_geometry(file.read_bytes(), str(file)).outlines()


def test_a_map_of_another_s_name_and_tags_gets_its_drawing_only_with_its_borders() -> None:
    text = (BOARDS / "lagoon.map").read_text("utf-8")
    assert geometry_of(read_map(text)) == geometry("lagoon as shipped")
    other = text.replace("army BOW BRY BUX HEA MID", "army BOW BRY BUX HEA").replace("army MID BOW BUX", "army MID BUX")
    assert ("BOW", "MID") not in geometry_of(read_map(other)).borders


def test_a_map_on_which_everything_borders_on_everything_is_drawn_all_the_same() -> None:
    tags = [f"P{number:02}" for number in range(20)]
    lines = ["map knot", "title Knot", "begin 1901", "victory 2", "power EAST EAS East", "power WEST WES West"]
    lines += [f"land {tag} Province {tag}" for tag in tags]
    lines += ["home EAST P00", "home WEST P01", "start EAST A P00", "start WEST A P01"]
    lines += [f"army {tag} {' '.join(other for other in tags if other != tag)}" for tag in tags]
    board = read_map("\n".join(lines) + "\n")
    drawn = drawn_regions(board)
    assert list(drawn.provinces) == tags
    assert len(wanted(board)) - len(drawn.bridges) <= 3 * 20 - 6  # more cannot be drawn without crossings


@pytest.mark.parametrize("name", ["lagoon", "hundred", "ancmed"])
def test_whoever_makes_the_drawing_of_a_map_again_gets_the_file_that_ships(name: str) -> None:
    made = msgspec.json.encode(geometry(name)) + b"\n"  # as tools/map/make_regions.py writes it
    assert made == (BOARDS / f"{name}.geometry.json").read_bytes()


def test_a_processor_that_rounds_otherwise_makes_the_same_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    exactly = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda matrix, values: exactly(matrix, values) * (1 + 1e-14))
    assert drawn_regions(named("hundred")) == geometry("hundred")


def test_water_that_only_fleets_pass_is_a_channel() -> None:
    assert len(geometry("ancmed").decor.channels) == 2
    assert geometry("lagoon").decor.channels == ()


@pytest.mark.parametrize(
    ("count", "edges"),
    [
        (4, [(0, 1), (1, 2), (2, 3)]),
        (5, [(0, 1), (0, 2), (0, 3), (0, 4)]),
        (6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]),
    ],
)
def test_graphs_that_fall_apart_are_held_together_by_fillers(count: int, edges: list[tuple[int, int]]) -> None:
    found = embedded(count, edges)
    assert found.removed == []
    assert found.count > count
    sides = [frozenset(pair) for face in found.faces for pair in zip(face, [*face[1:], face[0]], strict=True)]
    assert all(sides.count(frozenset(edge)) == 2 for edge in edges)
    assert found.count - len(set(sides)) + len(found.faces) == 2  # Euler


def test_of_a_complete_graph_as_much_is_drawn_as_can_be() -> None:
    found = embedded(5, [(a, b) for a in range(5) for b in range(a + 1, 5)])
    assert found.removed == [(3, 4)]


def test_a_long_chain_is_held_together_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def parts(graph: planar.Graph, without: int = -1) -> list[set[int]]:
        looked.append(without)
        return found(graph, without)

    found = planar._parts
    monkeypatch.setattr(planar, "_parts", parts)
    drawn = embedded(96, [(at, at + 1) for at in range(95)])
    assert drawn.removed == []
    assert len(looked) < 3 * 2 * drawn.count  # a try and the drawing; each vertex once and once more per filler


def test_more_edges_than_can_be_drawn_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def faces(graph: planar.Graph) -> list[list[int]]:
        tried.append(sum(map(len, graph)) // 2)
        return found(graph)

    found = planar._faces
    monkeypatch.setattr(planar, "_faces", faces)
    embedded(8, [(a, b) for a in range(8) for b in range(a + 1, 8)])
    assert max(tried) <= 3 * 8 - 6


def test_variations_of_the_rules_share_one_geometry_and_one_sheet() -> None:
    plain, varied = named("lagoon"), named("lagoon").under((Variation.FOG, Variation.HELD_WIN))
    assert geometry_of(varied) is geometry_of(plain)
    assert sheet_of(varied) is sheet_of(plain)
