"""Orders as bots write them: what stands of them, in which words, is what the package's own engine makes of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.core.game import Seat
from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.net.mila.possible import possible
from support.mila.servers import seen_by_client


@pytest.mark.timeout(300)
def test_the_same_orders_stand_in_the_same_words_as_in_the_package() -> None:
    seen = asyncio.run(seen_by_client("original_orders", 6, 12))
    assert {state["name"][-1] for state, _ in seen} == {"M", "R", "A"}
    for state, orders in seen:
        position = position_of_state(state)
        for power, (given, there) in orders.items():
            if position.stage == "adjustments":
                there = there[: abs(position.builds[power])]  # the rest turns out to be void there
            here = possible(position, Seat(power), given)
            assert sorted(here) == sorted(there), (position.phase, power, given)


def test_what_the_package_takes_in_any_spelling_is_taken_here_too() -> None:
    taken = 0
    for state, found in asyncio.run(seen_by_client("original_spellings")):
        position = position_of_state(state)
        for power, text, there in found:
            if not there or (there == ["F TRI D"] and " R " in text):
                continue  # there a unit is disbanded whose retreat is misspelt
            here = possible(position, Seat(power), [text])
            if "VIA" not in text and there != here:
                here = [order.removesuffix(" VIA") for order in here]  # it has no other way
            if "VIA BY SEA" in text:
                continue  # the way is said twice
            assert here == there, (position.phase, power, text)
            taken += 1
    assert taken > 1500


@pytest.mark.parametrize(
    "written",
    [
        "A PAR - BUR # for A MUN",
        "#A PAR - BUR",
        "MOVE A PAR - BUR",
        "please: French army Paris is moving to Burgandy!",
        "GERMANY: A PAR - BURG -- or so",
        "THE ARMY IN PAR TO BUR/WEST",
    ],
)
def test_words_around_an_order_order_nothing(written: str) -> None:
    assert possible(start(), Seat("FRANCE"), [written, "A MAR H"]) == ["A PAR - BUR", "A MAR H"]


@pytest.mark.parametrize(
    "written",
    [
        "A PAR S A MAR - BURGUNDIA",  # not a support of an army that holds
        "A PAR or A MAR - BUR",
        "HOLD A PAR - BUR",
        "SUPPORT A PAR - BUR",
        "A PAR - BUR TO PIC",
        "PLEASE",
        "#",
        "# " + "A PAR - BUR " * 20,
        "MOVE",
        "MOVE TO BUR # A PAR",
    ],
)
def test_what_may_have_meant_something_else_is_no_order(written: str) -> None:
    assert possible(start(), Seat("FRANCE"), [written]) == []


def test_of_several_moves_the_last_stands_and_of_several_retreats_builds_and_removals_the_first() -> None:
    spring = start()
    assert possible(spring, Seat("RUSSIA"), ["F STP - BOT", "F STP/SC - FIN"]) == ["F STP/SC - FIN"]
    assert possible(spring, Seat("FRANCE"), ["A MAR - SPA/SC", "F BRE - MAO"]) == ["A MAR - SPA", "F BRE - MAO"]
    taken: dict[Seat, Any] = {Seat("ITALY"): ["A VEN - TYR", "A ROM - VEN"], Seat("RUSSIA"): ["F STP/SC - BOT"]}
    fall, _ = spring.apply({seat: taken.get(seat, []) for seat in spring.to_act()})
    taken = {Seat("ITALY"): ["A TYR - TRI", "A VEN S A TYR - TRI"], Seat("RUSSIA"): ["F BOT - SWE"]}
    retreats, _ = fall.apply({seat: taken.get(seat, []) for seat in fall.to_act()})
    assert possible(retreats, Seat("AUSTRIA"), ["F TRI R VEN", "F TRI - ALB", "F TRI D"]) == ["F TRI R ALB"]
    winter, _ = retreats.apply({Seat("AUSTRIA"): ["F TRI R ALB"]})
    assert possible(winter, Seat("RUSSIA"), ["WAIVE", "F STP/NC B", "F STP/SC B", "A MOS B"]) == ["F STP/NC B"]
    assert possible(winter, Seat("AUSTRIA"), ["A BUD D", "F ALB D"]) == ["A BUD D"]


def test_a_fleet_supports_a_fleet_to_any_shore_and_an_army_to_the_one_that_it_names() -> None:
    state = write_state(start()) | {"units": {"FRANCE": ["F POR", "F MAR", "A GAS"], "ITALY": ["A SPA"]}}
    position = position_of_state(state)
    given = ["F POR - SPA/SC", "F MAR S F POR - SPA/NC", "A GAS S F POR - SPA/NC"]
    taken = possible(position, Seat("FRANCE"), given)
    assert taken == ["F POR - SPA/SC", "F MAR S F POR - SPA", "A GAS S F POR - SPA/NC"]
    after, _ = position.apply({seat: taken if seat == "FRANCE" else [] for seat in position.to_act()})
    assert "F SPA/SC" in after.units["FRANCE"], "by the one support that counts"


@pytest.mark.parametrize(
    ("power", "written", "meant"),
    [
        ("FRANCE", "F BRE - Mid-Atlantic", "F BRE - MAO"),
        ("FRANCE", "FLEET BREST - MID ATLANTIC OCEAN", "F BRE - MAO"),
        ("ENGLAND", "F LON - Channel", "F LON - ENG"),
        ("ENGLAND", "F EDI - Norwegian", "F EDI - NWG"),
        ("GERMANY", "F KIE - Heligoland Bight", "F KIE - HEL"),
        ("GERMANY", "Army Munich moves to Tyrol", "A MUN - TYR"),
        ("RUSSIA", "F St Petersburg (South Coast) - Bothnia", "F STP/SC - BOT"),
        ("RUSSIA", "F SEV - Romania", "F SEV - RUM"),
    ],
)
def test_places_have_the_names_that_people_give_them(power: str, written: str, meant: str) -> None:
    assert possible(start(), Seat(power), [written]) == [meant]
