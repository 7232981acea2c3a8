from parlour.games.diplomacy.kernel.bits cimport lowest, site_at
from parlour.games.diplomacy.kernel.board cimport KernelBoard
from parlour.games.diplomacy.kernel.layout cimport (
    AUTUMN_MOVES,
    CONTESTED,
    CONVOY,
    CONVOY_TO,
    DISLODGED,
    FLEET,
    ORIGINS,
    OWNERS,
    POWER_MASK,
    SEASON,
    SPRING_MOVES,
    STATUS,
    SUPPORT_MOVE_TO,
    UNITS,
    WINTER,
)
from parlour.games.diplomacy.kernel.memory cimport Ints, Longs, Octets, Words, ints, longs, octets, words
from parlour.games.diplomacy.kernel.routes cimport Routes


cdef class Legal(KernelBoard):
    cdef Routes routes
    cdef Words carried_lo, carried_hi, via, spare
    cdef Ints who, units, sites, first, end, come_end, comers, armies, due_to_go
    cdef Octets taken
    cdef Longs listed
    cdef int unit_count
    cdef unsigned long long once_lo, once_hi, twice_lo, twice_hi, landing_lo, landing_hi
    cdef unsigned long long seas, army_lo, army_hi, shore_lo, shore_hi

    cdef void add(self, int p, long long action) noexcept nogil
    cdef void list_all(self) noexcept nogil
    cdef void look(self) noexcept nogil
    cdef void list_moves(self) noexcept nogil
    cdef void list_supports(self) noexcept nogil
    cdef void list_pairs(self, int begin, int end, int to) noexcept nogil
    cdef void list_supports_by_sea(self, int to) noexcept nogil
    cdef void carry_without(self, int fleet, int end) noexcept nogil
    cdef void list_convoys(self) noexcept nogil
    cdef void gather(self, unsigned long long group) noexcept nogil
    cdef void leave_out(self, unsigned long long ports) noexcept nogil
    cdef void list_to_port(self, int port, unsigned long long others) noexcept nogil
    cdef void list_carried(self, int end) noexcept nogil
    cdef void list_group(self, unsigned long long group) noexcept nogil
    cdef void list_convoys_of(self, int army, unsigned long long group) noexcept nogil
    cdef int free_for(self, int dislodged, int to) noexcept nogil
    cdef void list_retreats(self) noexcept nogil
    cdef void list_builds(self) noexcept nogil
