"""A phase's actions, chosen unit by unit, with the choices that are left."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import is_waive
from parlour.deepmind.observation import Observation
from parlour.deepmind.season import Season
from parlour.envs.map_state import LearnerState, MapSizes
from parlour.games.diplomacy.ordering import actions as a

PASS = 0
"""The choice of a power without orders; choice i + 1 is the action with index i."""
Mask = npt.NDArray[np.int8]


class Draft:
    """The orders of each power: one slot per unit in the order of areas, or in winter per build or removal."""

    def __init__(self, state: LearnerState, seen: Observation, sizes: MapSizes) -> None:
        self._sizes = sizes
        self.chosen: list[list[int]] = [[] for _ in range(sizes.powers)]
        self.areas = sizes.acting(state.position, seen.build_numbers)
        self._at = [0] * sizes.powers
        self._slots = [
            self._split(own, areas, seen.season) for own, areas in zip(state.legal_actions(), self.areas, strict=True)
        ]

    def _split(self, legal: list[int], areas: list[int], season: Season) -> list[list[int]]:
        if season == Season.BUILDS:
            return [legal for _ in areas]
        by_province: dict[int, list[int]] = {}
        for action in legal:
            by_province.setdefault(a.ordered(action), []).append(action)
        return [by_province[self._sizes.board.areas[area].province] for area in areas]

    def slots(self, power: int) -> list[list[int]]:
        """Return the actions of each slot of a power, without regard to the choices in other slots."""
        return self._slots[power]

    def left(self, power: int) -> bool:
        """Return True if the power has a slot to fill."""
        return self._at[power] < len(self._slots[power])

    def complete(self) -> bool:
        """Return True if no power has a slot to fill."""
        return not any(map(self.left, range(self._sizes.powers)))

    def area(self, power: int) -> int | None:
        """Return the area of the unit of the next slot; None in winter, or if there is no slot."""
        if not self.left(power):
            return None
        area = self.areas[power][self._at[power]]
        return area if area >= 0 else None

    def options(self, power: int) -> list[int]:
        """Return the actions for the power's next slot; empty if there is no slot."""
        if not self.left(power):
            return []
        taken = {a.ordered(action) for action in self.chosen[power] if not is_waive(action)}
        slot = self._slots[power][self._at[power]]
        return [action for action in slot if is_waive(action) or a.ordered(action) not in taken] if taken else slot

    def choose(self, power: int, choice: int) -> None:
        """Fill the power's next slot, if there is one; an illegal choice leaves the slot empty."""
        if self.left(power):
            if self.may_choose(power, choice):
                self.chosen[power].append(int(self._sizes.actions[choice - 1]))
            self._at[power] += 1

    def kept(self) -> tuple[list[list[int]], list[int]]:
        """Return a copy of the choices so far, for `restore`."""
        return [list(own) for own in self.chosen], list(self._at)

    def restore(self, kept: tuple[list[list[int]], list[int]]) -> None:
        """Drop the choices made since `kept` was called."""
        self.chosen, self._at = kept

    def may_choose(self, power: int, choice: int) -> bool:
        """Return True if a choice is among those for the power's next slot."""
        if not self.left(power):
            return choice == PASS
        if not 1 <= choice < self._sizes.choices:
            return False
        return int(self._sizes.actions[choice - 1]) in self.options(power)

    def mask(self, power: int) -> Mask:
        """Return int8 [choices]: 1 for each legal next choice, which is PASS if there is no slot."""
        return mask_of(self.options(power), self._sizes.choices)


def mask_of(options: list[int], choices: int) -> Mask:
    """Return int8 [choices]: 1 for the choices of these actions, or PASS if there are none."""
    mask = np.zeros(choices, np.int8)
    if options:
        mask[(np.array(options, np.int64) >> 48) + 1] = 1
    else:
        mask[PASS] = 1
    return mask
