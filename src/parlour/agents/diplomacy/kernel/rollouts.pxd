from parlour.agents.diplomacy.kernel.dials cimport ROOM
from parlour.agents.diplomacy.kernel.draws cimport Draws
from parlour.games.diplomacy.kernel.bits cimport take_row
from parlour.games.diplomacy.kernel.layout cimport (
    AUTUMN_MOVES,
    BUILD_ARMY,
    BUILD_FLEET,
    CONVOY_TO,
    DISLODGED,
    HOLD,
    MOVE_TO,
    OWNERS,
    POWER_MASK,
    REMOVE,
    RETREAT_TO,
    SEASON,
    SPRING_MOVES,
    STATE,
    STATUS,
    UNITS,
    WINNER,
    WINTER,
)
from parlour.games.diplomacy.kernel.memory cimport Ints, Octets, ints, octets


cdef class Rollouts(Draws):
    cdef Octets root
    cdef Ints root_worth, idle, held, ordered
    cdef unsigned long long stream
    cdef int phase, fresh, hero
    cdef readonly long long rolled

    cpdef object set_root(self, const unsigned char[:, ::1] states)
    cpdef object set_idle(self, const int[::1] chances)
    cdef void load_root(self) noexcept nogil
    cdef void look_at_root(self) noexcept nogil
    cpdef object draw_from_root(self, const unsigned long long[::1] seeds, int powers, int[:, ::1] orders)
    cdef void begin_stream(self, int phase, int w) noexcept nogil
    cpdef object roll_out(
        self,
        const int[:, ::1] own,
        const int[:, ::1] others,
        const unsigned long long[::1] seeds,
        int power,
        int depth,
        double[:, :, ::1] values,
        unsigned char[:, :, ::1] leaves=*,
    )
    cdef void begin(self, const int[:, ::1] others, Py_ssize_t b, int power) noexcept nogil
    cdef void carry_out(self) noexcept nogil
    cdef void play_on(self, int depth) noexcept nogil
    cdef void move_all(self) noexcept nogil
    cdef void have_worth(self) noexcept nogil
    cdef void retreat_all(self) noexcept nogil
    cdef void adjust_all(self) noexcept nogil
    cdef void choose_ordered(self) noexcept nogil
    cdef void weigh(self, double[:, :, ::1] values, Py_ssize_t c, Py_ssize_t b) noexcept nogil
    cpdef object read_orders(self, const long long[::1] actions, int[::1] orders)
    cpdef int write_orders(self, const int[::1] orders, int power, long long[::1] actions)
