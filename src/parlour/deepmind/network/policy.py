"""A network as a policy of the published runner, with the published random stream."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from parlour.deepmind.network.network import Decisions, Network, copies_of, published_draws
from parlour.deepmind.network.parameters import read_parameters
from parlour.deepmind.network.stream import key_of, split
from parlour.deepmind.observation import Observation
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import Carried, NetworkInput, ObservationTransformer
from parlour.errors import ConfigError

EVALUATED_AT = 0.1
"""The temperature at which the paper evaluates."""

Lists = Sequence[Sequence[int] | npt.NDArray[np.int64]]


Library = Literal["numpy", "jax"]
"""Array library of a network."""


def load_network(path: Path | str, library: Library = "numpy") -> Network:
    """Return the network in a file of parameters.

    On JAX the network is compiled on first use, and needs the extra `net`.

    Args:
        path: File of parameters.
        library: Library that computes: numpy or jax.
    """
    parameters = read_parameters(path)
    if library == "numpy":
        return Network(parameters.config, parameters.arrays)
    from parlour.deepmind.network.jax_network import JaxNetwork

    return JaxNetwork(parameters.config, parameters.arrays)


class Policy:
    """A policy that plays slots by a network: it samples each order at a temperature, given those before it.

    As published, it sees every phase of a game, with or without slots. Its draws depend on the seed and on the number
    of phases seen since it was made. `legacy_stream` draws as JAX did before 0.5. Without `outputs` nothing is recorded
    of a step; with them a step takes 9 MB, and all powers are computed for the values.

    Args:
        network: Network that decides.
        temperature: Sampling temperature.
        seed: Seed of the draws.
        calculate_all_policies: True to compute policies for all powers.
        legacy_stream: True for the random stream of JAX before 0.5.
        outputs: True to return the outputs of each step.

    Raises:
        ConfigError: The temperature is not a number of at least 0.
    """

    def __init__(
        self,
        network: Network,
        temperature: float = EVALUATED_AT,
        *,
        seed: int = 42,
        calculate_all_policies: bool = False,
        legacy_stream: bool = False,
        outputs: bool = True,
    ) -> None:
        if (
            isinstance(temperature, bool)
            or not isinstance(temperature, (int, float))
            or not 0 <= temperature < math.inf
        ):
            expected = f"temperature: expected a number of at least 0, got {temperature!r:.40}"
            raise ConfigError(expected, field="temperature")
        self._network, self._temperature = network, temperature
        self._every_slot, self._legacy, self._outputs = calculate_all_policies, legacy_stream, outputs
        self._transformer = ObservationTransformer()
        self._carried: Carried | None = None
        self._key, _ = split(np, key_of(seed), legacy=legacy_stream)

    def __str__(self) -> str:
        return f"OnPolicy(t={self._temperature})"

    def reset(self) -> None:
        """Begin a new game; the random stream continues."""
        self._carried = None

    def actions(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Lists
    ) -> tuple[list[list[int]], dict[str, npt.NDArray[Any]]]:
        """Return the actions of each slot, and the values, policies and shrunk actions of the step.

        Args:
            slots_list: Numbers of the powers to choose for.
            observation: Observation of the state.
            legal_actions: Legal actions of each power.
        """
        found, _ = self._decide(slots_list, observation, legal_actions, 1)
        lists = found.actions(NUM_POWERS)
        chosen = [lists[slot] for slot in slots_list]
        if not self._outputs or found.value_logits is None:
            return chosen, {}
        return chosen, {
            "values": self._network.value_distribution(found.value_logits)[0],
            "policy": found.policies(NUM_POWERS),
            "actions": found.shrunk(NUM_POWERS),
        }

    def samples(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Lists, count: int
    ) -> list[list[list[int]]]:
        """Return several draws for one phase, each with the actions of each slot; the board is encoded once.

        The policy has then seen the phase, as after actions.

        Args:
            slots_list: Numbers of the powers to choose for.
            observation: Observation of the state.
            legal_actions: Legal actions of each power.
            count: Number of draws.

        Raises:
            ConfigError: `count` is below 1.
        """
        if count < 1:
            raise ConfigError(f"count: expected 1 or more, got {count}", field="count")
        found, _ = self._decide(slots_list, observation, legal_actions, count)
        lists = found.actions(count * NUM_POWERS)
        return [[lists[copy * NUM_POWERS + slot] for slot in slots_list] for copy in range(count)]

    def _decide(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Lists, copies: int
    ) -> tuple[Decisions, NetworkInput]:
        given, self._carried = self._transformer.transform(
            observation,
            legal_actions,
            range(NUM_POWERS) if self._every_slot else slots_list,
            self._carried,
            temperature=self._temperature,
        )
        self._key, now = split(np, self._key, legacy=self._legacy)
        draws = published_draws(now, copies, legacy=self._legacy)
        return self._network.decide(given, draws, copies_of([copies]), values=self._outputs and copies == 1), given
