from parlour.games.diplomacy.kernel.bits cimport site_at, take_row
from parlour.games.diplomacy.kernel.layout cimport DISLODGED, OWNERS, POWER_MASK, STATE, UNITS
from parlour.games.diplomacy.kernel.memory cimport Ints, Longs, Memory, Octets, Shorts, SignedOctets, Words, ints, longs, octets, shorts, signed_octets, words


cdef class KernelBoard(Memory):
    cdef readonly int provinces, powers, victory, waive, length, shores, area_room, centre_count, site_count
    cdef readonly int every_phase, held_win, year_step, rooted
    cdef int barred
    cdef unsigned long long ports
    cdef Longs actions, hold, disband, remove, build_army, build_fleet, move, retreat, support_hold
    cdef Ints area_of, fleet_site, come_first, move_first, support_row, pair_row, builds, centres, free
    cdef Octets centre_list, site_list, is_shore, is_split, rank, distance, move_to, move_coast, is_new
    cdef Octets mover, pair_column, sea_province, shore_number, sound_unit, sound_owner, sound_dislodged, row
    cdef SignedOctets sea_number
    cdef Shorts site_of, home_of, support_pair, support_move, convoy_to, convoy
    cdef Words row_words, reach_lo, reach_hi, sea_bit, shore_bit_lo, shore_bit_hi, touching, touched_lo, touched_hi

    cdef void take(self, const unsigned char[:, ::1] states, Py_ssize_t number) noexcept nogil
    cdef bint is_sound(self) noexcept nogil
    cdef int site(self, int province, int unit) noexcept nogil
    cdef bint may_build(self, int p, int owner) noexcept nogil
    cdef void bar_uprooted(self) noexcept nogil
    cdef int count_builds(self) noexcept nogil
