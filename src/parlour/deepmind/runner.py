"""Plays a whole game between policies and returns its trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from parlour.deepmind.actions import is_waive
from parlour.deepmind.areas import centre_counts
from parlour.deepmind.observation import Observation
from parlour.deepmind.policies import AnyPolicy
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.season import Season, season_of
from parlour.deepmind.state import DiplomacyState, shares
from parlour.deepmind.trajectory import Trajectory
from parlour.errors import ConfigError
from parlour.games.diplomacy.ordering import actions as a

OnIllegal = Literal["raise", "hold"]


def run_game(
    state: DiplomacyState,
    policies: Sequence[AnyPolicy],
    slots_to_policies: Sequence[int],
    max_length: int | None = None,
    min_years_forced_draw: int = 1000,
    forced_draw_probability: float = 0.0,
    points_per_supply_centre: bool = False,
    draw_if_slot_loses: int | None = None,
    *,
    rng: np.random.Generator | None = None,
    on_illegal: OnIllegal = "raise",
) -> Trajectory:
    """Play from state, which is changed, until the end, a forced draw or max_length phases.

    slots_to_policies has for each of the seven powers the index of its policy. After min_years_forced_draw years, the
    game is drawn each spring with forced_draw_probability. The draw needs rng, since no game depends on NumPy's global
    state. The game is also drawn in a spring in which the slot draw_if_slot_loses owns no centre. The returns of a
    forced draw are equal shares, or by centres with points_per_supply_centre. on_illegal "hold" leaves out actions
    that are not legal.

    Args:
        policies: Policies that play.
    """
    slots = _slots(policies, slots_to_policies)
    _check(forced_draw_probability, rng, draw_if_slot_loses, on_illegal)
    for policy in policies:
        policy.reset()
    trajectory = Trajectory()
    year = 0
    while not state.is_terminal() and (max_length is None or len(trajectory) < max_length):
        observation = state.observation()
        if season_of(observation.season) is Season.SPRING_MOVES:
            year += 1
            lost = draw_if_slot_loses is not None and not centre_counts(observation.board)[draw_if_slot_loses]
            if lost or (rng is not None and year > min_years_forced_draw and rng.uniform() < forced_draw_probability):
                trajectory.terminate(shares(centre_counts(observation.board), by_centres=points_per_supply_centre))
                return trajectory
        legal_actions = state.legal_actions()
        actions, step_outputs = _ask(policies, slots, observation, legal_actions)
        if on_illegal == "hold":
            actions = legal_part(actions, observation, legal_actions)
        state.step(actions)
        trajectory.append_step(observation, legal_actions, actions, step_outputs)
    trajectory.terminate(state.returns())
    return trajectory


def _ask(
    policies: Sequence[AnyPolicy],
    slots: Sequence[list[int]],
    observation: Observation,
    legal_actions: Sequence[Sequence[int]],
) -> tuple[list[list[int]], dict[str, Any]]:
    """Ask every policy in order, also those without slots; of two with one name the later output is kept."""
    actions: list[list[int]] = [[] for _ in range(NUM_POWERS)]
    step_outputs: dict[str, Any] = {}
    for policy, its_slots in zip(policies, slots, strict=True):
        chosen, step_outputs[str(policy)] = policy.actions(its_slots, observation, legal_actions)
        if len(chosen) != len(its_slots):
            raise ConfigError(f"{policy}: expected {len(its_slots)} lists of actions, got {len(chosen)}")
        for slot, own in zip(its_slots, chosen, strict=True):
            actions[slot] = [] if own is None else list(own)  # published policies may give None for nothing
    return actions, step_outputs


def legal_part(
    actions: Sequence[Sequence[int]], observation: Observation, legal_actions: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return the actions that are listed as legal, one per unit or place, and in builds at most the due number."""
    result = []
    for power, own in enumerate(actions):
        allowed, taken, kept = set(legal_actions[power]), set(), list[int]()
        for action in own:
            # NaN and other foreign values are simply not among the allowed.
            if action in allowed and (is_waive(action) or a.ordered(action) not in taken):
                taken.add(a.ordered(action))
                kept.append(int(action))
        if season_of(observation.season) is Season.BUILDS:
            kept = kept[: abs(observation.build_numbers[power])]
        result.append(kept)
    return result


def _slots(policies: Sequence[AnyPolicy], slots_to_policies: Sequence[int]) -> list[list[int]]:
    if len(slots_to_policies) != NUM_POWERS:
        raise ConfigError(f"slots_to_policies: expected {NUM_POWERS} entries, got {len(slots_to_policies)}")
    for index in slots_to_policies:
        if not isinstance(index, (int, np.integer)) or not 0 <= index < len(policies):
            raise ConfigError(f"slots_to_policies: there is no policy {index!r:.40} of {len(policies)}")
    return [[slot for slot in range(NUM_POWERS) if slots_to_policies[slot] == index] for index in range(len(policies))]


def _check(probability: float, rng: np.random.Generator | None, slot: int | None, on_illegal: str) -> None:
    if not 0 <= probability <= 1:
        raise ConfigError(f"forced_draw_probability: expected 0 to 1, got {probability}")
    if probability and rng is None:
        raise ConfigError("rng: a forced draw by chance needs a NumPy Generator, such as numpy.random.default_rng(1)")
    if slot is not None and slot not in range(NUM_POWERS):
        raise ConfigError(f"draw_if_slot_loses: expected 0 to {NUM_POWERS - 1}, got {slot!r:.40}")
    if on_illegal not in ("raise", "hold"):
        raise ConfigError(f"on_illegal: expected raise or hold, got {on_illegal!r:.40}")
