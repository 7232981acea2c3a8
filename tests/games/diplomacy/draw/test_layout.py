"""The automatic layout of maps that have no drawing."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest

from parlour.games.diplomacy.draw.layout import APART, RADIUS, plain_layout
from parlour.games.diplomacy.draw.svg import pairs
from parlour.games.diplomacy.map import Ground, Map, named, read_map


def middle_of(ring: tuple[float, ...]) -> tuple[float, float]:
    points = pairs(ring)
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def chain(count: int) -> Map:
    """A map whose provinces lie in a row."""
    tags = [f"P{i:02}" for i in range(count)]
    lines = ["map chain", "title Chain", "begin 1901", "victory 2", "power EAST EAS East", "power WEST WES West"]
    lines += [f"land {tag} Province {tag}" for tag in tags]
    lines += [f"home EAST {tags[0]}", f"home WEST {tags[-1]}", f"start EAST A {tags[0]}", f"start WEST A {tags[-1]}"]
    for i, tag in enumerate(tags):
        lines.append(" ".join(["army", tag, *(tags[j] for j in (i - 1, i + 1) if 0 <= j < count)]))
    return read_map("\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["lagoon", "standard"])
def test_all_provinces_lie_apart_and_on_the_paper(name: str) -> None:
    board = named(name)
    geometry = plain_layout(board)
    assert list(geometry.provinces) == [province.tag for province in board.provinces]
    middles = [middle_of(shape.polygons[0][0]) for shape in geometry.provinces.values()]
    assert min(math.dist(p, q) for p, q in combinations(middles, 2)) > APART - 1
    for x, y in middles:
        assert RADIUS < x < geometry.width - RADIUS
        assert RADIUS < y < geometry.height - RADIUS


def test_every_border_is_a_line_of_the_right_kind() -> None:
    board = named("lagoon")
    wanted = {
        (min(a, b), max(a, b))
        for reach in (board.army, board.fleet)
        for here, others in enumerate(reach)
        for a in [board.areas[here].province]
        for b in (board.areas[other].province for other in others)
    }
    geometry = plain_layout(board)
    assert len(geometry.links) == len(wanted)
    by_sea = [link for link in geometry.links if not link.army]
    seas = {province.tag for province in board.provinces if province.kind is Ground.SEA}
    ends = {middle_of(geometry.provinces[tag].polygons[0][0]) for tag in seas}
    for link in by_sea:
        assert min(math.dist(end, place) for end in ends for place in (link.start, link.end)) < 0.2


def test_neighbours_are_nearer_than_strangers() -> None:
    geometry = plain_layout(chain(12))
    middles = [middle_of(shape.polygons[0][0]) for shape in geometry.provinces.values()]
    steps = [math.dist(p, q) for p, q in pairwise(middles)]
    assert math.dist(middles[0], middles[-1]) > 6 * max(steps)


def test_no_line_of_the_lagoon_passes_behind_a_third_province() -> None:
    geometry = plain_layout(named("lagoon"))
    middles = [middle_of(shape.polygons[0][0]) for shape in geometry.provinces.values()]
    for link in geometry.links:
        (ax, ay), (bx, by) = link.start, link.end
        for x, y in middles:
            if min(math.dist((x, y), link.start), math.dist((x, y), link.end)) < 1:
                continue
            part = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / math.dist(link.start, link.end) ** 2
            nearest = (ax + (bx - ax) * min(1, max(0, part)), ay + (by - ay) * min(1, max(0, part)))
            assert math.dist((x, y), nearest) > RADIUS


def test_the_same_map_gives_the_same_layout() -> None:
    assert plain_layout(named("lagoon")) == plain_layout(named("lagoon"))


def test_shores_of_a_split_province_have_places_of_their_own() -> None:
    neck = plain_layout(named("lagoon")).provinces["NEK"]
    assert set(neck.coasts) == {"WC", "EC"}
    assert neck.coasts["WC"].unit != neck.coasts["EC"].unit
