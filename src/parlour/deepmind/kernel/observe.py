"""Writes observations of flat game states into caller-provided arrays; one call for a whole batch, without the GIL.

Columns of an area: 0-2 army, fleet, no unit; 3-9, 10 its owner, none; 11 buildable; 12 removable; 13-15 dislodged
army, fleet, none; 16-22, 23 its owner, none; 24-26 land, sea, coast; 27-33, 34 owner of the centre, nobody.
"""

import cython

if not cython.compiled:
    from parlour.games.diplomacy.kernel.layout import (
        BUILDS,
        COAST_SHIFT,
        DISLODGED,
        FLEET,
        OWNERS,
        POWER_MASK,
        SEASON,
        UNITS,
        WINTER,
    )

POWERS = cython.declare(cython.int, 7)
# What options.py may ask for, as bits.
REMOVABLE_ON_MAIN = cython.declare(cython.int, 1)
CENTRE_ON_MAIN_ONLY = cython.declare(cython.int, 2)
BUILDABLE_ON_MAIN_ONLY = cython.declare(cython.int, 4)
BUILDS_UNCAPPED = cython.declare(cython.int, 8)
FORGET_REMOVALS = cython.declare(cython.int, 16)


class Observer:
    """Knows the areas of the map; one may serve several threads at once, since it is never changed."""

    def __init__(self, template, area_of, last_area, home_of, flags):
        self.provinces = len(area_of)
        self.areas = template.shape[0]
        self.columns = template.shape[1]
        self.template = memoryview(template)
        self.area_of = memoryview(area_of)
        self.last_area = memoryview(last_area)
        self.home_of = memoryview(home_of)
        self.flags = flags

    def observe(
        self,
        states: cython.const[cython.uchar][:, ::1],
        boards: cython.uchar[:, :, ::1],
        builds: cython.int[:, ::1],
        seasons: cython.int[::1],
    ):
        """Fill boards [B, 81, 35], builds [B, 7] and seasons [B] for states [B, 512]; shapes are the caller's care."""
        b: cython.Py_ssize_t
        with cython.nogil:
            for b in range(states.shape[0]):
                seasons[b] = states[b, SEASON]
                self.write_builds(states, b, builds)
                self.write_ground(states, b, boards)
                self.write_units(states, b, boards)
                if states[b, SEASON] == WINTER:
                    self.write_options(states, b, boards, builds)

    def write_builds(self, states, b, builds):
        """In winter what is due; at other times the removals of the last winter, as published (facts 5)."""
        p: cython.int
        power: cython.int
        free: cython.int
        if states[b, SEASON] != WINTER:
            for power in range(POWERS):
                free = states[b, BUILDS + power]
                if free >= 128 and not self.flags & FORGET_REMOVALS:
                    builds[b, power] = free - 256
                else:
                    builds[b, power] = 0
            return
        for power in range(POWERS):
            builds[b, power] = 0
        for p in range(self.provinces):
            power = states[b, OWNERS + p]
            if 0 < power <= POWERS:
                builds[b, power - 1] += 1
            power = states[b, UNITS + p] & POWER_MASK
            if 0 < power <= POWERS:
                builds[b, power - 1] -= 1
        if self.flags & BUILDS_UNCAPPED:
            return
        for power in range(POWERS):
            if builds[b, power] > 0:
                free = 0
                for p in range(self.provinces):
                    if self.is_free(states, b, p, power + 1):
                        free += 1
                if free < builds[b, power]:
                    builds[b, power] = free

    def is_free(self, states, b, p, owner):
        """Whether a province is an empty home centre that its own power owns."""
        return self.home_of[p] == owner and states[b, OWNERS + p] == owner and states[b, UNITS + p] == 0

    def write_ground(self, states, b, boards):
        """What is true of an empty board, and the owners of centres on every row of their province."""
        area: cython.int
        column: cython.int
        p: cython.int
        owner: cython.int
        last: cython.int
        for area in range(self.areas):
            for column in range(self.columns):
                boards[b, area, column] = self.template[area, column]
        for p in range(self.provinces):
            owner = states[b, OWNERS + p]
            if 0 < owner <= POWERS:
                last = self.area_of[p] if self.flags & CENTRE_ON_MAIN_ONLY else self.last_area[p]
                for area in range(self.area_of[p], last + 1):
                    boards[b, area, 26 + owner] = 1
                    boards[b, area, 34] = 0

    def write_units(self, states, b, boards):
        """Units and dislodged units: on the main row, and for a fleet on a coast on that coast's row too."""
        p: cython.int
        for p in range(self.provinces):
            if states[b, UNITS + p] & POWER_MASK:
                self.put(boards, b, p, 0, states[b, UNITS + p], 0)
                self.put(boards, b, p, states[b, UNITS + p] >> COAST_SHIFT & 3, states[b, UNITS + p], 0)
            if states[b, DISLODGED + p] & POWER_MASK:
                self.put(boards, b, p, 0, states[b, DISLODGED + p], 13)
                self.put(boards, b, p, states[b, DISLODGED + p] >> COAST_SHIFT & 3, states[b, DISLODGED + p], 13)

    def put(self, boards, b, p, coast, unit, first):
        """Show a unit on one row of a province, from column first on; a state that cannot be is not shown."""
        area: cython.int = self.area_of[p] + coast
        if area > self.last_area[p] or unit & POWER_MASK > POWERS:
            return
        boards[b, area, first + 2] = 0
        boards[b, area, first + 10] = 0
        boards[b, area, first + (1 if unit & FLEET else 0)] = 1
        boards[b, area, first + 2 + (unit & POWER_MASK)] = 1

    def write_options(self, states, b, boards, builds):
        """Where units may be built, on all rows of the province, and which may be removed, at their exact area."""
        p: cython.int
        area: cython.int
        unit: cython.int
        last: cython.int
        owner: cython.int
        for p in range(self.provinces):
            unit = states[b, UNITS + p]
            owner = states[b, OWNERS + p]
            if 0 < unit & POWER_MASK <= POWERS:
                area = self.area_of[p] + (unit >> COAST_SHIFT & 3)
                if builds[b, (unit & POWER_MASK) - 1] < 0 and area <= self.last_area[p]:
                    boards[b, area, 12] = 1
                    if self.flags & REMOVABLE_ON_MAIN:
                        boards[b, self.area_of[p], 12] = 1
            elif 0 < owner <= POWERS and builds[b, owner - 1] > 0 and self.is_free(states, b, p, owner):
                last = self.area_of[p] if self.flags & BUILDABLE_ON_MAIN_ONLY else self.last_area[p]
                for area in range(self.area_of[p], last + 1):
                    boards[b, area, 11] = 1
