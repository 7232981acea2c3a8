"""Curves keep their ends, lose what is trimmed, and find room for marks."""

from __future__ import annotations

import math
import re

import pytest

from parlour.games.diplomacy.draw import curves
from parlour.games.diplomacy.draw.curves import Box
from parlour.games.diplomacy.draw.seams import chains
from parlour.games.diplomacy.draw.svg import flatten, number, outline, pairs


def test_routes_pass_through_their_points() -> None:
    points = [(0.0, 0.0), (50.0, 40.0), (120.0, 10.0)]
    route = curves.route(points)
    assert all(min(math.dist(p, q) for q in route) < 1e-9 for p in points)


def test_trimming_takes_off_both_ends() -> None:
    line = [(0.0, 0.0), (30.0, 0.0), (100.0, 0.0)]
    trimmed = curves.trimmed(line, 10, 20)
    assert (trimmed[0], trimmed[-1]) == ((10.0, 0.0), (80.0, 0.0))


def test_a_short_curve_is_not_trimmed_away() -> None:
    assert curves.length(curves.trimmed([(0.0, 0.0), (20.0, 0.0)], 12, 17)) == pytest.approx(5)


def test_a_mark_goes_to_the_first_free_spot_or_the_least_covered() -> None:
    line = [(0.0, 0.0), (100.0, 0.0)]
    label = Box(100, 0, 20, 5)
    assert curves.clear_part(line, [1.0, 0.9, 0.7, 0.5], 8, [label]) == 0.7
    assert curves.clear_part(line, [1.0, 0.95], 8, [label, Box(100, 0, 9, 9)]) == 0.95


def test_up_to_gives_the_beginning() -> None:
    assert curves.up_to([(0.0, 0.0), (100.0, 0.0)], 0.25)[-1] == pytest.approx((25, 0))


def test_edges_are_joined_into_lines_and_rings() -> None:
    a, b, c, d = (0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)
    assert chains([(b, c), (a, b), (c, d)]) == [[a, b, c, d]]
    ring = chains([(a, b), (b, (1.0, 1.0)), ((1.0, 1.0), a)])
    assert len(ring) == 1
    assert ring[0][0] == ring[0][-1]


def test_numbers_are_short() -> None:
    assert [number(value) for value in (1.0, -0.01, 2.55, -3.14)] == ["1", "0", "2.5", "-3.1"]
    assert outline([0, 0, 1.5, -2, 3, 0]) == "M0 0l15-20 15 20z"
    assert flatten(pairs([1, 2, 3, 4])) == [1, 2, 3, 4]


def test_an_arc_is_written_as_one_bow_and_a_winding_route_point_by_point() -> None:
    start, end = (0.0, 0.0), (200.0, 50.0)
    assert curves.drawn(curves.arc(start, end)).count("Q") == 1
    assert curves.drawn(curves.trimmed(curves.arc(start, end), 13, 20)).count("Q") == 1
    winding = curves.route([start, (80.0, 60.0), (120.0, -60.0), end])
    assert curves.drawn(winding).count("L") == len(winding) - 1
    assert curves.drawn([start, end]) == "M0 0L200 50"


def test_a_bow_runs_where_the_curve_does() -> None:
    curve = curves.trimmed(curves.arc((10.0, 20.0), (190.0, 90.0), 0.3), 12, 18)
    numbers = [float(word) for word in re.findall(r"-?[\d.]+", curves.drawn(curve))]
    (a, b), (x, y), (c, d) = zip(numbers[::2], numbers[1::2], strict=True)
    bow = [
        ((1 - t) ** 2 * a + 2 * t * (1 - t) * x + t * t * c, (1 - t) ** 2 * b + 2 * t * (1 - t) * y + t * t * d)
        for t in (i / 100 for i in range(101))
    ]
    assert max(min(math.dist(p, q) for q in bow) for p in curve) < 1.2
