"""Orders as bots write them: what stands of them, in which words, is what the package's own engine makes of them."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from mila_servers import seen_by_client
from parlour.core.game import Seat
from parlour.games.diplomacy import start
from parlour.games.diplomacy.states import position_of_state
from parlour.net.mila.possible import possible


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
            assert sorted(map(shoreless, here)) == sorted(map(shoreless, there)), (position.phase, power, given)


def shoreless(order: str) -> str:
    """Without the shore that a support may name for a move, which the package drops where fleets support fleets."""
    return re.sub(r"( S . \S+ - ...)/..$", r"\1", order)


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
