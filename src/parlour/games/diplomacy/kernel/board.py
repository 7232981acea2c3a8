"""The base of every desk: the tables of a map, one state being worked on, and sets of provinces."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.games.diplomacy.kernel.bits import take_row
    from parlour.games.diplomacy.kernel.layout import COAST_SHIFT, DISLODGED, FLEET, OWNERS, POWER_MASK, STATE, UNITS


class Board:
    """Holds the arrays of tables.py as typed views, and the row of the state at hand."""

    def __init__(self, tables):
        self.provinces, self.powers, self.victory, self.waive = tables["sizes"].tolist()
        self.length = len(tables["actions"])
        self.shores = int(tables["is_shore"].sum())
        self.area_room = len(tables["distance"]) // 32
        self.actions = memoryview(tables["actions"])
        self.area_of = memoryview(tables["area_of"])
        self.home_of = memoryview(tables["home_of"])
        self.centre_list = memoryview(tables["centre_list"])
        self.home_list = memoryview(tables["home_list"])
        self.is_shore = memoryview(tables["is_shore"])
        self.is_split = memoryview(tables["is_split"])
        self.rank = memoryview(tables["rank"])
        self.distance = memoryview(tables["distance"])
        self.hold = memoryview(tables["hold"])
        self.disband = memoryview(tables["disband"])
        self.remove = memoryview(tables["remove"])
        self.build_army = memoryview(tables["build_army"])
        self.build_fleet = memoryview(tables["build_fleet"])
        self.come_first = memoryview(tables["come_first"])
        self.move_first = memoryview(tables["move_first"])
        self.move_to = memoryview(tables["move_to"])
        self.move_coast = memoryview(tables["move_coast"])
        self.move = memoryview(tables["move"])
        self.retreat = memoryview(tables["retreat"])
        self.is_new = memoryview(tables["is_new"])
        self.support_hold = memoryview(tables["support_hold"])
        self.support_row = memoryview(tables["support_row"])
        self.support_move = memoryview(tables["support_move"])
        self.reach_lo = memoryview(tables["reach_lo"])
        self.reach_hi = memoryview(tables["reach_hi"])
        self.sea_number = memoryview(tables["sea_number"])
        self.sea_bit = memoryview(tables["sea_bit"])
        self.shore_bit_lo = memoryview(tables["shore_bit_lo"])
        self.shore_bit_hi = memoryview(tables["shore_bit_hi"])
        self.touching = memoryview(tables["touching"])
        self.touched_lo = memoryview(tables["touched_lo"])
        self.touched_hi = memoryview(tables["touched_hi"])
        self.sea_province = memoryview(tables["sea_province"])
        self.shore_number = memoryview(tables["shore_number"])
        self.convoy_to = memoryview(tables["convoy_to"])
        self.convoy = memoryview(tables["convoy"])
        self.sound_unit = memoryview(tables["sound_unit"])
        self.sound_owner = memoryview(tables["sound_owner"])
        self.sound_dislodged = memoryview(tables["sound_dislodged"])
        self.row = memoryview(np.zeros(STATE, np.uint8))
        self.builds = memoryview(np.zeros(16, np.int32))
        self.centres = memoryview(np.zeros(16, np.int32))
        self.free = memoryview(np.zeros(16, np.int32))

    def take(self, states, number):
        """Take one state of a batch to work on; units and owners that cannot be are dropped, so that none misleads."""
        p: cython.int
        wrong: cython.int = 0
        take_row(self.row, states, number)
        # Looking is much quicker than writing, and there is hardly ever anything to write.
        for p in range(self.provinces):
            wrong |= self.sound_unit[self.row[UNITS + p]] ^ self.row[UNITS + p]
            wrong |= self.sound_owner[self.row[OWNERS + p]] ^ self.row[OWNERS + p]
            wrong |= self.sound_dislodged[self.row[DISLODGED + p]] ^ self.row[DISLODGED + p]
        for p in range(self.provinces if wrong else 0):
            self.row[UNITS + p] = self.sound_unit[self.row[UNITS + p]]
            self.row[OWNERS + p] = self.sound_owner[self.row[OWNERS + p]]
            self.row[DISLODGED + p] = self.sound_dislodged[self.row[DISLODGED + p]]

    def site(self, province, unit):
        """Where the moves of that unit are listed."""
        if unit & FLEET:
            return self.provinces + self.area_of[province] + ((unit >> COAST_SHIFT) & 3)
        return province

    def count_builds(self):
        """How many units each power may build, or negative, must remove; whether there is any such power."""
        i: cython.int
        p: cython.int
        w: cython.int
        any_due: cython.int = 0
        for w in range(16):
            self.builds[w] = self.centres[w] = self.free[w] = 0
        for p in range(self.provinces):
            self.builds[self.row[UNITS + p] & POWER_MASK] -= 1
        for i in range(self.centre_list.shape[0]):
            self.centres[self.row[OWNERS + self.centre_list[i]] & POWER_MASK] += 1
        for i in range(self.home_list.shape[0]):
            p = self.home_list[i]
            if self.row[OWNERS + p] == self.home_of[p] and not self.row[UNITS + p]:
                self.free[self.home_of[p]] += 1
        # Counted by power + 1, with nobody at 0; from here on by power.
        for w in range(self.powers):
            self.centres[w] = self.centres[w + 1]
            self.builds[w] = min(self.builds[w + 1] + self.centres[w], self.free[w + 1])
            if self.builds[w]:
                any_due = 1
        return any_due
