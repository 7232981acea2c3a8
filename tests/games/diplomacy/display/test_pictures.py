"""Pictures of positions and turns show what the game says."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

from parlour.games.diplomacy import draw
from parlour.games.diplomacy.display.pictures import draw_position, draw_turn, scene_of, turn_orders
from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.position import Position

SVG = "{http://www.w3.org/2000/svg}"


def test_a_scene_has_all_units_and_centres() -> None:
    scene = scene_of(Position.start())
    assert len(scene.units) == 22
    assert len(scene.centres) == 22
    assert draw.DrawnUnit("RUSSIA", "F", "STP/SC") in scene.units
    assert scene.title == "Spring 1901, movement"


def test_a_turn_has_all_orders_with_results() -> None:
    orders = {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "GERMANY": ["A MUN - BUR"]}
    turn = Position.start().resolve(orders).turn
    assert turn is not None
    found = {(str(order), order.result) for order in turn_orders(turn)}
    assert ("A PAR - BUR", draw.Result.SUCCEEDED) in found
    assert ("A MAR S A PAR - BUR", draw.Result.SUCCEEDED) in found
    assert ("A MUN - BUR", draw.Result.BOUNCED) in found
    assert len(found) == 22


def test_only_holds_that_were_ordered_are_ringed() -> None:
    def rings(*orders: str) -> int:
        turn = Position.start().resolve({"FRANCE": orders}).turn
        assert turn is not None
        drawn = ElementTree.fromstring(draw_turn(turn))
        return len(drawn.findall(f".//{SVG}g[@data-kind='hold']/{SVG}path[1]"))

    assert [rings(), rings("A PAR H"), rings("A PAR H", "F BRE H")] == [0, 1, 2]


def test_a_convoyed_move_knows_its_fleets() -> None:
    position = Position.read("standard S1901M ENG=ALON,FENG,FMAO,FWES")
    orders = ["A LON - TUN VIA", "F ENG C A LON - TUN", "F MAO C A LON - TUN", "F WES C A LON - TUN"]
    turn = position.resolve({"ENGLAND": orders}).turn
    assert turn is not None
    move = next(order for order in turn_orders(turn) if order.area == "LON")
    assert move.via == ("ENG", "MAO", "WES")


@pytest.mark.parametrize("text", ["A PAR - MOS", "F PAR - BUR", "A MAR S A BRE - PAR", "A BER - KIE"])
def test_a_void_order_is_drawn_as_written(text: str) -> None:
    turn = Position.start().resolve({"FRANCE": [text]}).turn
    assert turn is not None
    assert (text, draw.Result.VOID) in {(str(order), order.result) for order in turn_orders(turn)}
    ElementTree.fromstring(draw_turn(turn))


@pytest.mark.parametrize("text", ["A XXX - BUR", "F PAR/NC - BUR", "gibberish", "", "WAIVE", "F BRE - PAR/EC"])
def test_an_order_that_names_nothing_on_the_map_is_left_out(text: str) -> None:
    turn = Position.start().resolve({"FRANCE": [text]}).turn
    assert turn is not None
    assert all(order.result is not draw.Result.VOID for order in turn_orders(turn))
    ElementTree.fromstring(draw_turn(turn))


@pytest.mark.parametrize(("name", "phases"), [("standard", 25), ("lagoon", 40)])
def test_every_phase_of_a_match_can_be_drawn(name: str, phases: int) -> None:
    chance = random.Random(1901)
    position = Position.start(named(name))
    kinds = set()
    for _ in range(phases):
        if position.over:
            break
        orders = {str(seat): position.sample(seat, chance) for seat in position.to_act()}
        following = position.resolve(orders)
        assert following.turn is not None
        svg = draw_turn(following.turn, theme=chance.choice(["light", "dark"]))
        assert len(svg.encode()) < 200_000
        root = ElementTree.fromstring(svg)
        drawn = [g for g in root.iter(SVG + "g") if g.get("class") == "order"]
        ordered = sum(text != "WAIVE" for own in orders.values() for text in own)
        assert len(drawn) >= ordered
        kinds |= {g.get("data-kind") for g in drawn}
        position = following
    assert kinds >= {"move", "support", "hold", "build"}
    ElementTree.fromstring(draw_position(position))


def test_results_can_be_left_out() -> None:
    turn = Position.start().resolve({"FRANCE": ["A PAR - BUR"]}).turn
    assert turn is not None
    assert "succeeded" not in draw_turn(turn, results=False)
    assert "succeeded" in draw_turn(turn)


def test_the_board_is_that_of_the_position() -> None:
    assert "Natural Earth" in draw_position(Position.start(standard()))
    assert "drawn from its borders" in draw_position(Position.start(named("lagoon")))


def test_pictures_on_one_page_have_ids_of_their_own() -> None:
    first, second = Position.start(), Position.start().resolve({"FRANCE": ["A PAR - BUR"]})
    ids = [
        {element.get("id") for element in ElementTree.fromstring(position._repr_svg_()).iter()} - {None}
        for position in (first, second)
    ]
    assert ids[0]
    assert not ids[0] & ids[1]
