"""Finds the DumbBot variant that the others resemble most, the author's or a port, by their orders so far.

Rollouts after the first phase are only as good as the DumbBot that plays them. Against another variant a search still
finds good orders, but it expects attacks that do not come, and misses some that do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.dumbbot import ORIGINAL, PORTS, DumbBotOptions, as_in_port, dials_of
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.kernel.rollouts import Rollouts
from parlour.agents.diplomacy.nodes import nodes_of
from parlour.agents.diplomacy.opponents import CAUTION, likelihood
from parlour.agents.diplomacy.trials import Samples
from parlour.games.diplomacy.engine.lookup_tables import tables_of
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position

VARIANTS = tuple(PORTS.values())
Chances = npt.NDArray[np.int32]
NEVER_IDLE: Chances = np.zeros(ROOM, np.int32)
KEPT, KEPT_KINDS = 8, 64
"""Maximum number of free desks kept per map and variant, and of pairs of a map and a variant."""
DRAWN = 48
"""Number of samples by which a DumbBot variant is judged."""
SAY = 4.0
"""Largest log-evidence of one power for or against a variant: a power that is not a DumbBot must not decide alone."""
DOUBT = 5.0
"""Log-evidence of all powers needed to prefer another variant to the author's."""


def new_rollouts(board: Map, strain: DumbBotOptions = ORIGINAL) -> Rollouts:
    """Return a desk for rollouts by a variant of DumbBot."""
    every_shore = as_in_port(strain).shores == "every"
    return Rollouts(tables_of(board), nodes_of(board, every_shore=every_shore), dials_of(strain))


_free: dict[tuple[Map, int], list[Rollouts]] = {}
"""Desks that are not in use, by map and variant. One serves one thread at a time."""


class DumbBotVariants:
    """Keeps a desk per variant while it thinks, and weighs how well each variant explains the others' orders.

    A desk takes much memory. Thousands of agents share as many as think at the same time.
    """

    def __init__(self) -> None:
        self._board: Map | None = None
        self._desks: dict[int, tuple[Rollouts, int]] = {}
        """By variant: the desk, and the number of rollouts that other agents made at it before."""
        self._sittings = self._thread = 0
        self._idle: dict[int, Chances] = {}
        """Probability with which each power holds, by variant, as it was last set."""
        self._rolled = 0
        self._evidence: dict[int, npt.NDArray[np.float64]] = {}
        self._rng = np.random.default_rng(0)
        self._drawn: list[Samples] = []

    @property
    def rolled(self) -> int:
        """Rollouts so far, at all desks."""
        rolled: int = self._rolled + sum(desk.rolled - before for desk, before in self._desks.values())
        return rolled

    @contextmanager
    def sitting(self) -> Iterator[None]:
        """Keep desks while the block runs, then give them back. RuntimeError on a second thread."""
        thread = get_ident()
        if self._sittings and self._thread != thread:
            raise RuntimeError("this agent is thinking on another thread; ask it again when that has returned")
        self._thread = thread
        self._sittings += 1
        try:
            yield
        finally:
            self._sittings -= 1
            if not self._sittings:
                self._rise()

    def _rise(self) -> None:
        self._rolled = self.rolled
        if self._board is not None:
            for strain, (desk, _) in self._desks.items():
                free = _free.setdefault((self._board, strain), [])
                if len(free) < KEPT:
                    free.append(desk)
        if len(_free) > KEPT_KINDS:
            _free.clear()
        self._desks = {}

    def likeliest(self) -> DumbBotOptions:
        """Return the variant that explains the orders so far best; the author's unless another is much likelier."""
        return VARIANTS[self._best()]

    def desk(self, board: Map) -> Rollouts:
        """Return the desk of the likeliest variant."""
        return self._at(board, self._best())

    def set_idle(self, board: Map, chances: Chances) -> None:
        """Set the percentage with which each power holds in rollouts of the likeliest variant."""
        self._idle[self._best()] = chances
        self.desk(board).set_idle(chances.data)

    def _best(self) -> int:
        spoken = sum((evidence.clip(-SAY, SAY) for evidence in self._evidence.values()), np.zeros(len(VARIANTS)))
        best = int(spoken.argmax())
        return best if spoken[best] > DOUBT else VARIANTS.index(ORIGINAL)

    def expect(self, position: Position) -> None:
        """Draw samples of the orders of all powers in a movement phase, the same number by each variant."""
        seeds = self._rng.integers(0, 1 << 63, DRAWN, np.uint64)
        self._drawn = []
        for strain in range(len(VARIANTS)):
            desk = self._at(position.board, strain)
            desk.set_root(position.row.data)
            orders = np.zeros((DRAWN, ROOM), np.int32)
            desk.draw_from_root(seeds.data, (1 << desk.powers) - 1, orders.data)
            self._drawn.append(orders)

    def learn(self, power: int, units: Sequence[int], given: OrderSet, choices: Sequence[int], trust: float) -> None:
        """Weigh the variants by the orders of a power, as far as it seems to be a DumbBot."""
        sets = [list(map(tuple, drawn[:, list(units)].tolist())) for drawn in self._drawn]
        found = np.array([likelihood(each, given, choices) for each in sets])
        evidence = self._evidence.setdefault(power, np.zeros(len(VARIANTS)))
        evidence += CAUTION * trust * (found - found[VARIANTS.index(ORIGINAL)])

    def _at(self, board: Map, strain: int) -> Rollouts:
        if self._board != board:
            self._rise()
            self._board = board
        if strain not in self._desks:
            try:
                desk = _free.get((board, strain), []).pop()
            except IndexError:
                desk = new_rollouts(board, VARIANTS[strain])
            desk.set_idle(self._idle.get(strain, NEVER_IDLE).data)
            self._desks[strain] = desk, desk.rolled
        return self._desks[strain][0]
