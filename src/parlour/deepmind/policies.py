"""The runner's contract with any policy, and the two policies that need no network."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

from parlour.deepmind.actions import is_waive
from parlour.deepmind.observation import Observation
from parlour.deepmind.season import Season
from parlour.errors import ConfigError
from parlour.games.diplomacy.ordering import actions as a

Chosen: TypeAlias = tuple[Sequence[Sequence[int] | None], Any]
"""A list of actions for each slot (None: no actions), and values that the policy wants recorded."""


class AnyPolicy(Protocol):
    """A player of one or more slots; its string names it in trajectories."""

    def reset(self) -> None:
        """Begin a new game."""

    def actions(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Sequence[Sequence[int]]
    ) -> Chosen:
        """Return the chosen actions of each slot; called in every phase, also without slots.

        Args:
            slots_list: Numbers of the powers to choose for.
            observation: Observation of the state.
            legal_actions: Legal actions of each power.
        """


class RandomPolicy:
    """A policy of one random legal action for each unit, and the due number of random builds or removals.

    Args:
        seed: Seed of the choices.
    """

    def __init__(self, seed: int | random.Random = 0) -> None:
        self._rng = seed if isinstance(seed, random.Random) else random.Random(seed)

    def __str__(self) -> str:
        return "RandomPolicy"

    def reset(self) -> None:
        """Do nothing: the random source continues."""

    def actions(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Sequence[Sequence[int]]
    ) -> tuple[list[list[int]], dict[str, Any]]:
        """Return random actions for each slot, and nothing else to record.

        Args:
            slots_list: Numbers of the powers to choose for.
            observation: Observation of the state.
            legal_actions: Legal actions of each power.
        """
        return [self._choose(observation, legal_actions[slot], slot) for slot in slots_list], {}

    def _choose(self, observation: Observation, legal: Sequence[int], slot: int) -> list[int]:
        by_province: dict[int, list[int]] = {}
        for action in legal:
            if not is_waive(action):
                by_province.setdefault(a.ordered(action), []).append(action)
        places = list(by_province.values())
        if observation.season == Season.BUILDS:
            places = self._rng.sample(places, min(len(places), abs(observation.build_numbers[slot])))
        return [self._rng.choice(place) for place in places]


class FixedPlayPolicy:
    """A policy that plays back recorded (actions, step output) pairs, regardless of the state.

    Args:
        actions_outputs: Recorded pairs of actions and outputs, phase by phase.
    """

    def __init__(self, actions_outputs: Iterable[Chosen]) -> None:
        self._outputs = list(actions_outputs)
        self._next = 0

    def __str__(self) -> str:
        return "FixedPlayPolicy"

    def reset(self) -> None:
        """Begin again with the first pair."""
        self._next = 0

    def actions(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Sequence[Sequence[int]]
    ) -> Chosen:
        """Return the next recorded pair.

        Args:
            slots_list: Numbers of the powers to choose for.
            observation: Observation of the state.
            legal_actions: Legal actions of each power.

        Raises:
            ConfigError: No recorded pair is left.
        """
        if self._next == len(self._outputs):
            raise ConfigError(f"only {self._next} phases were recorded", field="actions_outputs")
        self._next += 1
        return self._outputs[self._next - 1]
