"""Pictures cropped to what matters: every unit, centre and reachable province is in sight, and little else."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from parlour.errors import ConfigError
from parlour.games.diplomacy.display.pictures import draw_position
from parlour.games.diplomacy.draw import Scene, draw_scene, ground
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.theme import theme_named
from parlour.games.diplomacy.maps.map import SHIPPED, named
from parlour.games.diplomacy.position import Position


def view_of(svg: str) -> list[float]:
    found = re.search(r'viewBox="([^"]*)"', svg)
    assert found is not None
    return [float(word) for word in found[1].split()]


@pytest.mark.parametrize("name", [name for name in SHIPPED if len(named(name).players) == 2])
def test_maps_for_two_show_every_unit_and_every_move(name: str) -> None:
    board = named(name)
    left, top, width, height = view_of(draw_position(Position.start(board), crop=True))
    geometry = geometry_of(board)
    assert width * height < 0.95 * geometry.width * geometry.height
    for unit in board.units:
        reach = (board.fleet if unit.fleet else board.army)[unit.area]
        for area in (unit.area, *reach):
            x, y = geometry.berth(board.areas[area].tag)
            assert left + 20 < x < left + width - 20, board.areas[area].tag
            assert top + 20 < y < top + height - 20, board.areas[area].tag


@pytest.mark.parametrize("label", ["mixed", "tags", "names"])
@pytest.mark.parametrize("name", [name for name in SHIPPED if len(named(name).players) == 2])
def test_words_are_whole_or_left_out(name: str, label: str) -> None:
    board = named(name)
    svg, geometry = draw_position(Position.start(board), crop=True, label=label), geometry_of(board)
    left, top, width, height = view_of(svg)
    written = set(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
    for tag, shape in geometry.provinces.items():
        named_here = label == "names" or (shape.sea and label == "mixed")
        at = shape.name if named_here else shape.label
        across, down = shape.name.reach if named_here else shape.label.reach(tag)
        whole = left + across <= at.x <= left + width - across and top + down <= at.y <= top + height - down
        assert (set(shape.name.lines if named_here else [tag]) <= written) == whole, tag
    for unit in board.units:
        for area in (board.fleet if unit.fleet else board.army)[unit.area]:
            sea = geometry.provinces[board.provinces[board.areas[area].province].tag]
            assert not sea.sea or label == "tags" or set(sea.name.lines) <= written
    assert ground.ornaments(geometry, theme_named("light")) not in svg


def test_a_viewer_of_another_shape_shows_nothing_beyond_the_part() -> None:
    drawn = ElementTree.fromstring(draw_position(Position.start(named("france-austria")), crop=True))
    titled, metadata, paper, clip, part = drawn
    assert [part.get("clip-path"), f"url(#{clip.get('id')})"] == ["url(#part)"] * 2
    sides = ("x", "y", "width", "height")
    assert [clip[0].get(side) for side in sides] == [paper.get(side) for side in sides]
    assert view_of(ElementTree.tostring(drawn, "unicode")) == [float(paper.get(side, "")) for side in sides]
    assert len(part) > 5, "the whole picture is in it"
    assert (titled.text, metadata.text) != (None, None)


def test_a_match_that_spreads_over_the_board_is_shown_whole() -> None:
    whole = geometry_of(named("standard"))
    _, _, width, height = view_of(draw_position(Position.start(), crop=True))
    assert width > 0.85 * whole.width
    assert height > 0.85 * whole.height


def test_a_cropped_picture_has_no_legend() -> None:
    with pytest.raises(ConfigError, match="crop: expected a picture without a legend"):
        draw_position(Position.start(), crop=True, legend=True)


def test_an_empty_board_is_shown_whole() -> None:
    svg = draw_scene(named("standard"), Scene(), crop=True)
    assert view_of(svg)[2:] == [1200, 1020]
