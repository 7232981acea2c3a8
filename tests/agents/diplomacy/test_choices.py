"""Choices: a change of one order leaves no support, convoy or move behind that no longer makes sense."""

from __future__ import annotations

import random

import pytest

from parlour.agents.diplomacy.choices import HOLD, moves, target_of
from parlour.agents.diplomacy.position_study import Study
from parlour.games.diplomacy.position import Position
from support.diplomacy.orders import choices_of, set_of, study_of, texts_of
from support.press.stories import at

SUPPORTED = at("S1902M", "FRA=ABUR,APAR,AMAR,AGAS;GER=AMUN,FBEL", "FRA=PAR,MAR,BRE;GER=MUN,BEL")
CROSSING = at("S1902M", "ENG=ALVP,FIRI,FNTH,FENG;FRA=ABRE", "ENG=LVP,LON,EDI;FRA=BRE,PAR,MAR")


def changed(study: Study, seat: str, before: list[str], change: str) -> list[str] | None:
    choices = choices_of(study, seat)
    orders = choices.as_dict(set_of(study, seat, before))
    order = set_of(study, seat, [change])
    unit = next(unit for unit, new in choices.as_dict(order).items() if new != HOLD or change.endswith(" H"))
    if change.endswith(" H"):
        place = change.split()[1]
        unit = next(u for u in choices.units if study.position.board.provinces[u].tag == place)
    found = choices.changed(orders, unit, choices.as_dict(order)[unit])
    return None if found is None else texts_of(study, seat, found)


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (  # a support follows its unit to another place
            ["A BUR - MUN", "A PAR S A MAR - BUR", "A MAR - BUR", "A GAS H"],
            "A MAR - GAS",
            ["A BUR - MUN", "A GAS H", "A MAR - GAS", "A PAR S A MAR - GAS"],
        ),
        (  # and supports it where it stays
            ["A GAS S A PAR - BUR", "A PAR - BUR", "A BUR - MUN"],
            "A PAR H",
            ["A BUR - MUN", "A GAS S A PAR", "A MAR H", "A PAR H"],
        ),
        (  # or moves along when a unit that was supported leaves
            ["A PAR S A GAS", "A GAS H"],
            "A GAS - BUR",
            ["A BUR H", "A GAS - BUR", "A MAR H", "A PAR S A GAS - BUR"],
        ),
        (  # and if it cannot reach that, it holds
            ["A PAR S A BUR"],
            "A BUR - MUN",
            ["A BUR - MUN", "A GAS H", "A MAR H", "A PAR H"],
        ),
        (  # a support brings about the move that it is for
            [],
            "A PAR S A MAR - BUR",
            ["A BUR H", "A GAS H", "A MAR - BUR", "A PAR S A MAR - BUR"],
        ),
        (  # or keeps at home what it supports there
            ["A BUR - BEL"],
            "A PAR S A BUR",
            ["A BUR H", "A GAS H", "A MAR H", "A PAR S A BUR"],
        ),
        (  # who wanted to go there too supports
            ["A GAS - BUR", "A BUR - MUN"],
            "A PAR - BUR",
            ["A BUR - MUN", "A GAS S A PAR - BUR", "A MAR H", "A PAR - BUR"],
        ),
    ],
)
def test_a_change_is_repaired(before: list[str], change: str, after: list[str]) -> None:
    assert changed(study_of(SUPPORTED), "FRANCE", before, change) == after


def test_a_convoy_brings_one_fleet_if_one_is_enough() -> None:
    study = study_of(CROSSING)
    found = changed(study, "ENGLAND", [], "A LVP - WAL")
    assert found is not None
    by_sea = changed(study, "ENGLAND", [], "A LVP - BRE VIA")
    assert by_sea == ["A LVP - BRE VIA", "F ENG C A LVP - BRE", "F IRI C A LVP - BRE", "F NTH H"]
    near = at("S1902M", "ENG=AYOR,FNTH,FENG;FRA=ABRE", "ENG=LVP;FRA=BRE")
    assert changed(study_of(near), "ENGLAND", [], "A YOR - BEL VIA") == [
        "A YOR - BEL VIA",
        "F ENG H",
        "F NTH C A YOR - BEL",
    ]


