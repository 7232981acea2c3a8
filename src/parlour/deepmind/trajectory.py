"""Trajectories as published: observations, legal actions, actions and step outputs by phase, and the returns."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_LEGAL_ACTIONS, MAX_ORDERS
from parlour.deepmind.observation import Observation
from parlour.deepmind.provinces import NUM_POWERS
from parlour.errors import ConfigError
from parlour.games.diplomacy.ordering.actions import Actions

FILES = ("observations", "legal_actions", "actions_outputs", "step_outputs")
"""The published files, each with the suffix .npz though it is a pickle."""


@dataclass
class Trajectory:
    """A game as lists with an entry for each phase."""

    observations: list[Observation] = field(default_factory=list)
    legal_actions: list[Actions] = field(default_factory=list)
    """int64 [7, 11900], padded with 0."""
    actions: list[Actions] = field(default_factory=list)
    """int64 [7, 17], padded with -1."""
    step_outputs: list[dict[str, Any]] = field(default_factory=list)
    """Outputs of each policy besides its actions, by the policy's string."""
    returns: npt.NDArray[np.floating[Any]] | None = None

    def append_step(
        self,
        observation: Observation,
        legal_actions: Sequence[Sequence[int]],
        actions: Sequence[Sequence[int]],
        step_outputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a phase; lists are padded.

        Args:
            observation: Observation of the state.
            legal_actions: Legal actions of each power.
            actions: Actions that were played.
            step_outputs: Outputs of the policies.
        """
        self.observations.append(observation)
        self.legal_actions.append(padded(legal_actions, MAX_LEGAL_ACTIONS, 0, "legal actions"))
        self.actions.append(padded(actions, MAX_ORDERS, -1, "actions"))
        self.step_outputs.append(dict(step_outputs or {}))

    def terminate(self, returns: npt.NDArray[np.floating[Any]]) -> None:
        """End the trajectory with the returns."""
        self.returns = returns

    def __len__(self) -> int:
        return len(self.observations)

    def action_lists(self, phase: int) -> list[list[int]]:
        """Return the actions of a phase without padding."""
        return [row[row != -1].tolist() for row in self.actions[phase]]


def padded(lists: Sequence[Sequence[int]], width: int, padding: int, name: str) -> Actions:
    """Return seven lists as an int64 array [7, width]; raise ConfigError if a list is longer."""
    # Zeros cost no memory until they are written to.
    rows = np.zeros((NUM_POWERS, width), np.int64) if padding == 0 else np.full((NUM_POWERS, width), padding, np.int64)
    for power, values in enumerate(lists):
        if len(values) > width:
            raise ConfigError(f"{name}: at most {width} for one power, got {len(values)}", field=name)
        rows[power, : len(values)] = values
    return rows


def save_trajectory(trajectory: Trajectory, folder: Path | str) -> list[Path]:
    """Write the four published files into a folder, and return their paths in the order of FILES.

    Args:
        trajectory: Trajectory to write.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    contents: dict[str, list[Any]] = {
        "observations": [
            OrderedDict(
                season=int(seen.season),
                board=np.ascontiguousarray(seen.board),
                build_numbers=list(seen.build_numbers),
                last_actions=list(seen.last_actions),
            )
            for seen in trajectory.observations
        ],
        "legal_actions": list(trajectory.legal_actions),
        "actions_outputs": [
            (trajectory.action_lists(phase), outputs.get("FixedPlayPolicy", {}))
            for phase, outputs in enumerate(trajectory.step_outputs)
        ],
        "step_outputs": list(trajectory.step_outputs),
    }
    paths = []
    for name in FILES:
        path = folder / f"{name}.npz"
        path.write_bytes(pickle.dumps(contents[name], protocol=4))
        paths.append(path)
    return paths
