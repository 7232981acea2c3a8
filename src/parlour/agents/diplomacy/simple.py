"""The simplest players of Diplomacy, by the field's names: HoldBot and GreedyBot."""

from __future__ import annotations

import random
from collections.abc import Sequence

from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.specs import NoOptions, Recipe
from parlour.core.game import Action, View
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.position import Position

WALKS = (OrderKind.MOVE_TO, OrderKind.RETREAT_TO)


class HoldBot:
    """Holds, disbands dislodged units, builds nothing; removes the units that the rules remove for an absent power."""

    def act(self, view: View) -> Action:
        """Return the default action of an absent player."""
        return view.position.default(view.seat)


class GreedyBot:
    """Sends each unit to a supply centre next to it that is not its own, else anywhere; supports nobody."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, view: View) -> Action:
        """Take a centre where possible; otherwise, and in winter, choose at random."""
        position = diplomacy_position(view)
        if position.stage == "adjustments":
            return position.sample(view.seat, self._rng)
        power = position.power_of(view.seat)
        chosen = grab(position, power, position.legal_actions(view.seat).tolist(), self._rng)
        return [str(position.order_of(action)) for action in chosen]


def grab(position: Position, power: int, legal: Sequence[int], rng: random.Random) -> list[int]:
    """Return GreedyBot's moves or retreats among the legal actions of a power."""
    state = position.state
    ways: dict[int, list[int]] = {}
    for action in legal:
        ways.setdefault(a.ordered(action), []).append(action)
    taken: set[int] = set()
    chosen = []
    for province, own in rng.sample(sorted(ways.items()), len(ways)):
        walks = [action for action in own if a.kind_of(action) in WALKS and a.target(action) not in taken]
        prey = [action for action in walks if _is_prey(position, power, a.target(action))]
        still = [action for action in own if a.kind_of(action) in (OrderKind.HOLD, OrderKind.DISBAND)]
        if prey:
            # An empty centre is as good as taken.
            empty = [action for action in prey if not state[k.UNITS + a.target(action)]]
            action = rng.choice(empty or prey)
        elif _is_prey(position, power, province) and a.kind_of(still[0]) == OrderKind.HOLD:
            action = still[0]
        else:
            action = rng.choice(walks or still)
        chosen.append(action)
        taken.add(a.target(action) if a.kind_of(action) in WALKS else province)
    return chosen


def _is_prey(position: Position, power: int, province: int) -> bool:
    """Return True if a province has a supply centre that is not the power's own."""
    return position.board.provinces[province].centre and position.state[k.OWNERS + province] != power + 1


HOLD = Recipe(lambda options, seed: HoldBot(), NoOptions)
GREEDY = Recipe(lambda options, seed: GreedyBot(seed), NoOptions)
