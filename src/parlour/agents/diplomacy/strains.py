"""Which DumbBot the others are most like: the author's or one of its ports, by what they all ordered.

What is rolled out after the first phase can only be as right as the DumbBot that plays it. Against another strain than
the one that it rolls out a search still finds good orders, but expects attacks where there are none, and the reverse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.dumbbot import ORIGINAL, PORTS, DumbBotOptions, as_in_port, dials_of
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.kernel.rollouts import Rollouts
from parlour.agents.diplomacy.nodes import nodes_of
from parlour.agents.diplomacy.opponents import CAUTION, likelihood
from parlour.agents.diplomacy.trials import Samples
from parlour.games.diplomacy.map import Map
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.tables import tables_of

STRAINS = tuple(PORTS.values())
DRAWN = 48
"""Samples by which a strain is judged."""
SAY = 4.0
"""How far one power can speak for or against a strain, as a logarithm: who is no DumbBot must not decide alone."""
DOUBT = 5.0
"""How far all of them must speak for another strain than the author's."""


def new_rollouts(board: Map, strain: DumbBotOptions = ORIGINAL) -> Rollouts:
    """A desk that rolls out by a strain of DumbBot."""
    every_shore = as_in_port(strain).shores == "every"
    return Rollouts(tables_of(board), nodes_of(board, every_shore=every_shore), dials_of(strain))


class Strains:
    """Keeps a desk for each strain, and how well each explains what the others ordered in this match."""

    def __init__(self) -> None:
        self._desks: tuple[Map, list[Rollouts]] | None = None
        self._evidence: dict[int, npt.NDArray[np.float64]] = {}
        self._rng = np.random.default_rng(0)
        self._drawn: list[Samples] = []

    @property
    def rolled(self) -> int:
        """Rollouts so far, at all desks."""
        return 0 if self._desks is None else sum(desk.rolled for desk in self._desks[1])

    def likeliest(self) -> DumbBotOptions:
        """The strain that explains best what was ordered; the author's unless much speaks for another."""
        return STRAINS[self._best()]

    def desk(self, board: Map) -> Rollouts:
        """The desk of the likeliest strain."""
        return self._at(board)[self._best()]

    def _best(self) -> int:
        spoken = sum((evidence.clip(-SAY, SAY) for evidence in self._evidence.values()), np.zeros(len(STRAINS)))
        best = int(spoken.argmax())
        return best if spoken[best] > DOUBT else STRAINS.index(ORIGINAL)

    def expect(self, position: Position) -> None:
        """Draw what everybody would order in a phase of movement, by each strain with the same chance."""
        seeds = self._rng.integers(0, 1 << 63, DRAWN, np.uint64)
        self._drawn = []
        for desk in self._at(position.board):
            desk.set_root(position.row.data)
            orders = np.zeros((DRAWN, ROOM), np.int32)
            desk.draw_from_root(seeds.data, (1 << desk.powers) - 1, orders.data)
            self._drawn.append(orders)

    def learn(self, power: int, units: Sequence[int], given: OrderSet, choices: Sequence[int], trust: float) -> None:
        """Weigh the strains by the orders of a power, as far as it is taken for a DumbBot at all."""
        sets = [list(map(tuple, drawn[:, list(units)].tolist())) for drawn in self._drawn]
        found = np.array([likelihood(each, given, choices) for each in sets])
        evidence = self._evidence.setdefault(power, np.zeros(len(STRAINS)))
        evidence += CAUTION * trust * (found - found[STRAINS.index(ORIGINAL)])

    def _at(self, board: Map) -> list[Rollouts]:
        if self._desks is None or self._desks[0] != board:
            self._desks = board, [new_rollouts(board, strain) for strain in STRAINS]
        return self._desks[1]
