"""Pictures of Fish show every tile, fish, penguin, player and the last move, in both themes."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from parlour.errors import ConfigError
from parlour.games.fish import COLOURS, Board, Position, Side
from parlour.games.fish.draw import svg
from parlour.games.fish.draw.theme import THEMES
from support.fish.positions import random_game

SVG = "{http://www.w3.org/2000/svg}"


def small() -> Position:
    board = Board.of([[3, 0], [0, 5], [1, 0], [2, 0]])
    return Position(board, (Side(COLOURS[0], ((0, 0),)), Side(COLOURS[1], ((3, 0),), 4)), 1)


def groups(picture: str, of_class: str) -> list[ElementTree.Element]:
    return [g for g in ElementTree.fromstring(picture).iter(SVG + "g") if g.get("class") == of_class]


def texts(picture: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(picture).iter(SVG + "text")]


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_every_position_of_a_game_is_drawn_whole(theme: str) -> None:
    for position in random_game(4, 5, 3, 2, holes=4):
        picture = svg(position, theme=theme)
        assert len(groups(picture, "tile")) == len(position.board.tiles())
        assert {(g.get("data-spot"), g.get("data-seat")) for g in groups(picture, "penguin")} == {
            (f"{row},{column}", seat) for (row, column), seat in position.occupied().items()
        }


def test_a_free_tile_shows_its_fish_and_a_taken_one_their_number() -> None:
    tiles = {tile.get("data-spot"): tile for tile in groups(svg(small()), "tile")}
    fish = {spot: sum(use.get("href") == "#fish" for use in tile.iter(SVG + "use")) for spot, tile in tiles.items()}
    assert fish == {"0,0": 1, "1,1": 5, "2,0": 1, "3,0": 1}
    assert tiles["0,0"].findtext(SVG + "text") == "3"
    assert tiles["1,1"].findtext(SVG + "text") is None


def test_names_scores_turn_and_coordinates_can_be_read() -> None:
    found = texts(svg(small(), names={"red": "Ann", "white": "<script>"}))
    assert {"Ann", "<script>", "0", "4", "to move", "white", "1", "2", "3"} <= set(found)


def test_a_long_name_loses_its_middle() -> None:
    found = texts(svg(small(), names={"red": "first_of_my_bots.py", "white": "second_of_my_bots.py"}))
    shortened = [text for text in found if "…" in text]
    assert len(set(shortened)) == 2
    assert all(text.startswith(("fir", "sec")) and text.endswith(".py") for text in shortened)


def test_a_player_who_is_out_has_no_score() -> None:
    found = texts(svg(small().without(COLOURS[1]), names={"red": "Ann", "white": "Bob"}))
    assert {"–", "out"} <= set(found)


def test_the_last_action_is_marked() -> None:
    dashes = svg(small()).count("$"), svg(small()).count('stroke="#b3123c"')
    assert dashes == (0, 0)
    assert svg(small(), last=[0, 0]).count('stroke="#b3123c"') == 1
    assert svg(small(), last=[[2, 0], [0, 0]]).count('stroke="#b3123c"') == 3
    assert svg(small(), last="skip").count('stroke="#b3123c"') == 0


def test_tiles_keep_apart_and_within_the_picture() -> None:
    def place(group: ElementTree.Element) -> tuple[float, float]:
        x, y = map(float, (group.get("transform") or "")[10:-1].split())
        return x, y

    for position in random_game(3, 3, 2, 1):
        picture = svg(position)
        _, _, width, height = map(float, (ElementTree.fromstring(picture).get("viewBox") or "").split())
        places = sorted(place(tile) for tile in groups(picture, "tile"))
        assert all(40 <= x <= width - 40 and 40 <= y <= height - 40 for x, y in places)
        assert all(a != b for a, b in pairwise(places))


def test_a_width_gives_the_size_and_a_wrong_theme_is_refused() -> None:
    root = ElementTree.fromstring(svg(small(), width=640))
    assert root.get("width") == "640"
    with pytest.raises(ConfigError, match="light, dark"):
        svg(small(), theme="pink")
    assert small()._repr_svg_() == svg(small())
