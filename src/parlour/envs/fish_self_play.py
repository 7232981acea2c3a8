"""Fish as a Gymnasium VectorEnv: one learner plays all seats of many games, without a copy of any array."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.envs.vector_fish import FishObservations, VectorFish
from parlour.errors import MissingExtra
from parlour.games.fish.board import MAX_FISH, MAX_SIDE

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtra("envs", "a Gymnasium environment") from None

Seen = dict[str, npt.NDArray[Any]]


class FishSelfPlay(VectorEnv[Seen, npt.NDArray[np.int32], npt.NDArray[Any]]):
    """The games of a VectorFish, each seen by the seat to act, which the observation names.

    The reward is that of the seat that chose: 0 until its choice ends the game, then its share of 1 if it won. Infos
    have the rewards of all seats, and the legal choices with their offsets. A game that ends begins again in the same
    step, so its observation shows the new game. Every step writes into the same arrays.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, num_envs: int, **settings: Any) -> None:
        """Set up the games.

        Args:
            num_envs: Number of games.
            settings: Settings of VectorFish: players, rows, cols, holes, seed, threads.
        """
        self.games = VectorFish(num_envs, **settings)
        self._seen: FishObservations = self.games.buffers()
        self._rows = np.arange(num_envs)
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(self.games.choices)
        self.single_observation_space = spaces.Dict(
            {
                "boards": spaces.Box(0, MAX_FISH, self._seen.boards.shape[1:], np.uint8),
                "scores": spaces.Box(0, MAX_FISH * MAX_SIDE**2, self._seen.scores.shape[1:], np.int32),
                "turns": spaces.Box(0, self.games.players - 1, (), np.uint8),
            }
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin all games again, and return the observations and the infos.

        Args:
            seed: Seed of all games.
            options: Not used; part of the interface.
        """
        self.games.reset(seed[0] if isinstance(seed, list) else seed)
        return self._look(), self._legal()

    def step(
        self, actions: npt.NDArray[np.int32]
    ) -> tuple[Seen, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Apply one choice in every game.

        Returns observations, rewards of the seats that chose, terminations, truncations and infos.

        Args:
            actions: One choice per game.
        """
        acting = self._seen.turns.astype(np.intp)
        rewards, done = self.games.step(np.ascontiguousarray(actions, np.int32))
        told = self._legal() | {"rewards": rewards}
        return self._look(), rewards[self._rows, acting], done, np.zeros(self.num_envs, np.bool_), told

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads.

        Args:
            kwargs: Not used; part of the interface.
        """
        self.games.close()

    def _look(self) -> Seen:
        return self.games.observe(self._seen)._asdict()

    def _legal(self) -> dict[str, Any]:
        choices, offsets = self.games.legal()
        return {"legal": choices, "offsets": offsets}
