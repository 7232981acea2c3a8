"""Legal actions in the published form: per power, ascending, by default without convoys by idle fleets."""

from __future__ import annotations

from functools import cache

from parlour.deepmind.kernel.lists import unpack
from parlour.deepmind.kernel.sieve import Sieve
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.routes import routes_by_action
from parlour.games.diplomacy.engine.rules import MapRules, States, rules_of
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering.actions import Actions

RULES: MapRules = rules_of(standard())


def legal(states: States, options: Options = DEFAULT) -> tuple[Actions, Actions]:
    """Return actions int64 [N] and offsets int64 [B, 8], which bound the actions of each state and power."""
    actions, offsets = RULES.legal(states)
    if options.idle_convoys or not len(states):
        return actions, offsets
    return actions[: drop_idle(states, actions, offsets)], offsets


def legal_lists(state: States, options: Options = DEFAULT) -> list[list[int]]:
    """Return the legal actions of a batch of one, a list of Python ints for each power."""
    actions, offsets = legal(state, options)
    return unpack(actions.data, offsets[0].data, _numbers())


def drop_idle(states: States, actions: Actions, offsets: Actions) -> int:
    """Remove convoys by idle fleets from lists by power, in place; return the number of actions that stay."""
    return _sieve().drop_idle(states.data, actions.data, offsets.data)


@cache
def _numbers() -> list[int]:
    """Return the table as Python ints, each made once."""
    numbers: list[int] = RULES.table.actions.tolist()
    return numbers


@cache
def _sieve() -> Sieve:
    return Sieve(*routes_by_action())
