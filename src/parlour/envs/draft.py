"""One phase's actions being put together unit by unit, with what may still be chosen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_ACTION_INDEX, POSSIBLE_ACTIONS, is_waive
from parlour.deepmind.areas import order_relevant_areas
from parlour.deepmind.observation import Observation
from parlour.deepmind.provinces import NUM_POWERS, province_and_area_index
from parlour.deepmind.season import Season
from parlour.deepmind.state import State
from parlour.games.diplomacy import actions as a

PASS = 0
"""The choice of whoever has nothing to order; choice i + 1 is the action with index i."""
CHOICES = MAX_ACTION_INDEX + 1
Mask = npt.NDArray[np.int8]


class Draft:
    """What each power orders, one slot for each unit in the order of its areas; in builds one for each that is due."""

    def __init__(self, state: State, seen: Observation) -> None:
        self.chosen: list[list[int]] = [[] for _ in range(NUM_POWERS)]
        over = state.is_terminal()
        self.areas = [[] if over else order_relevant_areas(seen, power) for power in range(NUM_POWERS)]
        self._at = [0] * NUM_POWERS
        self._slots = [
            self._split(own, areas, seen.season) for own, areas in zip(state.legal_actions(), self.areas, strict=True)
        ]

    @staticmethod
    def _split(legal: list[int], areas: list[int], season: Season) -> list[list[int]]:
        if season == Season.BUILDS:
            return [legal for _ in areas]
        by_province: dict[int, list[int]] = {}
        for action in legal:
            by_province.setdefault(a.ordered(action), []).append(action)
        return [by_province[province_and_area_index(area)[0]] for area in areas]

    def slots(self, power: int) -> list[list[int]]:
        """For each slot of a power the actions to choose from, whatever is chosen in the others."""
        return self._slots[power]

    def left(self, power: int) -> bool:
        """Whether the power has a slot to fill."""
        return self._at[power] < len(self._slots[power])

    def complete(self) -> bool:
        """Whether nobody has."""
        return not any(map(self.left, range(NUM_POWERS)))

    def area(self, power: int) -> int | None:
        """Where the unit of the next slot stands; None in builds, or if there is no slot."""
        if not self.left(power):
            return None
        area = self.areas[power][self._at[power]]
        return area if area >= 0 else None

    def options(self, power: int) -> list[int]:
        """What may be chosen for the power's next slot; nothing if there is none."""
        if not self.left(power):
            return []
        taken = {a.ordered(action) for action in self.chosen[power] if not is_waive(action)}
        slot = self._slots[power][self._at[power]]
        return [action for action in slot if is_waive(action) or a.ordered(action) not in taken] if taken else slot

    def choose(self, power: int, choice: int) -> None:
        """Fill the power's next slot, if there is one; what may not be chosen leaves it empty."""
        if self.left(power):
            if self.may_choose(power, choice):
                self.chosen[power].append(int(POSSIBLE_ACTIONS[choice - 1]))
            self._at[power] += 1

    def kept(self) -> tuple[list[list[int]], list[int]]:
        """What is chosen so far; restore goes back to it."""
        return [list(own) for own in self.chosen], list(self._at)

    def restore(self, kept: tuple[list[list[int]], list[int]]) -> None:
        """Forget what was chosen since."""
        self.chosen, self._at = kept

    def may_choose(self, power: int, choice: int) -> bool:
        """Whether a choice is among those for the power's next slot."""
        if not self.left(power):
            return choice == PASS
        return 1 <= choice < CHOICES and int(POSSIBLE_ACTIONS[choice - 1]) in self.options(power)

    def mask(self, power: int) -> Mask:
        """int8 [18585]: 1 for what may be chosen next, which is PASS if there is no slot."""
        return mask_of(self.options(power))


def mask_of(options: list[int]) -> Mask:
    """int8 [18585]: 1 for the choices of these actions, or PASS if there are none."""
    mask = np.zeros(CHOICES, np.int8)
    if options:
        mask[(np.array(options, np.int64) >> 48) + 1] = 1
    else:
        mask[PASS] = 1
    return mask
