"""Diplomacy on pages: sheets, frames, turns and plans, all from the one drawer."""

from __future__ import annotations

import random
import re

import msgspec
import pytest

from parlour.core.events import TurnEnded
from parlour.core.game import Seat
from parlour.core.marks import Mark
from parlour.core.pictures import pictures_of
from parlour.games import load_game
from parlour.games.diplomacy.display.pages import PICTURES
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position

NOTHING = TurnEnded(at=0.0, turn=1, actions={}, happened={})


def keys(marks: tuple[Mark, ...] | None) -> set[str]:
    return {str(mark.attributes["data-key"]) for mark in marks or ()}


def test_the_game_names_its_pictures() -> None:
    assert pictures_of(load_game("diplomacy")) is PICTURES


@pytest.mark.parametrize("board", ["standard", "lagoon", "ancmed", "hundred", "pure"])
def test_a_sheet_names_only_paints_that_it_has(board: str) -> None:
    sheet = PICTURES.sheet(Position.start(named(board)))
    text = msgspec.json.encode(sheet).decode()
    assert set(sheet.paints) == {"light", "dark"}
    for paints in sheet.paints.values():
        assert set(re.findall(r"\$([a-z][\w-]*)", text)) <= set(paints)
        assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in paints.values())
    assert {name for kind, name in sheet.layers if kind == "image"} <= set(sheet.images)
    assert set(sheet.places) == {province.tag for province in named(board).provinces}


def test_a_frame_has_every_unit_by_its_place_and_the_stars_by_their_owner() -> None:
    frame = PICTURES.frame(Position.start())
    assert keys(frame.layers["units"]) == {unit[2:5] for own in Position.start().units.values() for unit in own}
    stars = {str(mark.attributes["data-key"]): mark.attributes for mark in frame.layers["stars"] or ()}
    assert stars["centres FRANCE"]["data-centres"] == "PAR BRE MAR"
    assert sum(len(str(one["data-centres"]).split()) for one in stars.values()) == 34
    assert stars.keys().isdisjoint(PICTURES.sheet(Position.start()).places), "a star stays where a unit leaves"
    assert {"PAR", "BUR", "PIC"} <= keys(frame.layers["tints"])  # also land that is French from the start
    assert frame.scores["RUSSIA"] == {"centres": 4, "units": 4}
    assert (frame.name, frame.title, frame.stage) == ("S1901M", "Spring 1901, movement", "orders")


def test_a_turn_has_every_order_with_its_result_and_reason_and_who_moved() -> None:
    before = Position.start()
    orders = {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "GERMANY": ["A MUN - BUR"], "ITALY": ["F NAP - PAR"]}
    after = before.resolve(orders)
    turn = PICTURES.turning(before, after, NOTHING)
    results = {result.text: result for result in turn.results}
    assert len(results) == 22 + 1  # the void one beside the hold that was done instead
    assert not results["A PAR - BUR"].failed
    assert results["A MUN - BUR"].failed
    assert "BUR" in results["A MUN - BUR"].why
    assert results["F NAP - PAR"].verdict == "void"
    assert results["A BUD H"].default
    assert turn.moved == (("PAR", "BUR"),)
    assert set(results["A PAR - BUR"].layers) == {"orders", "signs"}


def test_who_is_dislodged_moves_aside_and_retreats_from_there() -> None:
    before = Position.read("standard S1901M FRA=AMAR,AGAS;GER=ABUR;AUS=AVIE")
    after = before.resolve({"FRANCE": ["A MAR - BUR", "A GAS S A MAR - BUR"]})
    assert set(PICTURES.turning(before, after, NOTHING).moved) == {("MAR", "BUR"), ("BUR", "BUR*")}
    assert keys(PICTURES.frame(after).layers["dislodged"]) == {"BUR*"}  # a layer of its own, below those that stand
    fled = after.resolve({"GERMANY": ["A BUR R MUN"]})
    assert PICTURES.turning(after, fled, NOTHING).moved == (("BUR*", "MUN"),)


def test_who_can_retreat_nowhere_is_said_to_be_gone() -> None:
    before = Position.read("standard S1901M FRA=ASPA,FMAO;ENG=APOR;AUS=AVIE")
    after = before.resolve({"FRANCE": ["A SPA - POR", "F MAO S A SPA - POR"]})
    (result,) = (result for result in PICTURES.turning(before, after, NOTHING).results if result.seat == "ENGLAND")
    assert (result.text, result.verdict, result.failed) == ("A POR H", "dislodged, disbanded", True)
    assert result.why.endswith("It can retreat nowhere and is disbanded.")


def test_plans_are_drawn_without_a_result() -> None:
    position = Position.read("standard S1901M ENG=ALON,FENG,FMAO")
    plans = [
        ("ENGLAND", text) for text in ("A LON - POR VIA", "F MAO C A LON - POR", "F ENG C A LON - POR", "gibberish")
    ]
    results = PICTURES.planned(position, plans)
    assert [result.text for result in results] == [text for _, text in plans]
    assert not any(result.verdict or result.failed for result in results)
    assert results[-1].layers == {}
    route = str(results[0].layers["orders"].inside[1])
    assert route.count("L") > 15  # through both fleets, nearest first


def test_every_phase_can_be_told() -> None:
    chance, position = random.Random(7), Position.start()
    for _ in range(20):
        if position.over:
            break
        actions = {seat: position.sample(seat, chance) for seat in position.to_act()}
        following, _ = position.apply(actions)
        turn = PICTURES.turning(position, following, NOTHING)
        before, after = (keys(PICTURES.frame(here).layers["units"]) for here in (position, following))
        assert all(start in before and end in after for start, end in turn.moved)
        assert len(msgspec.json.encode(turn)) < 60_000
        position = following


def test_choices_are_the_legal_orders() -> None:
    position = Position.start()
    assert PICTURES.choices(position, Seat("FRANCE")) == position.legal(Seat("FRANCE"))
