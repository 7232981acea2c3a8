"""Orders among other words: what is left of them is the order, or all of it, if that may have meant something."""

from __future__ import annotations

import pytest

from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.ordering.sifting import sifted


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("A PAR - BUR", "A PAR - BUR"),
        ("a par - bur # my own idea", "A PAR - BUR"),
        ("MOVE A PAR - BUR", "A PAR - BUR"),
        ("SUPPORT A PAR A MAR - BUR", "A PAR SUPPORT A MAR - BUR"),
        ("HOLD A PAR", "A PAR HOLD"),
        ("GO A PAR H", "A PAR H"),
        ("A PAR - H", "A PAR H"),
        ("F LON SUPPORTS TO F EDI - NTH", "F LON SUPPORTS F EDI - NTH"),
        ("F LON - NTH BY SEA", "F LON - NTH"),
        ("A LON - NWY BY SEA", "A LON - NWY BY"),
        ("A PAR/EC - BUR", "A PAR - BUR"),
        ("F STP/SOUTH - BOT", "F STP - BOT"),
        ("F STP/SC - BOT", "F STP SC - BOT"),
        ("A PAR S THE GERMAN ARMY IN MUN TO BUR", "A PAR S ARMY MUN TO BUR"),
        ("F LON - ENGLISH CHANNEL, England", "F LON - ENGLISH CHANNEL"),
        ("F BRE - MID-ATLANTIC OCEAN //", "F BRE - MID - ATLANTIC OCEAN"),
        ("so be it: A PAR - BUR -- amen", "A PAR - BUR"),
    ],
)
def test_words_that_order_nothing_are_gone(text: str, left: str) -> None:
    assert sifted(text, standard()) == left


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#",
        "# #",
        "whatever",
        "A PAR - XYZ BUR",
        "A XYZ - BUR",
        "HOLD A PAR - BUR",
        "MOVE",
        "TO - -",
        "A PAR H #" * 30,
    ],
)
def test_what_is_no_order_is_left_as_it_is(text: str) -> None:
    assert sifted(text, standard()) == text


def test_each_map_has_its_own_words() -> None:
    assert sifted("please A APE - ISLE", named("lagoon")) == "A APE - ISLE"
    assert sifted("please A APE - ISLE", standard()) == "please A APE - ISLE"
