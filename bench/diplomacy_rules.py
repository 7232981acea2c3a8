"""Speed of Diplomacy: legal orders and adjudication, beside the `diplomacy` package in the same run.

Run: python bench/diplomacy_rules.py        CPU time, one thread

Every engine plays the same way from spring 1901, for 40 phases: one random order per orderable location from the
engine's own list, and as many random adjustments as are due. Drawing is not timed. Games differ because the lists do.
Legal orders are listed by province, unsorted, as the package does; the kernel's list by power, which is sorted, has a
row of its own. A Position lists integers by power and strings by province.
Rounds of all engines alternate and the least of each counts, since whatever else runs on the machine only adds.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

import usage
from parlour.core.kernels import is_compiled
from parlour.games.diplomacy.engine.codes import STATE
from parlour.games.diplomacy.engine.rules import States, rules_of
from parlour.games.diplomacy.kernel import desk
from parlour.games.diplomacy.position import Position

PHASES = 40
BATCH = 256
ROUNDS = 5


@dataclass
class Cost:
    """CPU seconds of one way to play, and the phases played."""

    listing: float = 0.0
    playing: float = 0.0
    phases: int = 0

    def per_phase(self) -> tuple[float, float, float]:
        """Return the microseconds per phase for listing, for playing, and for both."""
        listing, playing = (seconds / self.phases * 1e6 for seconds in (self.listing, self.playing))
        return listing, playing, listing + playing


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call, and its CPU time."""
    begin = process_time()
    result = call()
    return result, process_time() - begin


def batch(seed: int) -> Cost:
    """Time the kernel with integer actions, many games at once; orders are listed by province, as in the package."""
    return _batch(seed, rules_of().legal_by_province)


def batch_by_power(seed: int) -> Cost:
    """Time the kernel with actions listed by power, in ascending order."""
    return _batch(seed, rules_of().legal)


def _batch(seed: int, listing: Callable[[States], object]) -> Cost:
    rules, cost = rules_of(), Cost()
    states = np.repeat(rules.start()[None], BATCH, axis=0)
    for phase in range(PHASES):
        _, took = timed(lambda states=states: listing(states))
        cost.listing += took
        seeds = np.random.default_rng([seed, phase]).integers(0, 2**63, BATCH, np.uint64)
        actions = rules.sample(states, seeds)
        (states, _), took = timed(lambda states=states, actions=actions: rules.step(states, actions))
        cost.playing += took
        cost.phases += BATCH
    return cost


def position_with_integers(seed: int) -> Cost:
    """Time one Position at a time, with integer actions."""
    rules, cost, position = rules_of(), Cost(), Position.start()
    for phase in range(PHASES):
        _, took = timed(position.legal_actions)
        cost.listing += took
        actions = rules.sample(position.row, np.array([seed * PHASES + phase], np.uint64))[0]
        position, took = timed(lambda position=position, actions=actions: position.step(actions))
        cost.playing += took
        cost.phases += 1
    return cost


def position_with_strings(seed: int) -> Cost:
    """Time one Position at a time, with order strings."""
    rng, cost, position = random.Random(seed), Cost(), Position.start()
    for _ in range(PHASES):
        (orders, places), took = timed(lambda position=position: (position.orders(), position.orderable()))
        cost.listing += took
        due = rules_of().builds(position.row)[0].tolist()
        chosen = {power: pick(rng, places[power], orders, due[n]) for n, power in enumerate(places)}
        position, took = timed(lambda position=position, chosen=chosen: position.resolve(chosen))
        cost.playing += took
        cost.phases += 1
    return cost


def package(seed: int) -> Cost:
    """Time the `diplomacy` package."""
    from diplomacy import Game

    rng, cost, game = random.Random(seed), Cost(), Game()
    for _ in range(PHASES):
        orders, took = timed(game.get_all_possible_orders)
        cost.listing += took
        chosen = {}
        for name, places in game.get_orderable_locations().items():
            power = game.get_power(name)
            due = len(power.centers) - len(power.units) if game.phase_type == "A" else 0
            chosen[name] = pick(rng, places, orders, due)
        _, took = timed(lambda chosen=chosen: [game.set_orders(name, orders) for name, orders in chosen.items()])
        cost.playing += took
        _, took = timed(game.process)
        cost.playing += took
        cost.phases += 1
    return cost


def pick(rng: random.Random, places: list[str], orders: dict[str, list[str]], due: int) -> list[str]:
    """Return one order for each place, or in winter for as many places as are due; nothing is waived."""
    listed = {place: [order for order in orders[place] if order != "WAIVE"] for place in places}
    open_places = [place for place in places if listed[place]]
    if due:
        open_places = rng.sample(open_places, min(abs(due), len(open_places)))
    return [rng.choice(listed[place]) for place in open_places]


def least(play: Callable[[int], Cost], games: int, seed: int, known: Cost | None) -> Cost:
    """Return the cost of several games, or the known cost if it was less: other work on the machine only adds."""
    costs = [play(seed + game) for game in range(games)]
    cost = Cost(*(sum(getattr(cost, name) for cost in costs) for name in ("listing", "playing", "phases")))
    return cost if known is None or cost.per_phase()[2] < known.per_phase()[2] else known


def copying(call: Callable[[], object], times: int) -> float:
    """Return the microseconds per copy."""
    return timed(lambda: [call() for _ in range(times)])[1] / times * 1e6


def main() -> None:
    """Print every figure."""
    if not is_compiled(desk):
        print("the kernels are not compiled: these are the figures of plain Python")
    rows: list[tuple[str, Callable[[int], Cost], int, int]] = [
        ("diplomacy package", package, 5, 1),
        (f"batches of {BATCH}, by province", batch, 5, 600),
        (f"batches of {BATCH}, by power", batch_by_power, 5, 0),
        ("Position, integers", position_with_integers, 25, 100),
        ("Position, strings", position_with_strings, 25, 20),
    ]
    for _, play, _, _ in rows:
        play(10**6)  # fills caches
    best: dict[str, Cost] = {}
    for turn in range(ROUNDS):
        for name, play, games, _ in rows:
            best[name] = least(play, games, turn * 1000, best.get(name))
    print(f"µs per phase, least of {ROUNDS}      legal orders   adjudication        both   times faster   (at least)")
    peer = best[rows[0][0]].per_phase()[2]
    for name, _, _, target in rows:
        listing, playing, both = best[name].per_phase()
        ratios = f"{peer / both:>14,.0f} {target or '-':>12}"
        print(f"{name:<29} {listing:>13,.2f} {playing:>14,.2f} {both:>11,.2f} {ratios}")
    row = rules_of().start()
    print(f"a state has {STATE} bytes (at most 512); copying one takes {copying(row.copy, 200_000):.2f} µs (under 1)")
    from diplomacy import Game

    game = Game()
    print(f"copying a game of the diplomacy package takes {copying(lambda: copy.deepcopy(game), 1):,.0f} µs")


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
