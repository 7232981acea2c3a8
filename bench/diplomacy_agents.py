"""Speed of the Diplomacy agents, beside a plain Python DumbBot on the `diplomacy` package, and of the kernel alone.

Run: python bench/diplomacy_agents.py        CPU time, one thread; the least of some rounds

The plain DumbBot computes the same values with dicts on the package's map, for one power, and draws its moves from
them; it is a typical first version of a bot. Start is spring 1901, middle a spring after six years of DumbBots.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from time import process_time

import diplomacy
import numpy as np

import usage
from parlour.agents import make_agent
from parlour.agents.diplomacy.dumbbot import ORIGINAL, new_draws
from parlour.agents.diplomacy.dumbbot_variants import new_rollouts
from parlour.agents.diplomacy.position_study import Study
from parlour.core.game import Seat, View
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position

ROUNDS = 5
SPRING = (100, 1000, 30, 10, 6, 5, 4, 3, 2, 1)
AGENTS = ("hold", "random", "greedy", "dumbbot", "net", "sbr", "search:budget=300", "search:budget=1000", "search")
FRANCE = Seat("FRANCE")


def main() -> None:
    """Print the tables."""
    start, middle = Position.start(), after_years(6)
    print(f"{'':<44} {'decisions a second':>19} {'rollouts a second':>19}")
    print(f"{'FRANCE in spring':<44} {'start':>9} {'middle':>9} {'start':>9} {'middle':>9}")
    plain = [1 / least(lambda game=game: plain_orders(game, "FRANCE")) for game in (peer(start), peer(middle))]
    print(f"{'plain DumbBot on the diplomacy package':<44} {plain[0]:>9.0f} {plain[1]:>9.0f}")
    for name in AGENTS:
        player = make_agent("diplomacy", name, 1)
        views = [View(FRANCE, position, 0) for position in (start, middle)]
        rates = [1 / least(lambda view=view, player=player: player.act(view)) for view in views]
        rolls = "".join(f" {rate * rolled_at(name, view):>9.0f}" for rate, view in zip(rates, views, strict=True))
        ratio = f"  {rates[1] / plain[1]:.0f} times the plain one" if name == "dumbbot" else ""
        print(f"{name:<44} {rates[0]:>9.0f} {rates[1]:>9.0f}{rolls if rolled_at(name, views[0]) else ''}{ratio}")
    print(f"\n{'the kernel':<44} {'start':>9} {'middle':>9}")
    kernel("value tables, microseconds a power", start, middle, tables)
    kernel("order set, microseconds a draw", start, middle, draws)
    kernel("rollouts of one phase a second", start, middle, rollouts)


def rolled_at(name: str, view: View) -> int:
    """Return the number of rollouts of an agent for one decision."""
    player = make_agent("diplomacy", name, 1)
    player.act(view)
    return int(getattr(player, "rolled", 0))


def kernel(name: str, start: Position, middle: Position, measure: Callable[[Position], float]) -> None:
    """Print one line of kernel figures."""
    print(f"{name:<44} {measure(start):>9.1f} {measure(middle):>9.1f}")


def least(call: Callable[[], object]) -> float:
    """Return the seconds of CPU time of a call in the best round."""
    found = []
    for _ in range(ROUNDS):
        began, count = process_time(), 0
        while count < 3 or process_time() - began < 0.05:
            call()
            count += 1
        found.append((process_time() - began) / count)
    return min(found)


def after_years(years: int) -> Position:
    """Return a spring position after some years of DumbBots, in which France still has units."""
    position, seed = Position.start(), 0
    players = {seat: make_agent("diplomacy", "dumbbot", number) for number, seat in enumerate(position.alive())}
    while position.phase != f"S{1901 + years}M":
        position, _ = position.apply({s: players[s].act(View(s, position, seed)) for s in position.to_act()})
        seed += 1
    return position


def tables(position: Position) -> float:
    """Return the microseconds for the values of one power, computed for seven at once."""
    desk = new_draws(standard(), ORIGINAL)
    states = np.repeat(position.row, 200, axis=0)
    worths = np.zeros((200, 7, desk.node_count), np.int32)
    return least(lambda: desk.measure(states.data, worths.data)) / 200 / 7 * 1e6


def draws(position: Position) -> float:
    """Return the microseconds to draw one power's orders from values that are known."""
    study = Study(new_rollouts(standard()), position, np.random.default_rng(0))
    few, many = study.seeds(100), study.seeds(2100)
    return (least(lambda: study.drawn(many)) - least(lambda: study.drawn(few))) / 2000 / 7 * 1e6


