"""Joint orders of powers: each supports the other, within limits, and no third power pays for it."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.agents.diplomacy.bounds import Limits
from parlour.agents.diplomacy.dumbbot_variants import new_rollouts
from parlour.agents.diplomacy.joint_orders import Concert, concerted
from parlour.agents.diplomacy.position_study import Study
from parlour.games.diplomacy.position import Position
from support.press.stories import at

UNITS = "FRA=ABUR,FBAL;AUS=ATYR,APRU;GER=AMUN,ABER"
CENTRES = "FRA=PAR,MAR;AUS=VIE,TRI;GER=MUN,BER"
AUSTRIA, FRANCE = 0, 2


def only(position: Position, *orders: str) -> Limits:
    """Return one order for each of some units."""
    places = {province.tag: number for number, province in enumerate(position.board.provinces)}
    return {places[text.split()[1]]: (text,) for text in orders}


def together(position: Position, limits: Limits, *, seed: int = 1) -> Concert:
    study = Study(new_rollouts(position.board), position, np.random.default_rng(seed))
    plans = only(position, "A BUR - MUN", "F BAL H", "A TYR H", "A PRU - BER")
    return concerted(study, [AUSTRIA, FRANCE], plans, limits, (), 600)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_take_together_what_neither_takes_alone(seed: int) -> None:
    found = together(at("F1902M", UNITS, CENTRES), {}, seed=seed)
    orders = [*found.orders[AUSTRIA], *found.orders[FRANCE]]
    helps = {text for text in orders if " S " in text}
    assert helps & {"A TYR S A BUR - MUN", "A PRU S F BAL - BER"}, "Austria helps France"
    assert helps & {"F BAL S A PRU - BER", "A BUR S A TYR - MUN"}, "France helps Austria"
    assert min(found.gains.values()) > 0.01


def test_what_is_promised_elsewhere_is_kept() -> None:
    position = at("F1902M", UNITS, CENTRES)
    found = together(position, only(position, "A TYR - VEN", "F BAL - SWE"))
    assert "A TYR - VEN" in found.orders[AUSTRIA]
    assert "F BAL - SWE" in found.orders[FRANCE]
