from parlour.games.diplomacy.kernel.bits cimport lowest
from parlour.games.diplomacy.kernel.board cimport Board
from parlour.games.diplomacy.kernel.layout cimport (
    AUTUMN_MOVES,
    CONTESTED,
    DISLODGED,
    FLEET,
    ORIGINS,
    OWNERS,
    POWER_MASK,
    SEASON,
    SPRING_MOVES,
    STATUS,
    UNITS,
    WINTER,
)
from parlour.games.diplomacy.kernel.routes cimport Routes


cdef class Legal(Board):
    cdef Routes routes
    cdef unsigned long long[::1] marks, come_lo, come_hi, carried_lo, carried_hi, via
    cdef int[::1] found, who, units, counts
    cdef unsigned char[::1] ordered
    cdef int unit_count
    cdef unsigned long long seas, army_lo, army_hi, shore_lo, shore_hi, spare_lo, spare_hi

    cdef void mark(self, int index) noexcept nogil
    cdef void mark_all(self) noexcept nogil
    cdef void look(self) noexcept nogil
    cdef void mark_moves(self) noexcept nogil
    cdef void mark_convoys(self) noexcept nogil
    cdef void gather(self, unsigned long long group) noexcept nogil
    cdef void mark_carried(self) noexcept nogil
    cdef void mark_group(self, unsigned long long group) noexcept nogil
    cdef void mark_convoys_of(self, int army, unsigned long long group) noexcept nogil
    cdef void mark_supports(self) noexcept nogil
    cdef void carry_without(self, int fleet, int end) noexcept nogil
    cdef int free_for(self, int dislodged, int to) noexcept nogil
    cdef void mark_retreats(self) noexcept nogil
    cdef void mark_builds(self) noexcept nogil
    cdef int read_marks(self) noexcept nogil
