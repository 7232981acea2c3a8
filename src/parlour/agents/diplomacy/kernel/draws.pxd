from parlour.agents.diplomacy.kernel.dials cimport GAP, ONE_DRAW, REMOVAL, STAY, STRAY
from parlour.agents.diplomacy.kernel.values cimport Values
from parlour.core.kernel.splitmix cimport splitmix
from parlour.games.diplomacy.kernel.layout cimport (
    AUTUMN_MOVES,
    CONVOY,
    CONVOY_TO,
    DISLODGED,
    HOLD,
    MOVE_TO,
    OWNERS,
    POWER_MASK,
    RETREAT_TO,
    SEASON,
    SPRING_MOVES,
    STATUS,
    SUPPORT_HOLD,
    SUPPORT_MOVE_TO,
    UNITS,
    WINTER,
)
from parlour.games.diplomacy.kernel.memory cimport Ints, Longs, ints, longs


cdef class Draws(Values):
    cdef Ints plan, own_first, own, way, way_worth, way_count, queue, bound
    cdef Longs chosen
    cdef int chosen_count

    cdef unsigned long long roll(self) noexcept nogil
    cdef bint goes_on(self, int worth, int gap) noexcept nogil
    cdef void sort_by_power(self) noexcept nogil
    cdef void add_way(self, int p, int way, int worth) noexcept nogil
    cdef void rank_ways(self) noexcept nogil
    cdef int pick(self, int p, unsigned long long gone) noexcept nogil
    cdef void shuffle(self, int first, int count) noexcept nogil
    cdef void draw_moves(self, int w) noexcept nogil
    cdef void put_behind(self, int i, int behind) noexcept nogil
    cdef int draw_move(self, int p, int w, bint may_wait) noexcept nogil
    cdef int who_is(self, int p) noexcept nogil
    cdef void use_hold(self, int p, int w) noexcept nogil
    cdef int list_flights(self, int w) noexcept nogil
    cdef int draw_retreats(self, int w) noexcept nogil
    cdef void draw_adjustments(self, int w) noexcept nogil
    cdef void draw_builds(self, int w) noexcept nogil
    cdef long long build_at(self, int p, int what) noexcept nogil
    cdef void draw_removals(self, int w) noexcept nogil
    cdef bint keeps(self, int worth, int gap) noexcept nogil
    cpdef object draw_all(
        self,
        const unsigned char[:, ::1] states,
        const unsigned long long[::1] seeds,
        int powers,
        long long[:, :, ::1] actions,
    )
    cdef void draw_for(self, int w) noexcept nogil
    cdef void write(self, long long[:, :, ::1] actions, Py_ssize_t b, int w) noexcept nogil
    cdef long long retreat_at(self, int p, int order) noexcept nogil
    cdef long long action_at(self, int p, int site, int order) noexcept nogil
