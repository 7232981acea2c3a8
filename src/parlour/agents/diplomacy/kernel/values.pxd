from parlour.agents.diplomacy.kernel.dials cimport (
    DANGER,
    DETER,
    FALL_ATTACK,
    FALL_DEFENCE,
    FALL_WEIGHTS,
    HELP,
    NEUTRAL,
    SPRING_ATTACK,
    SPRING_DEFENCE,
    SPRING_WEIGHTS,
    STANDING,
)
from parlour.agents.diplomacy.kernel.lanes cimport spread
from parlour.games.diplomacy.kernel.desk cimport Desk
from parlour.games.diplomacy.kernel.layout cimport AUTUMN_MOVES, AUTUMN_RETREATS, OWNERS, POWER_MASK, SEASON, WINTER
from parlour.games.diplomacy.kernel.memory cimport Ints, Octets, ints, octets


cdef class Values(Desk):
    cdef readonly int node_count, group_count, blocks, block_room
    cdef Ints node_of, province_of, move_node, near_first, near, group_first, group, dial
    cdef Ints near_by, spare_by, worth, size, lure, threat, may_come, most, whose, second
    cdef Octets beside

    cdef int competition(self, int p, int w) noexcept nogil
    cdef void appraise(self, int when) noexcept nogil
    cpdef object measure(self, const unsigned char[:, ::1] states, int[:, :, ::1] worths)
    cdef int season_of(self) noexcept nogil
    cdef void count_sizes(self) noexcept nogil
    cdef void count_units(self) noexcept nogil
    cdef void lay_lures(self, int when, int block) noexcept nogil
    cdef void spread_lures(self, int when, int block) noexcept nogil
    cdef void lift_groups(self, Ints by) noexcept nogil
    cdef void add_units(self, int when, int block) noexcept nogil
