"""The typed client; one connection is one match."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from parlour_env.models import ParlourAction, ParlourObservation, ParlourState


class ParlourEnv(EnvClient[ParlourAction, ParlourObservation, ParlourState]):
    """A match on a server: `reset(game="fish", seed=0)`, then `step(ParlourAction(text=...))` until `done`."""

    def _step_payload(self, action: ParlourAction) -> dict[str, Any]:
        return action.model_dump(exclude_defaults=True) | {"text": action.text}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ParlourObservation]:
        told = {**payload.get("observation", {}), "done": payload.get("done", False), "reward": payload.get("reward")}
        observation = ParlourObservation(**told)
        return StepResult(observation=observation, reward=observation.reward, done=observation.done)

    def _parse_state(self, payload: dict[str, Any]) -> ParlourState:
        return ParlourState(**payload)
