"""Reads the orders of a movement phase: the legal ones, and a hold for all other units."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.core.kernel.words import lowest
    from parlour.games.diplomacy.kernel.bits import ints
    from parlour.games.diplomacy.kernel.layout import (
        CONVOY,
        CONVOY_TO,
        FLEET,
        HOLD,
        MOVE_TO,
        POWER_MASK,
        SUPPORT_HOLD,
        SUPPORT_MOVE_TO,
        UNITS,
    )
    from parlour.games.diplomacy.kernel.legal import Legal


class MoveOrders(Legal):
    """The orders of a movement phase before adjudication. Arrays are indexed by the province of the ordered unit."""

    def __init__(self, tables) -> None:
        Legal.__init__(self, tables)
        self.kind = ints(self.room(128, np.int32))
        self.moves = ints(self.room(128, np.int32))
        self.target = ints(self.room(128, np.int32))
        self.third = ints(self.room(128, np.int32))
        self.coast = ints(self.room(128, np.int32))
        self.power = ints(self.room(128, np.int32))
        self.given = ints(self.room(128, np.int32))

    def read_moves(self, actions: cython.const[cython.longlong][:, :, ::1], number: cython.Py_ssize_t) -> cython.void:
        """Read the orders of a batch's state; an illegal order is ignored, and its unit holds."""
        w: cython.int
        k: cython.int
        p: cython.int
        index: cython.longlong
        action: cython.longlong
        unit: cython.int
        self.look()
        for p in range(self.provinces):
            self.kind[p] = HOLD
            self.moves[p] = 0
            self.given[p] = 0
            self.power[p] = self.row[UNITS + p] & POWER_MASK
        for w in range(self.powers):
            for k in range(actions.shape[2]):
                action = actions[number, w, k]
                index = action >> 48
                if action <= 0 or index >= self.length or self.actions[index] != action:
                    continue
                p = (action >> 9) & 127
                unit = self.row[UNITS + p]
                if unit & POWER_MASK == w + 1 and not self.given[p]:
                    self.read_move(p, unit, action)

    @cython.final
    def read_move(self, p: cython.int, unit: cython.int, action: cython.longlong) -> cython.void:
        """Read one order if it is legal; supports and convoys are matched later."""
        kind: cython.int = action & 255
        target: cython.int = (action >> 17) & 127
        third: cython.int = (action >> 25) & 127
        site: cython.int = self.sites[p]
        k: cython.int
        if kind == MOVE_TO:
            if not self.reaches(site, target):
                return
            self.coast[p] = 0
            if self.is_split[target]:
                for k in range(self.move_first[site], self.move_first[site + 1]):
                    if self.move[k] == action:
                        self.coast[p] = self.move_coast[k]
                        break
                else:
                    return
        elif kind == CONVOY_TO:
            if unit & FLEET or not self.joined(p, target, self.seas):
                return
            self.coast[p] = 0
        elif kind == CONVOY:
            if not self.is_army(third) or not self.on_route(self.sea_number[p], third, target):
                return
        elif kind == SUPPORT_HOLD:
            if not self.reaches(site, target) or not self.row[UNITS + target]:
                return
        elif kind == SUPPORT_MOVE_TO:
            if not self.reaches(site, target) or not self.could_come(third, target, p):
                return
        elif kind != HOLD:
            return
        self.kind[p] = kind
        self.moves[p] = kind == MOVE_TO or kind == CONVOY_TO
        self.target[p] = target
        self.third[p] = third
        self.given[p] = 1

    def is_army(self, p: cython.int) -> cython.bint:
        """Return True if an army stands there."""
        return self.row[UNITS + p] != 0 and not self.row[UNITS + p] & FLEET

    @cython.final
    def reaches(self, site: cython.int, p: cython.int) -> cython.bint:
        """Return True if a unit at that site could enter the province by its own means."""
        if p < 64:
            return (self.reach_lo[site] >> p) & 1 != 0
        return (self.reach_hi[site] >> (p - 64)) & 1 != 0

    def could_come(self, p: cython.int, to: cython.int, supporter: cython.int) -> cython.bint:
        """Return True if the unit in p could go there, if by convoy then without the supporter (DATC 6.D.31)."""
        one: cython.ulonglong = 1
        seas: cython.ulonglong = self.seas
        unit: cython.int = self.row[UNITS + p]
        if not unit or self.reaches(self.sites[p], to):
            return unit != 0
        if self.sea_number[supporter] >= 0:
            seas &= ~(one << self.sea_number[supporter])
        return self.is_army(p) and self.is_shore[to] != 0 and self.joined(p, to, seas)

    def on_route(self, sea: cython.int, army: cython.int, end: cython.int) -> cython.bint:
        """Return True if the fleet in that sea lies on a simple route of fleets for the army."""
        one: cython.ulonglong = 1
        group: cython.ulonglong = self.routes.spread(one << sea, self.seas & ~self.sea_bit[end])
        from_here: cython.ulonglong = self.touching[army] & group
        last: cython.ulonglong
        if (from_here & self.touching[end] & (one << sea)) != 0:
            return True
        self.routes.fill(group)
        while from_here:
            last = self.touching[end] & group
            while last:
                if (self.routes.unions[lowest(from_here) * self.routes.count + lowest(last)] >> sea) & 1:
                    return True
                last &= last - 1
            from_here &= from_here - 1
        return False

    @cython.final
    def joined(self, start: cython.int, end: cython.int, seas: cython.ulonglong) -> cython.bint:
        """Return True if a chain of those seas joins two shores; a port is not on the way to itself."""
        seas &= ~self.sea_bit[end]
        return self.routes.spread(self.touching[start] & seas, seas) & self.touching[end] != 0
