"""The strong player: alpha-beta for two, tree search with playouts for more, exact where it is cut off."""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Iterator
from typing import Annotated

import msgspec

from parlour.agents.fish.beliefs import Beliefs, FishManner, percent
from parlour.agents.fish.simple import fish_position
from parlour.agents.specs import Recipe
from parlour.core.game import Action, View
from parlour.core.thinking import checkpoint
from parlour.games.fish.board import Spot
from parlour.games.fish.kernel.duel import Duel
from parlour.games.fish.kernel.mcts import TreeSearch
from parlour.games.fish.kernel.terrain import Terrain
from parlour.games.fish.lookup_tables import flat, tables
from parlour.games.fish.notation import write_move
from parlour.games.fish.position import Position

NODES = 20_000
NODES_A_SIMULATION = 3  # number of alpha-beta nodes that take as long as one playout
LOOKS_A_NODE = 8  # number of look-ahead nodes that take as long as one alpha-beta node
SLICE = 2_000  # maximum nodes between two checks of the clock in tree search
WHOLE_PLY = 1 << 40
UNIT = 32
SHARE = 0.3  # maximum share of the remaining time for one move, in a match with clocks


class Budget:
    """The budget of one move: nodes, seconds, or both; the search ends when either is spent."""

    def __init__(self, nodes: int | None, seconds: float | None) -> None:
        self._nodes = nodes
        self._began = time.monotonic()
        self._seconds = seconds
        self._spent = 0

    def spend(self, nodes: int) -> None:
        """Count searched nodes; raise ThinkingStopped if the result is no longer needed."""
        self._spent += nodes
        checkpoint()

    def left(self) -> int:
        """Return the number of nodes left; with a clock, at most the number that the pace so far allows."""
        left = SLICE << 20 if self._nodes is None else self._nodes - self._spent
        if self._seconds is None:
            return max(0, left)
        elapsed = time.monotonic() - self._began
        if elapsed >= self._seconds:
            return 0
        pace = self._spent / elapsed if self._spent >= SLICE and elapsed > 0 else SLICE / self._seconds
        return max(0, min(left, max(1, int(pace * (self._seconds - elapsed)))))


class Strong:
    """A player that searches a number of nodes, or some seconds if given; at most SHARE of its remaining time.

    At tables of three and four it estimates which players search and which have a simple manner. It follows all rule
    switches: where tiles break ties, a fish counts as much as UNIT tiles.
    """

    def __init__(self, seed: int, *, nodes: int = NODES, seconds: float | None = None) -> None:
        self._rng = random.Random(seed)
        self._nodes = nodes
        self._seconds = seconds
        self._beliefs = Beliefs()

    def act(self, view: View) -> Action:
        """Return the best action found within the budget."""
        position = fish_position(view)
        self._beliefs.observe(position, view.seat)
        action = self._choose(position, view)
        self._beliefs.acted(position, view.seat, action)
        return action

    def _choose(self, position: Position, view: View) -> Action:
        budget = self._budget(view.remaining)
        if position.stage == "placement":
            return list(self._placement(position, budget))
        legal = position.legal(view.seat)
        if len(legal) == 1:
            return legal[0]
        width = position.board.width
        start, end = self._move(position, budget)
        return write_move((divmod(start, width), divmod(end, width)))

    def _budget(self, remaining: float | None) -> Budget:
        seconds = self._seconds
        if remaining is not None:
            seconds = min(SHARE * remaining, remaining if seconds is None else seconds)
        return Budget(self._nodes if self._seconds is None else None, seconds)

    def _placement(self, position: Position, budget: Budget) -> Spot:
        _, tile, _ = next(self._tree_search(position, budget))
        return divmod(tile, position.board.width)

    def _move(self, position: Position, budget: Budget) -> tuple[int, int]:
        fish, places, scores, slots = weighed(position)
        size = tables(position.board.height, position.board.width)
        terrain = Terrain(size, len(position.sides), slots)
        terrain.count_last_tiles(position.rules.cash_last_tile)
        terrain.load(fish, places, scores)
        if terrain.cut_off(0):
            found: tuple[int, int] = terrain.harvest_move(0, 4 * self._nodes)
            return found
        if len(position.sides) == 2:
            duel = Duel(size, slots)
            duel.count_last_tiles(position.rules.cash_last_tile)
            duel.load(fish, places, scores)
            return _deepened(duel, budget, len(position.board.tiles()))
        start, end, _ = next(self._tree_search(position, budget))
        return start, end

    def _tree_search(self, position: Position, budget: Budget) -> Iterator[tuple[int, int, int]]:
        """Return the actions of the first side, most visits first: from (-1 for a placement), to, visits."""
        fish, places, scores, slots = weighed(position)
        rules, size = position.rules, tables(position.board.height, position.board.width)
        search = TreeSearch(size, len(position.sides), slots, self._nodes * 10 + 20 * size.tiles * slots)
        search.load(fish, places, scores)
        search.play_by(rules.one_fish_placement, rules.cash_last_tile, unit_of(position))
        weights = [self._beliefs.weights(side.seat) for side in position.sides]
        search.believe(percent(weights, FishManner.GRABS), percent(weights, FishManner.RECKONS))
        search.begin(self._rng.getrandbits(63))
        while left := budget.left():
            simulations = max(1, min(left, SLICE) // NODES_A_SIMULATION)
            looked = search.looked()
            run = search.simulations(simulations, LOOKS_A_NODE * min(left, SLICE))
            budget.spend(run * NODES_A_SIMULATION + (search.looked() - looked) // LOOKS_A_NODE)
        actions = [(start, end, visits) for start, end, visits, _ in search.root_actions()]
        return iter(sorted(actions, key=lambda action: (-action[2], action[0], action[1])))


def unit_of(position: Position) -> int:
    """Return the weight of a fish: one, or more than all tiles together where tiles break ties."""
    return UNIT if position.rules.tiles_break_ties else 1


def weighed(position: Position) -> tuple[bytearray, array[int], array[int], int]:
    """Return the position in the form that the kernel loads.

    Where tiles break ties, each fish counts UNIT and each tile counts one.
    """
    fish, places, scores, slots = flat(position)
    unit = unit_of(position)
    if unit > 1:
        fish = bytearray(unit * count + (count > 0) for count in fish)
        scores = array("i", [unit * s + side.tiles for s, side in zip(scores, position.sides, strict=True)])
    return fish, places, scores, slots


def _deepened(duel: Duel, budget: Budget, tiles: int) -> tuple[int, int]:
    """Return the move of the deepest search completed within the budget; at least one ply."""
    found: tuple[int, int] | None = None
    depth = 1
    while depth <= tiles and (left := budget.left() if found else WHOLE_PLY):
        before = duel.nodes
        result = duel.deepen(depth, left)
        budget.spend(duel.nodes - before)
        if result is not None:
            found = result[0]
            depth += 1
    assert found is not None, "the first ply is always completed"
    return found


class StrongOptions(msgspec.Struct, frozen=True):
    """The budget of one move of the strong player."""

    nodes: Annotated[int, msgspec.Meta(ge=1000, le=10_000_000, description="positions searched a move")] = NODES
    seconds: Annotated[float | None, msgspec.Meta(gt=0, le=3600, description="time a move, instead of nodes")] = None


RECIPE = Recipe(
    lambda options, seed: Strong(seed, nodes=options.nodes, seconds=options.seconds),
    StrongOptions,
    number="nodes",
    unit=1000,
)
