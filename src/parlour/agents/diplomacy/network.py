"""Plays by a network's parameters, the published ones or one's own: `deepmind:PATH`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np

from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.specs import Recipe
from parlour.core.events import Event
from parlour.core.game import Action, View
from parlour.deepmind.following import Follower
from parlour.deepmind.network.policy import EVALUATED_AT, Library
from parlour.deepmind.network.stream import key_of, split
from parlour.deepmind.network.worker import InferenceWorker, worker_of
from parlour.errors import ConfigError, NotationError


class NetworkOptions(msgspec.Struct, frozen=True):
    """Which parameters, and how boldly they are sampled."""

    path: Annotated[str, msgspec.Meta(description="a file of parameters; may stand alone, first")] = ""
    temperature: Annotated[
        float, msgspec.Meta(ge=0, le=100, description="0 always plays the likeliest orders, 1 as often as it thinks")
    ] = EVALUATED_AT
    library: Annotated[
        Library, msgspec.Meta(description="what computes; jax compiles first, and needs the extra net")
    ] = "numpy"


class NetworkPlayer:
    """Asks the one worker of its network; async, so that seats and matches that ask together are one batch."""

    def __init__(self, worker: InferenceWorker, temperature: float, seed: int) -> None:
        self._worker = worker
        self._follower = Follower(temperature=temperature)
        self._key = key_of(seed ^ seed >> 32)

    def told(self, event: Event) -> None:
        """Follow the match."""
        self._follower.told(event)

    def resumed(self, events: Sequence[Event]) -> None:
        """Catch up with a match that has begun."""
        for event in events:
            self._follower.told(event)

    async def act(self, view: View) -> Action:
        """Orders for the seat."""
        position = diplomacy_position(view)
        given = self._follower.input_at(position)
        self._key, now = split(np, self._key, legacy=False)
        answer = self._worker.ask(given, position.power_of(view.seat), now)
        return [str(position.order_of(action)) for action in await asyncio.wrap_future(answer)]


def make(options: NetworkOptions, seed: int) -> NetworkPlayer:
    """A player by the parameters of a file."""
    if not options.path:
        raise ConfigError("agent: deepmind needs a file of parameters, as in deepmind:sl_params.npz", field="agent")
    try:
        worker = worker_of(options.path, options.library)
    except NotationError as error:
        raise ConfigError(f"agent: deepmind: {error}", field="agent") from None
    return NetworkPlayer(worker, options.temperature, seed)


RECIPE = Recipe(make, NetworkOptions, bare="path")
