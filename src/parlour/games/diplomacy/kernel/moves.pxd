from parlour.games.diplomacy.kernel.bits cimport lowest
from parlour.games.diplomacy.kernel.layout cimport (
    CONVOY,
    CONVOY_TO,
    FLEET,
    HOLD,
    MOVE_TO,
    POWER_MASK,
    SUPPORT_HOLD,
    SUPPORT_MOVE_TO,
    UNITS,
)
from parlour.games.diplomacy.kernel.legal cimport Legal
from parlour.games.diplomacy.kernel.memory cimport Ints, ints


cdef class MoveOrders(Legal):
    cdef Ints kind, moves, target, third, coast, power, given

    cdef void read_moves(self, const long long[:, :, ::1] actions, Py_ssize_t number) noexcept nogil
    cdef void read_move(self, int p, int unit, long long action) noexcept nogil
    cdef bint is_army(self, int p) noexcept nogil
    cdef bint reaches(self, int site, int p) noexcept nogil
    cdef bint could_come(self, int p, int to, int supporter) noexcept nogil
    cdef bint on_route(self, int sea, int army, int end) noexcept nogil
    cdef bint joined(self, int start, int end, unsigned long long seas) noexcept nogil
