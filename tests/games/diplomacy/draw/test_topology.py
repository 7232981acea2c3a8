"""The maps that are drawn on the globe, standard and Milan: what is drawn is what is played."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from shapely.geometry import MultiPolygon, Point, Polygon, box
from shapely.ops import unary_union
from shapely.strtree import STRtree

from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.svg import pairs
from parlour.games.diplomacy.maps.map import Ground, Map, named

VISIBLE = 12.0
"""A border shorter than this is easily overlooked."""


@pytest.fixture(scope="module", params=["standard", "milan"])
def board(request: pytest.FixtureRequest) -> Map:
    return named(request.param)


@pytest.fixture(scope="module")
def geometry(board: Map) -> Geometry:
    return geometry_of(board)


@pytest.fixture(scope="module")
def shapes(geometry: Geometry) -> dict[str, MultiPolygon]:
    return {
        tag: MultiPolygon([Polygon(pairs(rings[0]), [pairs(hole) for hole in rings[1:]]) for rings in polygons])
        for tag, polygons in geometry.outlines().items()
    }


def provinces_of(board: Map, reach: tuple[tuple[int, ...], ...]) -> set[tuple[str, str]]:
    """Return the pairs of provinces that border according to the map, tags ascending."""
    tags = [board.provinces[area.province].tag for area in board.areas]
    return {(min(tags[a], tags[b]), max(tags[a], tags[b])) for a, others in enumerate(reach) for b in others}


def lengths(geometry: Geometry) -> dict[tuple[str, str], float]:
    return {
        pair: sum(Point(a).distance(Point(b)) for a, b in edges)
        for pair, edges in geometry.borders.items()
        if set(pair) <= set(geometry.provinces)
    }


def test_every_province_is_drawn(board: Map, geometry: Geometry) -> None:
    assert set(geometry.provinces) == {province.tag for province in board.provinces}
    assert all(shape.polygons for shape in geometry.provinces.values())
    assert not geometry.bridges


def test_seas_centres_and_coasts_are_those_of_the_map(board: Map, geometry: Geometry) -> None:
    for province in board.provinces:
        shape = geometry.provinces[province.tag]
        assert shape.sea == (province.kind is Ground.SEA)
        assert (shape.centre is not None) == province.centre
        assert set(shape.coasts) == set(province.coasts)
        if province.home is not None:
            assert shape.realm == board.powers[province.home].name


def test_every_polygon_is_valid(shapes: dict[str, MultiPolygon]) -> None:
    assert [tag for tag, shape in shapes.items() if not shape.is_valid] == []


def test_pieces_fill_the_paper_without_gaps_or_overlaps(geometry: Geometry, shapes: dict[str, MultiPolygon]) -> None:
    paper = box(0, 0, geometry.width, geometry.height)
    assert sum(shape.area for shape in shapes.values()) == pytest.approx(paper.area, abs=0.01)
    assert paper.difference(unary_union(list(shapes.values()))).area < 0.01
    pieces = list(shapes.values())
    tree = STRtree(pieces)
    overlaps = [
        pieces[i].intersection(pieces[j]).area for i in range(len(pieces)) for j in tree.query(pieces[i]) if i < j
    ]
    assert max(overlaps) < 1e-6


def test_provinces_share_a_visible_border_exactly_if_units_can_pass(board: Map, geometry: Geometry) -> None:
    drawn = lengths(geometry)
    wanted = provinces_of(board, board.army) | provinces_of(board, board.fleet)
    assert set(drawn) == wanted
    assert {pair: size for pair, size in drawn.items() if size < VISIBLE} == {}


def test_fleets_pass_between_coasts_exactly_if_their_border_reaches_the_sea(board: Map, geometry: Geometry) -> None:
    at: dict[tuple[float, float], set[str]] = {}
    for pair, edges in geometry.borders.items():
        for point in (point for edge in edges for point in edge):
            at.setdefault(point, set()).update(pair)
    coasts = {province.tag for province in board.provinces if province.kind is Ground.COAST}
    drawn = {
        pair
        for tags in at.values()
        if any(tag in geometry.provinces and geometry.provinces[tag].sea for tag in tags)
        for pair in combinations(sorted(tags & coasts), 2)
    }
    wanted = {(a, b) for a, b in provinces_of(board, board.fleet) if {a, b} <= coasts}
    assert drawn == wanted


def test_each_sea_is_in_one_piece(geometry: Geometry) -> None:
    assert [tag for tag, shape in geometry.provinces.items() if shape.sea and len(shape.polygons) > 1] == []


def test_the_two_shores_of_a_split_province_meet_the_seas_that_the_map_says(board: Map, geometry: Geometry) -> None:
    for province in board.provinces:
        if not province.coasts:
            continue
        around = walk_round(geometry, province.tag)
        runs = sea_runs(geometry, around)
        wanted = [
            {
                board.provinces[board.areas[area].province].tag
                for area in board.fleet[shore]
                if board.provinces[board.areas[area].province].kind is Ground.SEA
            }
            for shore in province.areas[1:]
        ]
        assert sorted(map(sorted, runs)) == sorted(map(sorted, wanted)), province.tag


def walk_round(geometry: Geometry, tag: str) -> list[str]:
    """Return the neighbours met on the way round a province's main body; the frame counts as one."""
    owner = {
        frozenset(edge): (set(pair) - {tag}).pop()
        for pair, edges in geometry.borders.items()
        if tag in pair
        for edge in edges
    }
    ring = pairs(geometry.provinces[tag].polygons[0][0])
    return [owner.get(frozenset(edge), "frame") for edge in pairwise([*ring, ring[0]])]


def sea_runs(geometry: Geometry, around: list[str]) -> list[set[str]]:
    """Return the seas between one piece of land and the next."""

    def wet(tag: str) -> bool:
        return tag in geometry.provinces and geometry.provinces[tag].sea

    start = next(i for i, tag in enumerate(around) if not wet(tag))
    runs: list[set[str]] = [set()]
    for tag in [*around[start:], *around[:start]]:
        if wet(tag):
            runs[-1].add(tag)
        elif runs[-1]:
            runs.append(set())
    return [run for run in runs if run]


def test_units_and_centres_stand_inside_their_province(geometry: Geometry, shapes: dict[str, MultiPolygon]) -> None:
    for tag, shape in geometry.provinces.items():
        assert shapes[tag].contains(Point(shape.unit)), tag
        assert shape.centre is None or shapes[tag].contains(Point(shape.centre)), tag
        for coast, berth in shape.coasts.items():
            assert shapes[tag].distance(Point(berth.unit)) < 6, f"{tag}/{coast}"


def test_no_two_units_are_drawn_on_top_of_each_other(geometry: Geometry) -> None:
    at = [(tag, shape.unit) for tag, shape in geometry.provinces.items()]
    near = [(a, b) for (a, p), (b, q) in combinations(at, 2) if Point(p).distance(Point(q)) < 26]
    assert near == []


def test_tags_and_names_of_seas_are_large(geometry: Geometry) -> None:
    for tag, shape in geometry.provinces.items():
        assert shape.label.size >= 10, tag
        assert shape.name.size >= (7 if shape.sea else 6.5), tag


def test_natural_earth_is_credited(geometry: Geometry) -> None:
    assert "Natural Earth" in geometry.about
