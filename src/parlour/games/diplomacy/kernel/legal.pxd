from parlour.games.diplomacy.kernel.bits cimport lowest
from parlour.games.diplomacy.kernel.board cimport Board
from parlour.games.diplomacy.kernel.layout cimport (
    AUTUMN_MOVES,
    CONTESTED,
    DISLODGED,
    FLEET,
    NO_ACTION,
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
    cdef unsigned long long[::1] marks, carried_lo, carried_hi, via
    cdef int[::1] found, who, units, sites, first, end, come_end, comer_rows
    cdef unsigned char[::1] ordered, comers, taken
    cdef unsigned short[::1] listed
    cdef int unit_count, by_sea
    cdef unsigned long long seas, army_lo, army_hi, shore_lo, shore_hi, spare_lo, spare_hi

    cdef void add(self, int p, int index) noexcept nogil
    cdef void list_all(self) noexcept nogil
    cdef void look(self) noexcept nogil
    cdef void list_moves(self) noexcept nogil
    cdef void list_supports(self) noexcept nogil
    cdef void list_supports_by_sea(self, int to) noexcept nogil
    cdef void carry_without(self, int fleet, int end) noexcept nogil
    cdef void list_convoys(self) noexcept nogil
    cdef void gather(self, unsigned long long group) noexcept nogil
    cdef void list_carried(self, int end) noexcept nogil
    cdef void list_group(self, unsigned long long group) noexcept nogil
    cdef void list_convoys_of(self, int army, unsigned long long group) noexcept nogil
    cdef int free_for(self, int dislodged, int to) noexcept nogil
    cdef void list_retreats(self) noexcept nogil
    cdef void list_builds(self) noexcept nogil
    cdef void mark_all(self) noexcept nogil
    cdef int read_marks(self) noexcept nogil
