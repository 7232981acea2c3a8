"""Plays by a network's parameters, the published ones or your own: `deepmind:PATH`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import msgspec
import numpy as np

from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.specs import Recipe
from parlour.core import seeds
from parlour.core.events import PositionSet, Removed, Started, TurnEnded
from parlour.core.game import Action, View
from parlour.core.player import ObservedEvent
from parlour.deepmind.conversions import actions_of_turn
from parlour.deepmind.legal import legal_lists
from parlour.deepmind.network.policy import EVALUATED_AT, Library
from parlour.deepmind.network.stream import key_of, split
from parlour.deepmind.network.worker import InferenceWorker, worker_of
from parlour.deepmind.observation import observe
from parlour.deepmind.options import DEFAULT
from parlour.deepmind.transformer import Carried, NetworkInput, ObservationTransformer
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position


class NetworkOptions(msgspec.Struct, frozen=True):
    """The options of the published network: parameters, temperature of sampling, and library."""

    path: Annotated[str, msgspec.Meta(description="a file of parameters; may stand alone, first")] = ""
    temperature: Annotated[
        float, msgspec.Meta(ge=0, le=100, description="0 always plays the likeliest orders, 1 as often as it thinks")
    ] = EVALUATED_AT
    library: Annotated[
        Library, msgspec.Meta(description="what computes; jax compiles first, and needs the extra net")
    ] = "numpy"


class PhaseMemory:
    """The phases of a match as the network saw them, which it carries from one to the next."""

    def __init__(self, *, temperature: float) -> None:
        self._temperature = temperature
        self._transformer = ObservationTransformer()
        self._position: Position | None = None
        self._carried: Carried | None = None
        self._last: list[int] = []
        self._seen: NetworkInput | None = None
        """The input of this phase; None before it is needed."""

    def take(self, observed: ObservedEvent) -> None:
        """Process an event; must be called with every event in order."""
        match observed.event:
            case Started() | PositionSet():
                self._begin(observed.view.position)
            case TurnEnded() if self._position is not None:
                self._look()
                after = observed.view.position
                assert isinstance(after, Position)
                self._position, self._last, self._seen = after, list(_played(after)), None
            case Removed() if self._position is not None:
                after = observed.view.position
                assert isinstance(after, Position)
                self._position = after

    def input_at(self, position: Position) -> NetworkInput:
        """Return the network's input in a position, with the earlier phases if they led to this position."""
        if self._position is None or position.state != self._position.state:
            self._begin(position)
        return self._look()

    def _begin(self, position: object) -> None:
        """Start from a position without earlier phases."""
        if reason := refusal(position):
            raise ConfigError(f"agent: {reason}", field="agent")
        assert isinstance(position, Position)
        self._position, self._carried, self._last, self._seen = position, None, [], None

    def _look(self) -> NetworkInput:
        """Return the input of the present phase, which is computed once."""
        assert self._position is not None
        if self._seen is None:
            try:
                self._seen, self._carried = self._transformed(self._last, self._carried)
            except NotationError:
                # Phases in which only removed powers could act cause no events. Then the stored phases do not fit.
                self._seen, self._carried = self._transformed([], None)
        return self._seen

    def _transformed(self, last: list[int], carried: Carried | None) -> tuple[NetworkInput, Carried]:
        assert self._position is not None
        lists = legal_lists(self._position.row, DEFAULT)
        return self._transformer.transform(
            observe(self._position.state, last), lists, carried=carried, temperature=self._temperature
        )


def refusal(position: object) -> str:
    """Return the reason why a network cannot play from a position; empty if it can."""
    played = isinstance(position, Position) and position.board == standard()
    return "" if played else "deepmind plays only on the map standard, in clear sight and by unvaried rules"


@lru_cache(maxsize=64)
def _played(after: Position) -> tuple[int, ...]:
    """Return the executed actions of the last turn; seats of one match share the result."""
    assert after.turn is not None
    return tuple(action for own in actions_of_turn(after.turn) for action in own)


class NetworkPlayer:
    """A player that asks the shared worker of its network. It is async, so simultaneous questions form one batch."""

    def __init__(self, worker: InferenceWorker, temperature: float, seed: int) -> None:
        self._worker = worker
        self._phases = PhaseMemory(temperature=temperature)
        self._key = key_of(seeds.network_key(seed))

    def on_event(self, observed: ObservedEvent) -> None:
        """Follow the match."""
        self._phases.take(observed)

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        """Catch up with a match that has begun."""
        for observed in past:
            self._phases.take(observed)

    async def act(self, view: View) -> Action:
        """Return orders for the seat."""
        position = diplomacy_position(view)
        given = self._phases.input_at(position)
        self._key, now = split(np, self._key, legacy=False)
        answer = self._worker.ask(given, position.power_of(view.seat), now)
        return [str(position.order_of(action)) for action in await asyncio.wrap_future(answer)]


def make(options: NetworkOptions, seed: int) -> NetworkPlayer:
    """Return a player by the parameters of a file."""
    if not options.path:
        raise ConfigError("agent: deepmind needs a file of parameters, as in deepmind:sl_params.npz", field="agent")
    try:
        worker = worker_of(options.path, options.library)
    except NotationError as error:
        raise ConfigError(f"agent: deepmind: {error}", field="agent") from None
    return NetworkPlayer(worker, options.temperature, seed)


RECIPE = Recipe(make, NetworkOptions, bare="path", refuses=refusal)
