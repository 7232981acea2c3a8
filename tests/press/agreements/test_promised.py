"""Knowledge about a promised order: if the unit exists, the unit it helps, and if it can be given."""

from __future__ import annotations

import random

import pytest

from parlour.games.diplomacy.position import Position
from parlour.press.agreements.promised import Promised, possible
from parlour.press.language import message_types as v
from parlour.press.orders import from_text
from parlour.press.press_position import PhaseBoard, board_of
from support.press.stories import SEATS, at, promised_order

BOARD = board_of(at("S1902M", "FRA=APIC,ABUR;GER=ABEL;ENG=FNTH,FSPA/SC,ALON", "FRA=PAR,MAR;GER=MUN,BEL"))


@pytest.mark.parametrize(
    ("order", "text", "helps", "possible"),
    [
        ("(FRA AMY PIC) MTO BEL", "A PIC - BEL", True, True),
        ("(FRA AMY PIC) MTO LON", "A PIC - LON", True, False),
        ("(FRA AMY BUR) SUP (FRA AMY PIC) MTO BEL", "A BUR S A PIC - BEL", True, True),
        ("(FRA AMY BUR) SUP (GER AMY PIC) MTO BEL", "A BUR S A PIC - BEL", False, False),  # not his
        ("(FRA AMY BUR) SUP (FRA AMY MAR)", "A BUR S A MAR", False, False),  # nobody there
        ("(ENG FLT NTH) CVY (ENG AMY LON) CTO BEL", "F NTH C A LON - BEL", True, True),
        ("(ENG AMY LON) CTO BEL VIA (NTH)", "A LON - BEL VIA", True, True),
        ("(ENG AMY LON) CTO BEL VIA (ECH)", "A LON - BEL VIA", True, True),  # the way makes no difference
        ("(FRA AMY PIC) CTO BEL VIA (ECH)", "A PIC - BEL VIA", True, True),  # it may go by land
        ("(ENG FLT SPA) MTO MAO", "F SPA/SC - MAO", True, True),  # the coast is the one it stands on
        ("(ENG FLT (SPA SCS)) MTO GAS", "F SPA/SC - GAS", True, False),  # from the other coast only
    ],
)
def test_what_is_known_of_an_order(order: str, text: str, helps: bool, possible: bool) -> None:
    found = Promised.on(BOARD, promised_order(order))
    assert (found.text, found.helps, found.possible) == (text, helps, possible)
    assert found.unit is BOARD.units[found.province]


@pytest.mark.parametrize("order", ["(FRA AMY PAR) HLD", "(FRA FLT PIC) HLD", "(GER AMY PIC) HLD"])
def test_there_is_no_such_unit(order: str) -> None:
    assert Promised.on(BOARD, promised_order(order)).unit is None


@pytest.mark.parametrize("order", ["(FRA AMY PIC) RTO BRE", "(FRA AMY PIC) DSB", "(FRA AMY PAR) BLD", "FRA WVE"])
def test_nothing_is_said_of_what_is_not_due(order: str) -> None:
    assert Promised.on(BOARD, promised_order(order)) == Promised()


@pytest.mark.parametrize("seed", range(3))
def test_what_the_rules_list_is_possible_and_what_they_do_not_is_not(seed: int) -> None:
    """Every order of every unit, and the same orders a phase later, when many are out of date."""
    rng, position, earlier = random.Random(seed), Position.start(), list[tuple[v.Order, str]]()
    for _ in range(25):
        board = board_of(position)
        now = _listed(position, board)
        assert all(possible(order, board) for order, _ in now)
        for order, text in earlier:
            if Promised.on(board, order).possible:
                legal = position.legal(SEATS[order.unit.power])  # type: ignore[union-attr]
                assert text in legal or text.removesuffix(" VIA") in legal, text  # by land it is the same
        earlier = rng.sample(now, min(len(now), 60)) if position.stage == "orders" else []
        position = position.following({seat: position.sample(seat, rng) for seat in position.to_act()})


def _listed(position: Position, board: PhaseBoard) -> list[tuple[v.Order, str]]:
    found = []
    for word, seat in SEATS.items():
        for text in position.legal(seat):
            order = from_text(text, board, word)
            assert order is not None, text
            found.append((order, text))
    return found
