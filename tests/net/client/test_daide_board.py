"""The board of a DAIDE server is read back unchanged, and an unreadable message is an error in one sentence."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from parlour.errors import RemoteWireError
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.net.client.daide_board import (
    Nested,
    centres_in,
    flat,
    in_brackets,
    nested,
    one_word,
    order_in,
    position_in,
)
from parlour.net.daide.server_messages import now, reports, supply, words


def parts(text: str) -> Nested:
    """Return the part after the first word of a message."""
    return nested(words(text)[1:])


def wander(board: str, phases: int) -> Iterator[Position]:
    """Positions of a match of chance."""
    position, rng = Position.start(named(board)), random.Random(5)
    for _ in range(phases):
        yield position
        position = position.following({seat: position.sample(seat, rng) for seat in position.to_act()})


@pytest.mark.parametrize("board", ["standard", "lagoon"])
def test_positions_and_centres_come_back_as_they_were_told(board: str) -> None:
    stages = set()
    for position in wander(board, 40):
        centres = centres_in(nested(supply(position)[1:]), position.board)
        found = position_in(nested(now(position)[1:]), position.board, centres)
        assert (now(found), supply(found), found.phase) == (now(position), supply(position), position.phase)
        stages.add(position.stage)
    assert stages == {"orders", "retreats", "adjustments"}


def test_orders_come_back_as_they_were_told() -> None:
    told = 0
    for position in wander("standard", 25):
        if (turn := position.turn) is None:
            continue
        for saying, ruling in zip(reports(turn), turn.rulings, strict=False):
            found = order_in(nested(saying[1:]), turn.before)
            assert found == (ruling.power, ruling.text)
            told += 1
    assert told > 200


def test_brackets_become_lists_and_lists_brackets() -> None:
    said = words("FRM ( ENG ) ( FRA GER ) ( PRP ( PCE ( ENG FRA ) ) )")
    assert nested(said) == ["FRM", ["ENG"], ["FRA", "GER"], ["PRP", ["PCE", ["ENG", "FRA"]]]]
    assert flat(nested(said)) == said
    assert nested([")", "YES"]) == [")", "YES"]


def test_who_has_nothing_and_nobody_have_no_centres() -> None:
    board = named("standard")
    assert centres_in(parts("SCO ( ENG LON ) ( FRA ) ( UNO BEL )"), board) == {"ENGLAND": ["LON"], "FRANCE": []}


def test_without_a_supply_message_the_centres_are_not_told() -> None:
    position = position_in(parts("NOW ( SPR 1901 ) ( ENG FLT NTH ) ( RUS FLT ( STP SCS ) )"), named("standard"), {})
    assert {seat: units for seat, units in position.units.items() if units} == {
        "ENGLAND": ["F NTH"],
        "RUSSIA": ["F STP/SC"],
    }


def test_an_order_that_cannot_be_read_is_none() -> None:
    start = Position.start()
    assert order_in(parts("ORD ( SPR 1901 ) ( ( ENG FLT LON ) MTO NTH ) ( SUC )"), start) == ("ENGLAND", "F LON - NTH")
    assert order_in(parts("ORD ( SPR 1901 ) ( ( ENG FLT LON ) JMP NTH ) ( SUC )"), start) is None


def test_what_should_be_in_brackets_or_should_not_is_told() -> None:
    with pytest.raises(RemoteWireError, match="'LON' where brackets were expected"):
        in_brackets("LON")
    with pytest.raises(RemoteWireError, match="brackets where a word was expected"):
        one_word(["LON"])
    with pytest.raises(RemoteWireError, match="a position that cannot be"):
        position_in(parts("NOW ( SPR 1901 ) ( ENG AMY NTH )"), named("standard"), {})
