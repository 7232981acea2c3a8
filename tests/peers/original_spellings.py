"""Orders in hundreds of spellings, as the engine of the `diplomacy` package reads them in phases of each kind.

It runs where only that package is installed, and prints states, and each order with what stood of it, as one line of
JSON.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping
from typing import Any

from diplomacy import Game  # type: ignore[import-untyped]

from support.diplomacy.order_spellings import spellings

MOVEMENT = {
    "FRANCE": ("A PAR - BUR", "A PAR H", "F BRE - MAO", "F BRE - ENG", "A MAR - SPA", "A MAR S A PAR - BUR"),
    "ENGLAND": ("F LON - NTH", "F EDI - NWG", "A LVP - YOR", "F LON S F EDI - NTH", "F EDI S F LON"),
    "RUSSIA": ("F STP/SC - BOT", "F SEV - BLA", "A MOS S F STP/SC - LVN", "F STP/SC H"),
    "ITALY": ("F NAP - TYS", "A VEN - PIE", "A ROM H"),
    "AUSTRIA": ("F TRI - ALB", "A VIE - TYR", "A BUD - SER"),
    "GERMANY": ("F KIE - HEL", "A MUN - TYR"),
}  # fmt: skip
SPRING = {
    "ITALY": ["A VEN - TYR", "A ROM - VEN"],
    "RUSSIA": ["F STP/SC - BOT"],
    "ENGLAND": ["F LON - NTH", "A LVP - YOR"],
}
AT_SEA = {"ENGLAND": ("F NTH C A YOR - NWY", "A YOR - NWY VIA")}
FALL = {"ITALY": ["A TYR - TRI", "A VEN S A TYR - TRI"], "RUSSIA": ["F BOT - SWE"]}
RETREATS = {"AUSTRIA": ("F TRI R ALB", "F TRI D")}
WINTER = {
    "RUSSIA": ("F STP/NC B", "A STP B", "A MOS B"),
    "ITALY": ("A VEN B", "F NAP B"),
    "AUSTRIA": ("A VIE D", "F ALB D"),
}


def seen(game: Any, orders: Mapping[str, tuple[str, ...]]) -> list[Any]:
    """The state, and what stands of each spelling if it is all that a power orders."""
    rng, found = random.Random(7), []
    for power, own in orders.items():
        for order in own:
            for text in dict.fromkeys(spellings(order, rng)):
                game.clear_orders(power)
                try:
                    game.set_orders(power, [text])
                    found.append([power, text, game.get_orders(power)])
                except (IndexError, ValueError):
                    found.append([power, text, None])  # the server would end the connection
        game.clear_orders(power)
    return [game.get_state(), found]


def main() -> None:
    """Go through a year."""
    game = Game()
    all_seen = [seen(game, MOVEMENT)]
    for power, orders in SPRING.items():
        game.set_orders(power, orders)
    game.process()
    all_seen.append(seen(game, AT_SEA))
    for power, orders in FALL.items():
        game.set_orders(power, orders)
    game.process()
    all_seen.append(seen(game, RETREATS))
    game.set_orders("AUSTRIA", ["F TRI R ALB"])
    game.process()
    all_seen.append(seen(game, WINTER))
    sys.stdout.write(json.dumps(all_seen) + "\n")


if __name__ == "__main__":
    main()