def test_a_fleet_that_carries_brings_the_army_and_lets_go_when_it_stays() -> None:
    near = at("S1902M", "ENG=AYOR,FNTH;FRA=ABRE", "ENG=LVP;FRA=BRE")
    study = study_of(near)
    assert changed(study, "ENGLAND", [], "F NTH C A YOR - BEL") == ["A YOR - BEL VIA", "F NTH C A YOR - BEL"]
    both = ["A YOR - BEL VIA", "F NTH C A YOR - BEL"]
    assert changed(study, "ENGLAND", both, "A YOR - LON") == ["A YOR - LON", "F NTH H"]
    assert changed(study, "ENGLAND", both, "F NTH - BEL") == ["A YOR H", "F NTH - BEL"]


def test_without_repair_nothing_follows() -> None:
    study = study_of(SUPPORTED)
    choices = choices_of(study, "FRANCE", repairs=False)
    orders = choices.as_dict(set_of(study, "FRANCE", ["A GAS S A PAR - BUR", "A PAR - BUR", "A BUR - MUN"]))
    paris = next(unit for unit in choices.units if study.position.board.provinces[unit].tag == "PAR")
    found = choices.changed(orders, paris, HOLD)
    assert found is not None
    assert texts_of(study, "FRANCE", found) == ["A BUR - MUN", "A GAS S A PAR - BUR", "A MAR H", "A PAR H"]
    holding = choices.as_dict(set_of(study, "FRANCE", ["A PAR S A BUR"]))
    belgium = next(province.id for province in study.position.board.provinces if province.tag == "BEL")
    (massed,) = choices.assaults(holding, belgium)
    assert texts_of(study, "FRANCE", massed) == ["A BUR - BEL", "A GAS H", "A MAR H", "A PAR S A BUR"]


def test_all_who_can_stand_behind_one_attack_or_one_hold() -> None:
    study = study_of(SUPPORTED)
    choices = choices_of(study, "FRANCE")
    orders = choices.as_dict(set_of(study, "FRANCE", ["A GAS - SPA"]))
    tags = {province.tag: province.id for province in study.position.board.provinces}
    massed = [texts_of(study, "FRANCE", found) for found in choices.assaults(orders, tags["BEL"])]
    assert massed == [["A BUR - BEL", "A GAS - SPA", "A MAR H", "A PAR H"]]
    held = texts_of(study, "FRANCE", choices.stand(orders, tags["BUR"]))
    assert held == ["A BUR H", "A GAS S A BUR", "A MAR S A BUR", "A PAR S A BUR"]


def test_supports_of_others_only_if_likely() -> None:
    position = at("S1902M", "FRA=ABUR;GER=AMUN,AKIE;RUS=ABOH", "FRA=PAR;GER=MUN,KIE;RUS=WAR")
    study = study_of(position)
    choices = choices_of(study, "FRANCE")
    tags = {province.tag: province.id for province in position.board.provinces}
    (burgundy,) = choices.units
    none = choices.sensible(burgundy, frozenset())
    some = choices.sensible(burgundy, frozenset({(tags["BOH"], 4 | tags["MUN"] << 8)}))
    assert [order for order in some if order not in none] == [6 | tags["MUN"] << 8 | tags["BOH"] << 16]
    assert all(order & 255 != 5 for order in none)


def test_no_repaired_set_has_a_support_without_its_order() -> None:
    position, rng = Position.start(), random.Random(4)
    for number in range(14):
        if position.stage == "orders" and number > 4:
            study = study_of(position)
            for seat in position.to_act()[:3]:
                choices = choices_of(study, seat)
                orders = choices.as_dict(tuple(HOLD for _ in choices.units))
                for _ in range(40):
                    unit = rng.choice(choices.units)
                    found = choices.changed(orders, unit, rng.choice(choices.sensible(unit, frozenset())))
                    if found is None:
                        continue
                    orders = choices.as_dict(found)
                    for order in found:
                        if order & 255 == 6:
                            mover = orders[order >> 16 & 255]
                            assert moves(mover)
                            assert target_of(mover) == target_of(order)
                        if order & 255 == 5:
                            assert not moves(orders[target_of(order)])
                    assert not position.check(seat, texts_of(study, seat, found))
        position, _ = position.apply({seat: position.sample(seat, rng) for seat in position.to_act()})
