"""Orders in words of all kinds, as the engine of the `diplomacy` package reads them in random games: SEEDS PHASES.

It runs where only that package is installed, and prints states, orders and what stood of them as one line of JSON.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from diplomacy import Game  # type: ignore[import-untyped]

CANNOT_BE = ("A MOS - PAR", "F PAR H", "A SPA/NC - POR")


def spelt(order: str, phase: str, rng: random.Random) -> str:
    """The same order in other words: without a coast that is clear, with one that is needless, in any letters."""
    words = order.split()
    if rng.random() < 0.5 and words[0] == "F" and phase[-1] != "A":
        words[1] = words[1][:3]  # where a fleet stands is known
    if words[0] == "A" and words[2:3] == ["-"] and words[3] in ("SPA", "BUL", "STP") and words[-1] != "VIA":
        words[3] += "/SC"
    if phase[-1] == "R" and words[2] == "R" and rng.random() < 0.5:
        words[2] = "-"
    return rng.choice((str.lower, str.upper))(rng.choice((" ", " ", "  ")).join(words))


def given(game: Any, power: str, rng: random.Random) -> list[str]:
    """Up to two orders for each unit or site, in any order; some cannot be."""
    found, phase = game.get_all_possible_orders(), game.get_current_phase()
    orders = [
        spelt(order, phase, rng)
        for place in sorted(game.get_orderable_locations(power))
        for order in rng.choices(sorted(set(found[place]) - {"WAIVE"}), k=rng.randint(1, 2))
    ]
    rng.shuffle(orders)
    return [*orders, *rng.sample(CANNOT_BE, 2)]


def main() -> None:
    """Play the games."""
    seen = []
    for seed in range(int(sys.argv[1])):
        rng, game = random.Random(seed), Game()
        while len(game.state_history) < int(sys.argv[2]):
            orders = {power: given(game, power, rng) for power in game.powers if game.get_orderable_locations(power)}
            for power, own in orders.items():
                game.set_orders(power, own)
            seen.append([game.get_state(), {power: [own, game.get_orders(power)] for power, own in orders.items()}])
            game.process()
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    main()
