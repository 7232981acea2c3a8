from parlour.games.diplomacy.kernel.judge cimport Judge
from parlour.games.diplomacy.kernel.layout cimport (
    AUTUMN_MOVES,
    BOUNCED,
    BUILD_ARMY,
    BUILD_FLEET,
    BUILDS,
    COAST_SHIFT,
    CONTESTED,
    DISBAND,
    DISBANDED,
    DISLODGED,
    FLEET,
    INFLUENCE,
    LAST_YEAR,
    MARK_DEFAULT,
    MARK_DESTROYED,
    MARK_DISLODGED,
    MAX_YEAR,
    ORIGINS,
    OWNERS,
    POWER_MASK,
    REMOVE,
    RETREAT_TO,
    SEASON,
    SPRING_MOVES,
    STATUS,
    SUCCEEDED,
    UNITS,
    VERDICT_MASK,
    WAIVE,
    WINNER,
    WINTER,
    YEAR,
)
from parlour.games.diplomacy.kernel.memory cimport Ints, Octets, ints, octets


cdef class Phases(Judge):
    cdef Octets moving
    cdef Ints arrivals, due, held

    cdef void play(self, const long long[:, :, ::1] actions, Py_ssize_t number) noexcept nogil
    cdef void move_units(self) noexcept nogil
    cdef int keep_dislodged(self) noexcept nogil
    cdef int can_retreat(self, int p) noexcept nogil
    cdef void clear_dislodged(self) noexcept nogil
    cdef void retreat_units(self, const long long[:, :, ::1] actions, Py_ssize_t number) noexcept nogil
    cdef void read_retreat(self, int p, long long action) noexcept nogil
    cdef void retreat_unit(self, int p) noexcept nogil
    cdef void adjust(self, const long long[:, :, ::1] actions, Py_ssize_t number) noexcept nogil
    cdef int adjust_one(self, int w, long long action) noexcept nogil
    cdef void remove_farthest(self, int w) noexcept nogil
    cdef int any_unit(self) noexcept nogil
    cdef void end_season(self, int season) noexcept nogil
    cdef void end_autumn(self) noexcept nogil
    cdef int solo(self) noexcept nogil
    cdef void begin_year(self) noexcept nogil