def rollouts(position: Position) -> float:
    """Return the rollouts per second of the judged move and one phase of movement after it."""
    study = Study(new_rollouts(standard()), position, np.random.default_rng(0))
    seeds = study.seeds(32)
    samples = study.drawn(seeds)
    values = np.empty((32, 32, 7))
    took = least(lambda: study.desk.roll_out(samples.data, samples.data, seeds.data, 2, 1, values.data))
    return 1024 / took


# A plain DumbBot


def peer(position: Position) -> diplomacy.Game:
    """Return the same position in the package."""
    game = diplomacy.Game()
    game.clear_units()
    game.clear_centers()
    for name, units in position.units.items():
        game.set_units(name, units)
        game.set_centers(name, position.centers[name])
    game.set_current_phase(position.phase)
    return game


def plain_orders(game: diplomacy.Game, power: str) -> list[str]:
    """Return a power's moves by DumbBot's values, drawn as DumbBot draws them; supports are left out."""
    values, rng, taken, chosen = plain_values(game, power), random.Random(1), set(), []
    for unit in game.powers[power].units:
        kind, place = unit.split()
        ends = [place, *(end for end in reach(game, kind, place) if end[:3] not in taken)]
        ends.sort(key=lambda end, kind=kind: -values[kind, end])
        end = ends[0]
        for other in ends[1:]:
            worth = values[kind, end]
            chance = (worth - values[kind, other]) * 500 // worth if worth > 0 else 0
            if rng.randrange(100) >= 50 or rng.randrange(100) < chance:
                break
            end = other
        taken.add(end[:3])
        chosen.append(f"{unit} H" if end == place else f"{unit} - {end}")
    return chosen


def reach(game: diplomacy.Game, kind: str, place: str) -> list[str]:
    """Return the places that a unit can reach; the package lists a split province by its coasts, also for armies."""
    board = game.map
    near = {end.upper() for end in board.loc_abut.get(place, board.loc_abut.get(place.lower(), []))}
    ends = near | {end[:3] for end in near}
    return sorted(end for end in ends if board.abuts(kind, place, "-", end))


def plain_values(game: diplomacy.Game, power: str) -> dict[tuple[str, str], int]:
    """Return the value to a power of each place of an army or a fleet."""
    board = game.map
    owner = {centre: name for name, own in game.powers.items() for centre in own.centers}
    neutral = len(board.scs) - len(owner)
    size = {name: len(own.centers) ** 2 + 4 * len(own.centers) + 16 for name, own in game.powers.items()}
    size[""] = neutral**2 + 4 * neutral + 16
    nodes = [(kind, loc.upper()) for kind in "AF" for loc in board.locs if reach(game, kind, loc.upper())]
    ends = {node: [end for end in reach(game, *node) if (node[0], end) in set(nodes)] for node in nodes}
    count: dict[tuple[str, str], int] = {}
    for name, own in game.powers.items():
        for unit in own.units:
            kind, place = unit.lstrip("*").split()
            for end in [place, *ends.get((kind, place), [])]:
                count[name, end[:3]] = count.get((name, end[:3]), 0) + 1
    lure = {}
    for centre in board.scs:
        threats = [size[name] for name in game.powers if name != power and count.get((name, centre))]
        mine = owner.get(centre) == power
        lure[centre] = max(threats, default=0) * 300 if mine else size[owner.get(centre, "")] * 700
    step = {node: lure.get(node[1][:3], 0) for node in nodes}
    total = {node: SPRING[0] * step[node] for node in nodes}
    for weight in SPRING[1:]:
        step = {n: (step[n] + sum(max_by_province(step, n[0], ends[n]))) // 5 for n in nodes}
        for node in nodes:
            total[node] += weight * step[node]
    for node in nodes:
        there = node[1][:3]
        others = max(count.get((name, there), 0) for name in game.powers if name != power)
        total[node] += 1000 * (count.get((power, there), 0) - others)
    return total


def max_by_province(step: dict[tuple[str, str], int], kind: str, ends: list[str]) -> list[int]:
    """Return the value of the best place of each neighbouring province."""
    best: dict[str, int] = {}
    for end in ends:
        best[end[:3]] = max(best.get(end[:3], 0), step[kind, end])
    return list(best.values())


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
