"""The base of every desk: the tables of a map, one current state, and sets of provinces."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.games.diplomacy.kernel.bits import ints, longs, octets, shorts, signed_octets, site_at, take_row, words
    from parlour.games.diplomacy.kernel.layout import DISLODGED, OWNERS, POWER_MASK, STATE, UNITS
    from parlour.games.diplomacy.kernel.memory import Memory

ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
TOPS = cython.declare(cython.ulonglong, 0x8080808080808080)
LOWS = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def misshapen(word: cython.ulonglong, limit: cython.ulonglong) -> cython.ulonglong:
    """Set the highest bit of each of eight unit bytes (below 128) with an unknown power, no power, or shore 3."""
    powers: cython.ulonglong = word & (15 * ONES)
    nobody: cython.ulonglong = ~(powers + LOWS)
    third_shore: cython.ulonglong = (word & (word << 1)) << 1
    return (powers + limit) | (nobody & ((word & LOWS) + LOWS)) | third_shore


class KernelBoard(Memory):
    """Holds the arrays of tables.py as typed views, and the row of the current state."""

    def __init__(self, tables) -> None:
        Memory.__init__(self)
        self.keep(list(tables.values()))
        sizes, varied = tables["sizes"].tolist(), tables["varied"].tolist()
        self.provinces: cython.int = sizes[0]
        self.powers: cython.int = sizes[1]
        self.victory: cython.int = sizes[2]
        self.waive: cython.int = sizes[3]
        self.year_step: cython.int = sizes[4]
        self.rooted: cython.int = sizes[5]
        self.every_phase: cython.int = varied[0]
        self.held_win: cython.int = varied[1]
        # Powers that may not build although they have sites, as bits: under rooted builds, powers without a home.
        self.barred: cython.int = 0
        self.length: cython.int = len(tables["actions"])
        self.shores: cython.int = int(tables["is_shore"].sum())
        self.area_room: cython.int = len(tables["distance"]) // 32
        self.actions = longs(tables["actions"])
        self.area_of = ints(tables["area_of"])
        self.fleet_site = ints(tables["fleet_site"])
        self.site_of = shorts(tables["site_of"])
        self.home_of = shorts(tables["home_of"])
        self.centre_list = octets(tables["centre_list"])
        self.centre_count: cython.int = len(tables["centre_list"])
        self.site_count: cython.int = len(tables["home_list"])
        self.site_list = octets(tables["home_list"])
        self.is_shore = octets(tables["is_shore"])
        self.is_split = octets(tables["is_split"])
        self.rank = octets(tables["rank"])
        self.distance = octets(tables["distance"])
        self.hold = longs(tables["hold"])
        self.disband = longs(tables["disband"])
        self.remove = longs(tables["remove"])
        self.build_army = longs(tables["build_army"])
        self.build_fleet = longs(tables["build_fleet"])
        self.come_first = ints(tables["come_first"])
        self.move_first = ints(tables["move_first"])
        self.move_to = octets(tables["move_to"])
        self.move_coast = octets(tables["move_coast"])
        self.move = longs(tables["move"])
        self.retreat = longs(tables["retreat"])
        self.is_new = octets(tables["is_new"])
        self.support_hold = longs(tables["support_hold"])
        self.support_row = ints(tables["support_row"])
        self.support_move = shorts(tables["support_move"])
        self.support_pair = shorts(tables["support_pair"])
        self.mover = octets(tables["mover"])
        self.pair_row = ints(tables["pair_row"])
        self.pair_column = octets(tables["pair_column"])
        self.reach_lo = words(tables["reach_lo"])
        self.reach_hi = words(tables["reach_hi"])
        self.sea_number = signed_octets(tables["sea_number"])
        self.sea_bit = words(tables["sea_bit"])
        self.shore_bit_lo = words(tables["shore_bit_lo"])
        self.shore_bit_hi = words(tables["shore_bit_hi"])
        self.touching = words(tables["touching"])
        self.touched_lo = words(tables["touched_lo"])
        self.touched_hi = words(tables["touched_hi"])
        self.sea_province = octets(tables["sea_province"])
        self.ports: cython.ulonglong = int(tables["ports"][0])
        self.shore_number = octets(tables["shore_number"])
        self.convoy_to = shorts(tables["convoy_to"])
        self.convoy = shorts(tables["convoy"])
        self.sound_unit = octets(tables["sound_unit"])
        self.sound_owner = octets(tables["sound_owner"])
        self.sound_dislodged = octets(tables["sound_dislodged"])
        state = self.room(STATE // 8, np.uint64)
        self.row = octets(state.view(np.uint8))
        self.row_words = words(state)
        self.builds = ints(self.room(16, np.int32))
        self.centres = ints(self.room(16, np.int32))
        self.free = ints(self.room(16, np.int32))

    def take(self, states: cython.const[cython.uchar][:, ::1], number: cython.Py_ssize_t) -> cython.void:
        """Take one state of a batch to work on, without impossible units and owners."""
        p: cython.int
        take_row(self.row, states, number)
        # The check is much faster than the correction, which is hardly ever necessary.
        if not self.is_sound():
            for p in range(self.provinces):
                self.row[UNITS + p] = self.sound_unit[self.row[UNITS + p]]
                self.row[OWNERS + p] = self.sound_owner[self.row[OWNERS + p]]
                self.row[DISLODGED + p] = self.sound_dislodged[self.row[DISLODGED + p]]

    def is_sound(self) -> cython.bint:
        """Return True if all units and owners are valid; checks eight bytes at a time, each by its highest bit."""
        i: cython.int
        word: cython.ulonglong
        # Added to a number from 0 to 15, the limit sets its highest bit if it exceeds the number of powers.
        limit: cython.ulonglong = (127 - self.powers) * ONES
        wrong: cython.ulonglong = 0
        for i in range((self.provinces + 7) // 8):
            word = self.row_words[OWNERS // 8 + i]
            wrong |= word | ((word & LOWS) + limit)
            word = self.row_words[UNITS // 8 + i]
            wrong |= word | misshapen(word, limit)
            word = self.row_words[DISLODGED // 8 + i]
            # In a byte with CONTESTED no other bit may be set.
            wrong |= (word & ((word & LOWS) + LOWS)) | misshapen(word & LOWS, limit)
        return wrong & TOPS == 0

    def site(self, province: cython.int, unit: cython.int) -> cython.int:
        """Return the site that lists the moves of that unit."""
        return site_at(province, unit, self.fleet_site, self.is_split)

    @cython.final
    def may_build(self, p: cython.int, owner: cython.int) -> cython.bint:
        """Return True if the power of that number, counted from 1, may build in a free province that it owns.

        Valid only after the builds of the current state were counted.
        """
        return ((self.site_of[p] & ~self.barred) >> owner) & 1 and self.row[UNITS + p] == 0

    def bar_uprooted(self) -> cython.void:
        """Forbid builds of powers that own none of their home centres."""
        p: cython.int
        w: cython.int
        barred: cython.int = 0xFFFF
        for p in range(self.provinces):
            barred &= ~(self.home_of[p] & (1 << self.row[OWNERS + p]))
        self.barred = barred
        for w in range(16):
            if (barred >> w) & 1:
                self.free[w] = 0

    def count_builds(self) -> cython.int:
        """Count the units that each power may build or, if negative, must remove; return True if any may or must."""
        i: cython.int
        p: cython.int
        w: cython.int
        owner: cython.int
        any_due: cython.int = 0
        for w in range(16):
            self.builds[w] = self.centres[w] = self.free[w] = 0
        for p in range(self.provinces):
            self.builds[self.row[UNITS + p] & POWER_MASK] -= 1
        for i in range(self.centre_count):
            self.centres[self.row[OWNERS + self.centre_list[i]] & POWER_MASK] += 1
        for i in range(self.site_count):
            p = self.site_list[i]
            owner = self.row[OWNERS + p] & POWER_MASK
            self.free[owner] += (self.site_of[p] >> owner) & 1 & (self.row[UNITS + p] == 0)
        if self.rooted:
            self.bar_uprooted()
        # So far entries are numbered by power + 1, and entry 0 is for nobody. From here on they are numbered by power.
        for w in range(self.powers):
            self.centres[w] = self.centres[w + 1]
            self.builds[w] = min(self.builds[w + 1] + self.centres[w], self.free[w + 1])
            if self.builds[w]:
                any_due = 1
        return any_due
