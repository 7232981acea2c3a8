"""Speed of the published agents' environment: one state by its protocol, batches of games, and the same over a peer.

The peer is the `diplomacy` package with the cheapest conversion to the published form: strings looked up in a table,
the board filled from its lists of units and centres.

Run: python bench/deepmind.py        CPU time, one thread
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import usage
from parlour.deepmind import RandomPolicy, State, action_to_mila_actions, mila_action_to_action
from parlour.deepmind.actions import POSSIBLE_ACTIONS
from parlour.deepmind.provinces import POWER_NAMES
from parlour.envs import VectorDiplomacy, VectorFish
from parlour.games.diplomacy.maps.map import standard

GAMES = 1024
ROUNDS = 5
LAST_YEAR = 1930


class Watch:
    """CPU time by name and round; the least is the cost of the work, the rest is noise of the machine."""

    def __init__(self) -> None:
        self.rounds: dict[str, list[float]] = {}
        self.spent: dict[str, float] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        begun = time.process_time()
        result = work()
        self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - begun
        return result

    def end_round(self, count: int) -> None:
        for name, seconds in self.spent.items():
            self.rounds.setdefault(name, []).append(seconds / count * 1e6)
        self.spent = {}

    def best(self, *names: str) -> float:
        """Return the microseconds of the best round for these works together."""
        return min(map(sum, zip(*(self.rounds[name] for name in names), strict=True)))

    def median(self, *names: str) -> float:
        return statistics.median(map(sum, zip(*(self.rounds[name] for name in names), strict=True)))


def by_protocol(phases: int) -> Watch:
    """Time random play of one state, with Python lists as the protocol demands; choosing actions is not timed."""
    watch, policy = Watch(), RandomPolicy(1)
    games: list[list[list[list[int]]]] = [[]]
    state = State()
    for _ in range(phases):
        actions = [list(own) for own in policy.actions(range(7), state.observation(), state.legal_actions())[0]]
        games[-1].append(actions)
        state.step(actions)
        if state.is_terminal() or state.year > LAST_YEAR:
            state = State()
            games.append([])

    def replay(legal: bool, observation: bool) -> None:
        for game in games:
            state = State()
            for actions in game:
                if legal:
                    state.legal_actions()
                if observation:
                    state.observation()
                state.step(actions)

    for _ in range(ROUNDS):
        watch.time("together", lambda: replay(True, True))
        watch.time("legal_actions and step", lambda: replay(True, False))
        watch.time("observation and step", lambda: replay(False, True))
        watch.time("step", lambda: replay(False, False))
        watch.end_round(phases)
    return watch


def by_vector(steps: int) -> tuple[Watch, float]:
    """Time random play of many games, with actions chosen in the kernel; return also the bytes of memory per game."""
    vector = VectorDiplomacy(GAMES, last_year=LAST_YEAR)
    out = vector.buffers()
    return timed(vector, out, steps), (vector.nbytes + sum(array.nbytes for array in out)) / GAMES


def by_fish_vector(steps: int) -> Watch:
    """Time random play of many games of Fish, two players on boards of 5 by 5."""
    vector = VectorFish(GAMES)
    return timed(vector, vector.buffers(), steps)


def timed(vector: Any, out: Any, steps: int) -> Watch:
    """Time the calls of a batch of games."""
    watch = Watch()
    for _ in range(ROUNDS):
        for _ in range(steps):
            watch.time("legal", vector.legal)
            watch.time("observe", lambda: vector.observe(out))
            chosen = watch.time("sample", vector.sample)
            watch.time("step", lambda chosen=chosen: vector.step(chosen))
        watch.end_round(steps * GAMES)
    return watch


class Peer:
    """The `diplomacy` package behind the protocol."""

    def __init__(self) -> None:
        from diplomacy import Game

        self.game = Game()
        names = {name: action for action in POSSIBLE_ACTIONS.tolist() for name in action_to_mila_actions(action)}
        # The package writes the coast in the destination of a supported fleet.
        for province in standard().provinces:
            for coast in province.coasts:
                ending = f" - {province.tag}"
                names |= {f"{n}/{coast}": a for n, a in names.items() if " S F" in n and n.endswith(ending)}
        self.retreats = names | {n: mila_action_to_action(n, 1) for n in names if n.endswith(" D")}
        self.names = names | {n: mila_action_to_action(n, 4) for n in names if n.endswith(" D")}
        self.areas = {area.tag: area.id for area in standard().areas}

    def legal_actions(self) -> list[list[int]]:
        table = self.retreats if self.game.phase_type == "R" else self.names
        possible, places = self.game.get_all_possible_orders(), self.game.get_orderable_locations()
        return [
            sorted({table[text] for place in places[name.upper()] for text in possible[place]}) for name in POWER_NAMES
        ]

    def observation(self) -> np.ndarray[Any, Any]:
        board = np.zeros((81, 35), np.uint8)
        board[:, [2, 10, 15, 23]] = 1
        for number, name in enumerate(POWER_NAMES):
            power = self.game.get_power(name.upper())
            for unit in power.units:
                row = self.areas[unit[2:]]
                board[row, [int(unit[0] == "F"), 3 + number]] = 1
                board[row, [2, 10]] = 0
            for unit in power.retreats:
                board[self.areas[unit[2:]], [13 + int(unit[0] == "F"), 16 + number]] = 1
            for centre in power.centers:
                board[self.areas[centre], 27 + number] = 1
        return board

    def step(self, orders: dict[str, list[str]]) -> None:
        for name, own in orders.items():
            self.game.set_orders(name, own)
        self.game.process()

    def choose(self, rng: random.Random) -> dict[str, list[str]]:
        possible = self.game.get_all_possible_orders()
        places = self.game.get_orderable_locations()
        return {name: [rng.choice(possible[p]) for p in own if possible[p]] for name, own in places.items()}


def by_peer(phases: int) -> Watch | None:
    """Time the same loop over the package; return None if it is not installed."""
    try:
        peer = Peer()
    except ImportError:
        return None
    watch, rng = Watch(), random.Random(1)
    for _ in range(phases):
        watch.time("legal_actions", peer.legal_actions)
        watch.time("observation", peer.observation)
        orders = peer.choose(rng)
        watch.time("step", lambda orders=orders: peer.step(orders))
    watch.end_round(phases)
    return watch


def main() -> None:
    """Print each speed beside its target and the peer's."""
    protocol = by_protocol(2000)
    print(f"one state by its protocol, random play, µs of CPU time a phase (best of {ROUNDS}, median)")
    for name in ("step", "observation and step", "legal_actions and step"):
        print(f"  {name:22} {protocol.best(name):9.1f} {protocol.median(name):9.1f}")
    ours = protocol.best("together")
    print(f"  {'together':22} {ours:9.1f} {protocol.median('together'):9.1f}   target 60")

    vector, memory = by_vector(60)
    works_of_vector = ("legal", "observe", "step")
    print(f"VectorDiplomacy({GAMES}), random actions chosen in the kernel")
    for name in (*works_of_vector, "sample"):
        print(f"  {name:22} {vector.best(name):9.2f} {vector.median(name):9.2f}")
    together = vector.best(*works_of_vector)
    print(f"  {'without sample':22} {together:9.2f} {vector.median(*works_of_vector):9.2f}   target 8")
    print(f"  memory for each game, with observation buffers: {memory / 1024:.1f} KB   target 16")

    fish = by_fish_vector(200)
    print(f"VectorFish({GAMES}), two players, 5 by 5")
    print(f"  {'without sample':22} {fish.best(*works_of_vector):9.2f} {fish.median(*works_of_vector):9.2f}")

    peer = by_peer(150)
    if peer is None:
        print("the `diplomacy` package is not installed: pip install -e '.[peers]'", file=sys.stderr)
        return
    print("the `diplomacy` package behind the same protocol")
    works = ("legal_actions", "observation", "step")
    for name in works:
        print(f"  {name:22} {peer.best(name):9.1f}")
    total = peer.best(*works)
    print(f"  {'together':22} {total:9.1f}")
    print(f"ratio to one state {total / ours:.0f}, to the vector {total / together:.0f}")


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
