"""Removals of a power that orders nothing: the farthest from home, fleets first, then by the alphabet."""

from __future__ import annotations

import random

import pytest

from parlour.cli.adjudicate import adjudicate
from parlour.games.diplomacy.maps.map import standard
from support.diplomacy.movement_phases import STYLES, placed, write_unit
from support.diplomacy.oracle import Unit, ground, province

BOARD = standard()
HOMES = {power.name: {BOARD.provinces[home].tag for home in power.homes} for power in BOARD.powers}
NEUTRAL = [p.tag for p in BOARD.provinces if p.centre and p.home is None]


def steps(unit: Unit) -> int:
    """Return the distance of the unit from the nearest home centre of its power, by walking outwards."""
    land = ground()
    edge, seen, count = {unit.area}, {unit.area}, 0
    while not any(province(area) in HOMES[unit.power] for area in edge):
        if unit.kind == "F":
            found = {near for area in edge for near in land.fleet[area]}
        else:  # An army counts seas as steps too, DATC 4.D.8; shores do not matter to it.
            borders = {near for place in edge for area in (place, *land.areas[place]) for near in land.fleet[area]}
            found = {province(near) for near in borders} | {near for place in edge for near in land.army[place]}
        edge, count = found - seen, count + 1
        seen |= found
    return count


@pytest.mark.parametrize("power", [power.name for power in BOARD.powers])
def test_the_farthest_units_are_removed(power: str) -> None:
    rng = random.Random(power)
    for _ in range(60):
        crowd = placed(rng, STYLES["wild"]).values()
        units = [Unit(power, unit.kind, unit.area) for unit in crowd][:17]
        kept = rng.randint(1, len(units) - 1)
        centers = (sorted(HOMES[power]) + NEUTRAL)[:kept]
        answer = adjudicate(
            {"phase": "W1905A", "units": {power: [write_unit(unit) for unit in units]}, "centers": {power: centers}}
        )
        order = sorted(units, key=lambda unit: (-steps(unit), unit.kind != "F", province(unit.area)))
        expected = [write_unit(unit) for unit in order[len(units) - len(centers) :]]
        assert sorted(answer["units"][power]) == sorted(expected)
