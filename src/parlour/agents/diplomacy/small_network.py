"""Plays by the small network: for each unit the order that it scores highest, with orders that fit one another."""

from __future__ import annotations

import random
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.area_network import SmallNetwork, read_small
from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.specs import Recipe
from parlour.core.game import Action, View
from parlour.deepmind.actions import (
    CONVOY_TO,
    MOVE_TO,
    POSSIBLE_ACTIONS,
    RETREAT_TO,
    SUPPORT_MOVE_TO,
    WAIVE,
)
from parlour.deepmind.legal import legal
from parlour.deepmind.network.plan import Ints
from parlour.deepmind.observation import PROVINCE_VECTOR_LENGTH, observe_into
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position

SHIPPED = "small_network.safetensors"
_GOING = (MOVE_TO, CONVOY_TO, RETREAT_TO)


class NetOptions(msgspec.Struct, frozen=True):
    """The network to load, and the temperature of sampling."""

    path: Annotated[
        str, msgspec.Meta(description="a file of `parlour train small`; may stand alone, first; else the shipped one")
    ] = ""
    temperature: Annotated[
        float, msgspec.Meta(ge=0, le=100, description="0 always plays the likeliest orders, 1 as often as it thinks")
    ] = 0.0


class NetPlayer:
    """A player that scores all legal actions and takes the best combination without contradictions."""

    def __init__(self, network: SmallNetwork, temperature: float, seed: int) -> None:
        self._network, self._temperature = network, temperature
        self._rng = random.Random(seed)

    def act(self, view: View) -> Action:
        """Return orders for the seat."""
        position = diplomacy_position(view)
        rng = np.random.default_rng(self._rng.getrandbits(63))
        chosen = choose(self._network, position, position.power_of(view.seat), self._temperature, rng)
        return [str(position.order_of(action)) for action in chosen]


def refusal(position: object) -> str:
    """Return the reason why the network cannot play from a position; empty if it can."""
    played = isinstance(position, Position) and position.board.for_actions == standard()
    return "" if played else "net plays only on the map standard, with builds at home"


def scored(network: SmallNetwork, position: Position, power: int) -> tuple[Ints, npt.NDArray[np.float64], int]:
    """Return the legal actions of a power by index, the scores of them all, and how many builds or removals are due."""
    if reason := refusal(position):
        raise ConfigError(f"agent: {reason}", field="agent")
    boards = np.empty((1, NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8)
    builds, seasons = np.empty((1, NUM_POWERS), np.int32), np.empty(1, np.int32)
    observe_into(position.row, boards, builds, seasons)
    actions, offsets = legal(position.row)
    own = (actions[offsets[0, power] : offsets[0, power + 1]] >> 48).astype(np.int32)
    rows = np.zeros(len(own), np.int32)
    found = network.judged(boards, seasons, builds, np.array([power]), rows, own)
    return own, found.astype(np.float64), abs(int(builds[0, power]))


def choose(
    network: SmallNetwork, position: Position, power: int, temperature: float, rng: np.random.Generator
) -> list[int]:
    """Return the actions of a power: units with the highest scores choose first, and no two go to one place."""
    own, scores, due = scored(network, position, power)
    if temperature > 0:
        scores = scores / temperature + rng.gumbel(size=len(scores))
    listed = POSSIBLE_ACTIONS[own]
    order = np.argsort(-scores, kind="stable")
    if position.stage == "adjustments":
        return _adjustments(listed[order].tolist(), due)
    places = listed >> 9 & 127
    sure = {
        int(place): float(np.ptp(np.sort(scores[places == place])[-2:])) if (places == place).sum() > 1 else np.inf
        for place in np.unique(places)
    }
    found: dict[int, int] = {}
    for place in sorted(sure, key=lambda place: -sure[place]):
        own_choices = [int(action) for action in listed[order] if action >> 9 & 127 == place]
        found[place] = next((action for action in own_choices if _fits(action, found)), own_choices[0])
    return list(found.values())


def _fits(action: int, others: dict[int, int]) -> bool:
    """Return True if an action fits the chosen ones: no second move to a place, no support of another move."""
    kind, target, third = action & 255, action >> 17 & 127, action >> 25 & 127
    if kind in _GOING:
        return not any(other & 255 in _GOING and other >> 17 & 127 == target for other in others.values())
    if kind == SUPPORT_MOVE_TO and third in others:
        helped = others[third]
        return helped & 255 in _GOING and helped >> 17 & 127 == target
    return True  # a unit without an order may still be given the supported order


def _adjustments(ranked: list[int], due: int) -> list[int]:
    """Return the best builds or removals that are due, each in a different place."""
    found: dict[int, int] = {}
    for action in ranked:
        if len(found) < due and action & 255 != WAIVE:
            found.setdefault(action >> 9 & 127, action)
    waives = [action for action in ranked if action & 255 == WAIVE]
    return [*found.values(), *(waives[:1] if len(found) < due else [])]


@lru_cache(maxsize=8)
def network_of(path: str) -> SmallNetwork:
    """Return the network of a file, or the one that ships."""
    if path:
        return read_small(Path(path))
    with as_file(files("parlour.agents.diplomacy") / SHIPPED) as shipped:
        return read_small(shipped)


def make(options: NetOptions, seed: int) -> NetPlayer:
    """Return a player by the small network."""
    try:
        return NetPlayer(network_of(options.path), options.temperature, seed)
    except NotationError as error:
        raise ConfigError(f"agent: net: {error}", field="agent") from None


RECIPE = Recipe(make, NetOptions, bare="path", refuses=refusal)
