from parlour.games.diplomacy.kernel.bits cimport take_row
from parlour.games.diplomacy.kernel.layout cimport COAST_SHIFT, DISLODGED, FLEET, OWNERS, POWER_MASK, STATE, UNITS


cdef class Board:
    cdef readonly int provinces, powers, victory, waive, length, shores, area_room
    cdef long long[::1] actions
    cdef int[::1] area_of, come_first, move_first, support_row, builds, centres, free
    cdef unsigned char[::1] home_of, centre_list, home_list, is_shore, is_split, rank, distance, move_to, move_coast, is_new
    cdef unsigned char[::1] sea_province, shore_number, sound_unit, sound_owner, sound_dislodged, row
    cdef signed char[::1] sea_number
    cdef unsigned short[::1] hold, disband, remove, build_army, build_fleet, move, retreat
    cdef unsigned short[::1] support_hold, support_move, convoy_to, convoy
    cdef unsigned long long[::1] reach_lo, reach_hi, sea_bit, shore_bit_lo, shore_bit_hi, touching, touched_lo, touched_hi

    cdef void take(self, const unsigned char[:, ::1] states, Py_ssize_t number) noexcept nogil
    cdef int site(self, int province, int unit) noexcept nogil
    cdef int count_builds(self) noexcept nogil
