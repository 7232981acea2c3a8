"""Tests of what orders cost to draw."""

from __future__ import annotations

from functools import partial

import pytest

from parlour.core.events import TurnEnded
from parlour.games.diplomacy.display.pages import PICTURES
from parlour.games.diplomacy.display.pictures import draw_turn
from parlour.games.diplomacy.draw.arrows import MOST_OF_ONE
from parlour.games.diplomacy.position import Position
from support.cost.counting import STEP, cost_of, excess_growth

SIZES = [50 * STEP**power for power in range(3)]
ORDERS = [
    "A PAR - BUR",
    "A PAR S A MAR - BUR",
    "A MAR - BUR",
    "F BRE H",
    "F BRE - ENG",
    "F BRE C A PAR - LON",
    "A PAR - LON VIA",
]


@pytest.mark.parametrize("seat", ["FRANCE", "ENGLAND"])
def test_drawing_a_turn_costs_no_more_than_its_orders(seat: str) -> None:
    start = Position.start()
    PICTURES.frame(start)

    def draw(size: int) -> None:
        after = start.resolve({seat: (ORDERS * size)[:size]})
        assert after.turn is not None
        PICTURES.turning(start, after, TurnEnded(at=0.0, turn=1, actions={}, happened={}))
        draw_turn(after.turn)

    draw(1)
    assert not excess_growth([cost_of(partial(draw, size)) for size in SIZES])


def test_drawing_a_plan_costs_no_more_than_its_orders() -> None:
    start = Position.start()

    def plan(size: int) -> None:
        PICTURES.planned(start, [("FRANCE", text) for text in (ORDERS * size)[:size]])

    plan(1)
    assert not excess_growth([cost_of(partial(plan, size)) for size in SIZES])


def test_of_many_orders_for_a_unit_a_few_are_drawn() -> None:
    drawn = PICTURES.planned(Position.start(), [("FRANCE", "A PAR - BUR")] * 50)
    assert len(drawn) == 50
    assert sum(bool(result.layers) for result in drawn) == MOST_OF_ONE
