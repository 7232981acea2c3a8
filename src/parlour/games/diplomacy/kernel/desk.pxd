from parlour.core.kernel.splitmix cimport splitmix
from parlour.games.diplomacy.kernel.bits cimport lowest, put_longs, put_octets, put_row
from parlour.games.diplomacy.kernel.layout cimport (
    ATTACKER_CAME_FROM,
    AUTUMN_MOVES,
    BUILD_ARMY,
    CONTESTED,
    CONVOY,
    CONVOY_TO,
    DISBAND,
    DISLODGED,
    FINE,
    FLEET,
    IS_CONTESTED,
    MOVE_TO,
    NO_ROUTE,
    NO_TARGET,
    NO_UNIT,
    NOT_A_HOME,
    NOT_IN_TABLE,
    NOT_YOURS,
    OCCUPIED,
    OUT_OF_REACH,
    OWNERS,
    POWER_MASK,
    REMOVE,
    RETREAT_TO,
    SEASON,
    SECOND_ORDER,
    SPRING_MOVES,
    STATUS,
    SUPPORT_HOLD,
    SUPPORT_MOVE_TO,
    TOO_MANY,
    UNITS,
    UNREACHABLE_BY_THIRD,
    WAIVE,
    WINTER,
    WRONG_PHASE,
    WRONG_TYPE,
)
from parlour.games.diplomacy.kernel.memory cimport Ints, Longs, Words, ints, longs, words
from parlour.games.diplomacy.kernel.phases cimport Phases


cdef class Desk(Phases):
    cdef Ints picks, filled, found
    cdef Words marks, marked
    cdef Longs place
    cdef unsigned long long seed, drawn

    cpdef Py_ssize_t list_legal(
        self, const unsigned char[:, ::1] states, long long[::1] actions, long long[:, ::1] offsets, bint by_power
    )
    cdef long long deal_to_provinces(
        self, long long[::1] actions, long long[:, ::1] offsets, Py_ssize_t b, long long total
    ) noexcept nogil
    cdef long long deal_to_powers(
        self, long long[::1] actions, long long[:, ::1] offsets, Py_ssize_t b, long long total
    ) noexcept nogil
    cdef void mark_all(self) noexcept nogil
    cdef int read_marks(self) noexcept nogil
    cdef int below(self, int count) noexcept nogil
    cpdef object sample(
        self, const unsigned char[:, ::1] states, const unsigned long long[::1] seeds, long long[:, :, ::1] actions
    )
    cdef void draw(self, long long[:, :, ::1] actions, Py_ssize_t b) noexcept nogil
    cdef void pick_due(self) noexcept nogil
    cpdef object step(
        self,
        const unsigned char[:, ::1] states,
        const long long[:, :, ::1] actions,
        unsigned char[:, ::1] after,
        unsigned char[:, ::1] verdicts,
    )
    cpdef object due_builds(self, const unsigned char[:, ::1] states, signed char[:, ::1] numbers)
    cpdef object check(
        self,
        const unsigned char[:, ::1] states,
        const long long[:, :, ::1] actions,
        unsigned char[:, :, ::1] reasons,
    )
    cdef void check_one(
        self, const long long[:, :, ::1] actions, unsigned char[:, :, ::1] reasons, Py_ssize_t b
    ) noexcept nogil
    cdef int reason(self, int w, long long action, int index) noexcept nogil
    cdef bint in_season(self, int kind) noexcept nogil
    cdef int reason_to_move(self, long long action) noexcept nogil
    cdef int reason_to_retreat(self, long long action) noexcept nogil
    cdef int reason_to_adjust(self, int w, long long action) noexcept nogil
