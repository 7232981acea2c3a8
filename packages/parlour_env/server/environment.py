"""One session's match: reset sets it up, step answers its open prompt."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from parlour.errors import ConfigError
from parlour.harness import Episode, ModelPrompt
from parlour.harness.rows import check_remote, fresh_seed, keep_record, read_rewards, setups, weighted
from parlour_env.models import ParlourAction, ParlourObservation, ParlourState

SPLITS = {"train": (1_000_000, 1_000_000), "test": (0, 1000)}
"""First seed and number of matches of each split."""
OPTIONS = ("rounds", "legal", "names", "max_tokens")
"""Options of a model seat that `reset` accepts."""
SETTINGS = ("press", "level", "config", "learners", "opponents", "tokens")
"""Settings of a match that `reset` accepts."""
RECORDS = "PARLOUR_ENV_RECORDS"
"""Environment variable with the folder for records; without it no records are written."""


class ParlourEnvironment(Environment[ParlourAction, ParlourObservation, ParlourState]):
    """A match of either game. The scalar reward is that of the learner, or the mean over all seats that are asked."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._episode: Episode | None = None
        self._state = ParlourState(episode_id=str(uuid4()), step_count=0)
        self._weights = {"score": 1.0}

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = "diplomacy",
        reward: str = "score",
        learner: str = "",
        split: str = "",
        index: int = 0,
        **settings: Any,
    ) -> ParlourObservation:
        """Begin a match.

        Besides these it takes press, level, config, learners, opponents, tokens, rounds, legal, names, max_tokens. A
        learner sits on one seat, with house agents on the others; a split and an index stand for a seed. Without a seed
        each match has a new one, which the state names.
        """
        self.close()
        self._weights = read_rewards(reward)
        unknown = sorted(set(settings) - {*OPTIONS, *SETTINGS})
        if unknown:
            raise ConfigError(f"reset: expected {', '.join((*SETTINGS, *OPTIONS))}, got {unknown[0]!r:.40}")
        chosen = {name: value for name, value in settings.items() if name in SETTINGS}
        check_remote(game, chosen.get("config", {}), chosen.get("opponents", ""))
        if learner:
            chosen["learners"] = learner
        first = self.get_task(split, index)["seed"] if split else fresh_seed() if seed is None else seed
        options = {name: settings[name] for name in OPTIONS if name in settings}
        (setup,) = setups(game, seed=first, options=options, **chosen)
        self._episode = Episode(setup)
        seats = [str(seat) for seat in setup.asked()]
        self._state = ParlourState(
            episode_id=episode_id or str(uuid4()), step_count=0, game=game, seed=first, seats=seats,
            setup=setup.options(),
        )  # fmt: skip
        return self._seen(self._episode.ask())

    def step(self, action: ParlourAction, timeout_s: float | None = None, **_: Any) -> ParlourObservation:
        """Answer the open prompt."""
        if self._episode is None:
            raise ConfigError("step: expected a reset before it")
        prompt = self._episode.answer(
            action.text, action.tokens_in, action.tokens_out, finish=action.finish, fault=action.fault
        )
        self._state.step_count += 1
        return self._seen(prompt)

    @property
    def state(self) -> ParlourState:
        """Return the match that is played."""
        return self._state

    def close(self) -> None:
        """End the match."""
        if self._episode is not None:
            self._episode.close()

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the server's description of itself."""
        return EnvironmentMetadata(
            name="parlour", description="Diplomacy with press and Fish, under an exact referee", version="0.1.0"
        )

    # Tasks

    def list_splits(self) -> list[str]:
        """Return the names of the splits."""
        return list(SPLITS)

    def num_tasks(self, split: str) -> int:
        """Return the number of matches in a split."""
        return SPLITS[split][1]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a match of a split by its number."""
        if split not in SPLITS:
            raise ConfigError(f"split: expected {', '.join(SPLITS)}, got {split!r:.40}")
        first, count = SPLITS[split]
        if type(index) is not int or not 0 <= index < count:
            raise IndexError(f"index: expected 0 to {count - 1}, got {index!r:.40}")
        return {"id": f"{split}-{index}", "index": index, "seed": first + index}

    def _seen(self, prompt: ModelPrompt | None) -> ParlourObservation:
        if prompt is not None:
            return ParlourObservation(
                done=False, reward=0.0, seat=prompt.seat, purpose=prompt.purpose, repair=prompt.repair,
                messages=prompt.chat(), max_tokens=prompt.max_tokens, number=prompt.number,
            )  # fmt: skip
        assert self._episode is not None
        standing = self._episode.standing()
        asked = [str(seat) for seat in self._episode.setup.asked()]
        rewards = {seat: weighted(standing, seat, self._weights) for seat in standing.seats}
        return ParlourObservation(
            done=True,
            reward=sum(rewards[seat] for seat in asked) / len(asked),
            rows={seat: {**row.row(), "reward": rewards[seat]} for seat, row in standing.seats.items()},
            sha256=keep_record(self._episode, os.environ.get(RECORDS))[0],
            reason=standing.reason,
            void=standing.void,
        )  # fmt: skip
