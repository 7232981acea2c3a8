"""Fish on pages: sheets, frames and moves, all from the one drawer."""

from __future__ import annotations

import random
import re

import msgspec

from parlour.core.events import TurnEnded
from parlour.core.marks import Mark
from parlour.core.pictures import pictures_of
from parlour.games import load_game
from parlour.games.fish import GAME
from parlour.games.fish.pictures import PICTURES


def keys(marks: tuple[Mark, ...] | None) -> set[str]:
    return {str(mark.attributes["data-key"]) for mark in marks or ()}


def test_the_game_names_its_pictures() -> None:
    assert pictures_of(load_game("fish")) is PICTURES


def test_every_turn_can_be_told() -> None:
    chance, turn = random.Random(2), 0
    position = GAME.start({"rows": 5, "cols": 3, "players": 2, "holes": 2}, GAME.seats({"players": 2}), 3)
    while seats := position.to_act():
        turn += 1
        action = position.sample(seats[0], chance)
        following, happened = position.apply({seats[0]: action})
        ended = TurnEnded(at=0.0, turn=turn, actions={seats[0]: action}, happened=happened)
        told = PICTURES.turning(position, following, ended)
        before, after = (keys(PICTURES.frame(here).layers["penguins"]) for here in (position, following))
        assert all(start in before and end in after for start, end in told.moved)
        assert bool(told.moved) == (position.stage == "move")
        assert [result.seat for result in told.results] == [seats[0]]
        assert PICTURES.name(position, turn).startswith(f"{turn:04}-")
        position = following
    assert PICTURES.frame(position).title.startswith("over")


def test_a_sheet_names_only_paints_that_it_has() -> None:
    position = GAME.start({"rows": 4, "cols": 5}, GAME.seats({}), 1)
    sheet, frame = PICTURES.sheet(position), PICTURES.frame(position)
    text = (msgspec.json.encode(sheet) + msgspec.json.encode(frame)).decode()
    for paints in sheet.paints.values():
        assert set(re.findall(r"\$([a-z][\w-]*)", text)) <= set(paints)
    assert len(sheet.places) == 20
    assert set(frame.layers) <= {name for _, name in sheet.layers}


def test_a_pass_is_told_and_choices_are_the_legal_moves() -> None:
    position = GAME.start({"rows": 4, "cols": 5, "players": 2}, GAME.seats({"players": 2}), 1)
    red = position.to_act()[0]
    ended = TurnEnded(at=0.0, turn=1, actions={}, happened={}, passed=(red,))
    assert [result.text for result in PICTURES.turning(position, position, ended).results] == ["passes"]
    assert PICTURES.choices(position, red) == position.legal(red)
    assert PICTURES.planned(position, [("red", "x")]) == ()
