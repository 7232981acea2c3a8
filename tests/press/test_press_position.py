"""A board says the same as the position it is made of, in the words of press; order strings are cut by their words."""

from __future__ import annotations

import random

import pytest

from parlour.games.diplomacy.position import Position
from parlour.press.press_position import board_of, names
from support.press.stories import SEATS

WORD_OF = {str(seat): word for word, seat in SEATS.items()}
LETTERS = {"AMY": "A", "FLT": "F"}


def _walk(seed: int, phases: int) -> list[Position]:
    rng, positions = random.Random(seed), [Position.start()]
    while len(positions) < phases and not positions[-1].over:
        position = positions[-1]
        positions.append(position.following({seat: position.sample(seat, rng) for seat in position.to_act()}))
    return positions


@pytest.mark.parametrize("seed", range(3))
def test_board_is_the_position(seed: int) -> None:
    before = None
    for position in _walk(seed, 40):
        board = before = board_of(position, before)
        tags = board.names.tag_of_place
        for field, there in (("units", board.units), ("dislodged", board.dislodged)):
            listed = {(WORD_OF[name], unit) for name, units in getattr(position, field).items() for unit in units}
            assert listed == {(unit.power, f"{LETTERS[unit.kind]} {tags[unit.place]}") for unit in there.values()}
            assert all(province == unit.province for province, unit in there.items())
        owners = {(WORD_OF[name], tag) for name, own in position.centers.items() for tag in own}
        assert owners == {(owner, tags[centre]) for centre, owner in board.owners.items()}
        assert (board.phase, board.stage) == (position.phase, position.stage)
        assert board.holders == {WORD_OF[name] for name, units in position.units.items() if units}
        assert board.alive == {WORD_OF[str(seat)] for seat in position.alive()}
        assert board.acting is (board.dislodged if position.stage == "retreats" else board.units)


def test_every_order_string_is_cut_into_its_words() -> None:
    seen = set()
    for position in _walk(4, 40):
        known = names(position.board)
        places = {area.tag: known.place_of_area[area.id] for area in position.board.areas}
        for text in [text for here in position.orders().values() for text in here if text != "WAIVE"]:
            parsed = known.parsed[text]
            assert parsed is not None, text
            words = text.split()
            rest = [places[word] for word in words[3:] if word in places]
            other, to = (rest[0], rest[1:]) if words[2] in "SC" else ("", rest)
            assert (parsed.here, parsed.province) == (places[words[1]], places[words[1]][:3])
            assert (parsed.verb, parsed.to, parsed.other) == (
                "VIA" if words[-1] == "VIA" else words[2],
                to[0] if to else "",
                other[:3],
            )
            numbers = [
                known.daide.index(place[:3]) if place else -1 for place in (parsed.here, parsed.to, parsed.other)
            ]
            assert [parsed.number, parsed.to_number, parsed.other_number] == numbers
            seen.add(parsed.verb)
    assert seen == {"H", "-", "VIA", "S", "C", "R", "D", "B"}


@pytest.mark.parametrize(
    "text", ["", "A", "A PAR", "a par h", "PAR - BUR", "A PAR - NOWHERE", "A PAR - BUR - PIC", "X PAR H"]
)
def test_no_other_spelling_is_cut(text: str) -> None:
    assert names(Position.start().board).parsed[text] is None


def test_land_and_sea_have_one_gist_and_other_aims_another() -> None:
    parsed = names(Position.start().board).parsed
    gists = {
        text: cut.gist
        for text in ("A LON - BEL", "A LON - BEL VIA", "A LON - HOL", "F LON - BEL", "A LON H")
        if (cut := parsed[text])
    }
    assert gists["A LON - BEL"] == gists["A LON - BEL VIA"] == gists["F LON - BEL"]
    assert len(set(gists.values())) == 3
