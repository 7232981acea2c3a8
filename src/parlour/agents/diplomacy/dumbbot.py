"""DumbBot, the reference bot of the field since 2002, by its author's rules; options select changes of its ports."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.kernel import dials as d
from parlour.agents.diplomacy.kernel.draws import Draws
from parlour.agents.diplomacy.nodes import nodes_of
from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.specs import Recipe
from parlour.core.game import Action, View
from parlour.games.diplomacy.engine.lookup_tables import tables_of
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering.actions import Actions
from parlour.games.diplomacy.position import Position

Dials = npt.NDArray[np.int32]
SPRING_WEIGHTS = (100, 1000, 30, 10, 6, 5, 4, 3, 2, 1)
FALL_WEIGHTS = (1000, 100, 30, 10, 6, 5, 4, 3, 2, 1)
MOST_IDLE = 64
"""Maximum number of DumbBot variants with a cached desk; a desk takes 400 kB, and strangers choose variants."""
OWN_SIZE = -1
"""Value of a neutral centre if all of them together count as one more power."""


class DumbBotOptions(msgspec.Struct, frozen=True):
    """Differences from the author's DumbBot; by default there are none."""

    port: Annotated[
        Literal["original", "parlance", "dipnet"],
        msgspec.Meta(description="whose version: the author's, Parlance's, or that of the DipNet research code"),
    ] = "original"
    neutral: Annotated[
        Literal["size", "16", "0"] | None,
        msgspec.Meta(description="value of a neutral centre: size of a power, 16, or 0"),
    ] = None
    standing: Annotated[bool | None, msgspec.Meta(description="a unit counts in the province it stands in")] = None
    shores: Annotated[
        Literal["best", "every"] | None, msgspec.Meta(description="which shores of a neighbour count")
    ] = None
    stay: Annotated[bool | None, msgspec.Meta(description="add one point to the value of holding")] = None
    removal: Annotated[
        Literal["half", "gap"] | None,
        msgspec.Meta(description="keep a unit by an even chance, or by its value too"),
    ] = None
    draws: Annotated[Literal["two", "one"] | None, msgspec.Meta(description="random draws to pass over an entry")] = (
        None
    )
    stray: Annotated[int, msgspec.Meta(ge=0, le=100, description="percent chance to look at the next best")] = 50
    gap: Annotated[int, msgspec.Meta(ge=0, le=100_000, description="weight of the gap in value to the next")] = 500
    attack: Annotated[
        int,
        msgspec.Meta(ge=0, le=1000, description="weight of others' centres in spring, 1000 minus that of own"),
    ] = 700
    help: Annotated[int, msgspec.Meta(ge=0, le=100_000, description="weight of own units nearby")] = 1000
    deter: Annotated[int, msgspec.Meta(ge=0, le=100_000, description="weight of others' units nearby")] = 1000


PORTS = {
    "original": DumbBotOptions(
        neutral="size", standing=True, shores="best", stay=True, removal="half", draws="two"
    ),
    "parlance": DumbBotOptions(
        neutral="16", standing=True, shores="best", stay=False, removal="half", draws="two"
    ),
    "dipnet": DumbBotOptions(neutral="0", standing=False, shores="every", stay=False, removal="gap", draws="one"),
}  # fmt: skip
ORIGINAL = PORTS["original"]


def as_in_port(options: DumbBotOptions) -> DumbBotOptions:
    """Return the options, with those that are not set taken from the port."""
    port = PORTS[options.port]
    unsaid = {field: getattr(port, field) for field in options.__struct_fields__ if getattr(options, field) is None}
    return msgspec.structs.replace(options, **unsaid)


def dials_of(options: DumbBotOptions) -> Dials:
    """Return the constants as the kernel takes them."""
    options = as_in_port(options)
    dials = np.zeros(d.DIALS, np.int32)
    dials[d.SPRING_ATTACK], dials[d.SPRING_DEFENCE] = options.attack, 1000 - options.attack
    dials[d.FALL_ATTACK], dials[d.FALL_DEFENCE] = max(0, options.attack - 100), min(1000, 1100 - options.attack)
    dials[d.HELP], dials[d.DETER], dials[d.DANGER] = options.help, options.deter, 1000
    dials[d.STRAY], dials[d.GAP] = options.stray, options.gap
    dials[d.NEUTRAL] = OWN_SIZE if options.neutral == "size" else int(options.neutral or 0)
    dials[d.STANDING], dials[d.STAY] = bool(options.standing), bool(options.stay)
    dials[d.REMOVAL], dials[d.ONE_DRAW] = options.removal == "gap", options.draws == "one"
    dials[d.SPRING_WEIGHTS : d.SPRING_WEIGHTS + 10] = SPRING_WEIGHTS
    dials[d.FALL_WEIGHTS : d.FALL_WEIGHTS + 10] = FALL_WEIGHTS
    return dials


def new_draws(board: Map, options: DumbBotOptions) -> Draws:
    """Return a desk that draws by those options."""
    every_shore = as_in_port(options).shores == "every"
    return Draws(tables_of(board), nodes_of(board, every_shore=every_shore), dials_of(options))


@lru_cache(maxsize=MOST_IDLE)
def _idle(board: Map, options: DumbBotOptions) -> list[Draws]:
    """Return the list of free desks for these options, which has one desk at first."""
    return [new_draws(board, options)]


def draw(position: Position, power: int, seed: int, options: DumbBotOptions = ORIGINAL) -> list[int]:
    """Return one power's actions as DumbBot draws them."""
    board = position.board
    actions: Actions = np.zeros((1, len(board.powers), len(board.provinces)), np.int64)
    seeds = np.array([seed], np.uint64)
    idle = _idle(board, options)
    try:
        desk = idle.pop()
    except IndexError:
        desk = new_draws(board, options)
    desk.draw_all(position.row.data, seeds.data, 1 << power, actions.data)
    idle.append(desk)
    return [action for action in actions[0, power].tolist() if action]


class DumbBot:
    """Values every place by the centres near it, and mostly moves to the best ones."""

    def __init__(self, seed: int, options: DumbBotOptions = ORIGINAL) -> None:
        self._rng = random.Random(seed)
        self._options = options

    def act(self, view: View) -> Action:
        """Draw an order set."""
        position = diplomacy_position(view)
        chosen = draw(position, position.power_of(view.seat), self._rng.getrandbits(63), self._options)
        return [str(position.order_of(action)) for action in chosen]


RECIPE = Recipe(lambda options, seed: DumbBot(seed, options), DumbBotOptions)
