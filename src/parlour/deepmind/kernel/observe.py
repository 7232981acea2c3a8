"""Writes observations of flat game states into caller-provided arrays; one call for a whole batch, without the GIL.

Columns of an area: 0-2 army, fleet, no unit; 3-9, 10 its owner, none; 11 buildable; 12 removable; 13-15 dislodged
army, fleet, none; 16-22, 23 its owner, none; 24-26 land, sea, coast; 27-33, 34 owner of the centre, nobody.

All arrays are flat here: a state begins at s = 512 b, its board at o = 81 * 35 b, its build numbers at n = 7 b.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    from parlour.games.diplomacy.kernel.layout import (
        BUILDS,
        COAST_SHIFT,
        DISLODGED,
        FLEET,
        OWNERS,
        POWER_MASK,
        SEASON,
        SPRING_RETREATS,
        STATE,
        UNITS,
        WINTER,
    )

POWERS = cython.declare(cython.int, 7)
COLUMNS = cython.declare(cython.int, 35)
# The options of options.py, as bits.
REMOVABLE_ON_MAIN = cython.declare(cython.int, 1)
CENTRE_ON_MAIN_ONLY = cython.declare(cython.int, 2)
BUILDABLE_ON_MAIN_ONLY = cython.declare(cython.int, 4)
BUILDS_UNCAPPED = cython.declare(cython.int, 8)
FORGET_REMOVALS = cython.declare(cython.int, 16)


@cython.final  # calls are direct, so the compiler may put them in place
@cython.cclass
class ObservationWriter:
    """Writes observations. It never changes, so several threads may share it."""

    def __init__(self, template, area_of, last_area, home_of, centres, flags) -> None:
        self.provinces: cython.int = len(area_of)
        self.size: cython.Py_ssize_t = template.size
        self.template: cython.const[cython.uchar][::1] = template.reshape(-1).data
        self.area_of: cython.const[cython.int][::1] = area_of.data
        self.last_area: cython.const[cython.int][::1] = last_area.data
        self.home_of: cython.const[cython.uchar][::1] = home_of.data
        self.centres: cython.const[cython.int][::1] = centres.data
        self.flags: cython.int = flags

    def observe(
        self,
        states: cython.const[cython.uchar][::1],
        boards: cython.uchar[::1],
        builds: cython.int[::1],
        seasons: cython.int[::1],
    ) -> None:
        """Write boards, builds and seasons of as many states as there are seasons; the caller checks the sizes."""
        b: cython.Py_ssize_t
        s: cython.Py_ssize_t
        season: cython.int
        with cython.nogil:
            for b in range(seasons.shape[0]):
                s = b * STATE
                season = states[s + SEASON]
                seasons[b] = season
                self.write_builds(states, s, builds, b * POWERS)
                self.write_ground(states, s, boards, b * self.size)
                if season & SPRING_RETREATS:
                    self.write_dislodged(states, s, boards, b * self.size)
                elif season == WINTER:
                    self.write_options(states, s, boards, b * self.size, builds, b * POWERS)

    def write_builds(
        self,
        states: cython.const[cython.uchar][::1],
        s: cython.Py_ssize_t,
        builds: cython.int[::1],
        n: cython.Py_ssize_t,
    ) -> cython.void:
        """Write the builds and removals due in winter; at other times the last winter's removals, as published adapters
        do.
        """
        i: cython.Py_ssize_t
        p: cython.int
        power: cython.int
        free = cython.declare(cython.int[8])
        if states[s + SEASON] != WINTER:
            for power in range(POWERS):
                p = states[s + BUILDS + power]
                if p >= 128 and not self.flags & FORGET_REMOVALS:
                    builds[n + power] = p - 256
                else:
                    builds[n + power] = 0
            return
        for power in range(POWERS):
            builds[n + power] = 0
            free[power] = 0
        for p in range(self.provinces):
            power = states[s + UNITS + p] & POWER_MASK
            if 0 < power <= POWERS:
                builds[n + power - 1] -= 1
        for i in range(self.centres.shape[0]):
            power = states[s + OWNERS + self.centres[i]]
            if 0 < power <= POWERS:
                builds[n + power - 1] += 1
                free[power - 1] += self.is_free(states, s, self.centres[i], power)
        if not self.flags & BUILDS_UNCAPPED:
            for power in range(POWERS):
                if free[power] < builds[n + power]:
                    builds[n + power] = free[power]

    def is_free(
        self, states: cython.const[cython.uchar][::1], s: cython.Py_ssize_t, p: cython.int, owner: cython.int
    ) -> cython.bint:
        """Return True if a province is an empty home centre that its own power owns."""
        return self.home_of[p] == owner and states[s + OWNERS + p] == owner and states[s + UNITS + p] == 0

    def write_ground(
        self,
        states: cython.const[cython.uchar][::1],
        s: cython.Py_ssize_t,
        boards: cython.uchar[::1],
        o: cython.Py_ssize_t,
    ) -> cython.void:
        """Write the empty board, the units, and the owners of centres on every row of their province."""
        i: cython.Py_ssize_t
        p: cython.int
        area: cython.int
        owner: cython.int
        last: cython.int
        found: cython.int = 0
        standing = cython.declare(cython.int[128])
        if cython.compiled:
            memcpy(cython.address(boards[o]), cython.address(self.template[0]), self.size)
        else:
            for i in range(self.size):
                boards[o + i] = self.template[i]
        # Listed first and without a branch: which provinces have a unit is hard to predict.
        for p in range(self.provinces):
            standing[found] = p
            found += states[s + UNITS + p] != 0
        for i in range(found):
            self.put(boards, o, standing[i], states[s + UNITS + standing[i]], 0)
        for i in range(self.centres.shape[0]):
            p = self.centres[i]
            owner = states[s + OWNERS + p]
            if 0 < owner <= POWERS:
                last = self.area_of[p] if self.flags & CENTRE_ON_MAIN_ONLY else self.last_area[p]
                for area in range(self.area_of[p], last + 1):
                    boards[o + area * COLUMNS + 26 + owner] = 1
                    boards[o + area * COLUMNS + 34] = 0

    def write_dislodged(
        self,
        states: cython.const[cython.uchar][::1],
        s: cython.Py_ssize_t,
        boards: cython.uchar[::1],
        o: cython.Py_ssize_t,
    ) -> cython.void:
        """Write the dislodged units, in the same form as units."""
        p: cython.int
        for p in range(self.provinces):
            if states[s + DISLODGED + p] & POWER_MASK:
                self.put(boards, o, p, states[s + DISLODGED + p], 13)

    def put(
        self, boards: cython.uchar[::1], o: cython.Py_ssize_t, p: cython.int, unit: cython.int, first: cython.int
    ) -> cython.void:
        """Show a unit on its main row and, for a fleet on a coast, on the coast's row; skip impossible units."""
        coast: cython.int = unit >> COAST_SHIFT & 3
        power: cython.int = unit & POWER_MASK
        row: cython.Py_ssize_t = o + self.area_of[p] * COLUMNS + first
        if power == 0 or power > POWERS or self.area_of[p] + coast > self.last_area[p]:
            return
        while True:
            boards[row + 2] = 0
            boards[row + 10] = 0
            boards[row + (1 if unit & FLEET else 0)] = 1
            boards[row + 2 + power] = 1
            if coast == 0:
                return
            row += coast * COLUMNS
            coast = 0

    def write_options(
        self,
        states: cython.const[cython.uchar][::1],
        s: cython.Py_ssize_t,
        boards: cython.uchar[::1],
        o: cython.Py_ssize_t,
        builds: cython.int[::1],
        n: cython.Py_ssize_t,
    ) -> cython.void:
        """Write build sites on all rows of the province, and removable units at their exact area."""
        p: cython.int
        area: cython.int
        unit: cython.int
        last: cython.int
        owner: cython.int
        for p in range(self.provinces):
            unit = states[s + UNITS + p]
            owner = states[s + OWNERS + p]
            if 0 < unit & POWER_MASK <= POWERS:
                area = self.area_of[p] + (unit >> COAST_SHIFT & 3)
                if builds[n + (unit & POWER_MASK) - 1] < 0 and area <= self.last_area[p]:
                    boards[o + area * COLUMNS + 12] = 1
                    if self.flags & REMOVABLE_ON_MAIN:
                        boards[o + self.area_of[p] * COLUMNS + 12] = 1
            elif 0 < owner <= POWERS and builds[n + owner - 1] > 0 and self.is_free(states, s, p, owner):
                last = self.area_of[p] if self.flags & BUILDABLE_ON_MAIN_ONLY else self.last_area[p]
                for area in range(self.area_of[p], last + 1):
                    boards[o + area * COLUMNS + 11] = 1
