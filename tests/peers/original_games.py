"""Random games of the `diplomacy` package's own engine on its maps, as a line of JSON: SEED PHASES MAP...

It runs where only that package is installed. Orders in which the package is known to err are not chosen.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from diplomacy import Game  # type: ignore[import-untyped]


def errs(game: Any, power: str, order: str) -> bool:
    """Return True if the package may err: an own unit would be dislodged, or an army sails to an occupied place."""
    taken = {unit.split()[1][:3]: name for name, own in game.powers.items() for unit in own.units}
    words = order.split()
    if " S " in order and " - " in order:
        return bool(taken.get(words[-1][:3]) == power)
    return words[-1] == "VIA" and words[-2][:3] in taken


def facts(game: Any) -> dict[str, Any]:
    """Return the units before a phase, and its possible orders."""
    state, possible = game.get_state(), game.get_all_possible_orders()
    return {
        "phase": game.get_current_phase(),
        "units": {name: [unit for unit in own if unit[0] != "*"] for name, own in state["units"].items()},
        "centers": state["centers"],
        "retreats": state["retreats"],
        "builds": {name: entry["count"] for name, entry in state["builds"].items() if entry["count"]},
        "legal": {
            name: sorted({order for place in game.get_orderable_locations(name) for order in possible[place]})
            for name in game.powers
        },
    }


def played(name: str, seed: int, count: int) -> dict[str, Any]:
    """A game: each phase with the orders that were given in it, and what stood last."""
    game, chance = Game(map_name=name), random.Random(seed)
    phases: list[dict[str, Any]] = []
    while len(phases) < count and not game.is_game_done:
        here, possible = facts(game), game.get_all_possible_orders()
        orders: dict[str, list[str]] = {}
        for power in game.powers:
            orders[power] = []
            for place in game.get_orderable_locations(power):
                wanted = [order for order in possible[place] if not errs(game, power, order)]
                moves = [order for order in wanted if " - " in order and " S " not in order]
                orders[power].append(chance.choice(moves if moves and chance.random() < 0.5 else wanted))
            due = game.get_state()["builds"][power]["count"]
            if game.phase_type == "A":
                orders[power] = orders[power][: abs(due)]
        phases.append({**here, "orders": orders})
        for power, own in orders.items():
            game.set_orders(power, own)
        game.process()
    return {"map": name, "phases": phases, "end": facts(game), "done": bool(game.is_game_done)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps([played(name, int(sys.argv[1]), int(sys.argv[2])) for name in sys.argv[3:]]))
