from parlour.games.diplomacy.kernel.bits cimport lowest
from parlour.games.diplomacy.kernel.layout cimport (
    BOUNCED,
    CONVOY,
    CONVOY_TO,
    CUT,
    DISRUPTED,
    FLEET,
    HOLD,
    MARK_DEFAULT,
    MARK_PARADOX,
    MOVE_TO,
    NO_CONVOY,
    POWER_MASK,
    SUCCEEDED,
    SUPPORT_HOLD,
    SUPPORT_MOVE_TO,
    UNITS,
    VOID,
)
from parlour.games.diplomacy.kernel.legal cimport Legal
from parlour.games.diplomacy.kernel.memory cimport Ints, Octets, Words, ints, octets, words


cdef class Judge(Legal):
    cdef Ints kind, moves, target, third, coast, power, given, carried
    cdef Ints comer, next_comer, supporter, next_supporter, progress, answer, paradox, guesses
    cdef Ints movers, supports, convoys, unsettled
    cdef Words carriers
    cdef Octets verdict
    cdef Ints active, finished, pinned, member
    cdef int guess_count, pin_count, clock

    cdef void read_moves(self, const long long[:, :, ::1] actions, Py_ssize_t number) noexcept nogil
    cdef void read_move(self, int p, int unit, long long action) noexcept nogil
    cdef bint is_army(self, int p) noexcept nogil
    cdef bint reaches(self, int site, int p) noexcept nogil
    cdef bint could_come(self, int p, int to, int supporter) noexcept nogil
    cdef bint on_route(self, int sea, int army, int end) noexcept nogil
    cdef bint joined(self, int start, int end, unsigned long long seas) noexcept nogil
    cdef void link(self) noexcept nogil
    cdef void link_support(self, int p) noexcept nogil
    cdef void link_move(self, int p) noexcept nogil
    cdef void judge(self) noexcept nogil
    cdef int decide_unopposed(self) noexcept nogil
    cdef int decide(self, int p) noexcept nogil
    cdef int guess(self, int p, int answer) noexcept nogil
    cdef int uses(self, int p, int before, int began) noexcept nogil
    cdef void finish(self, int p) noexcept nogil
    cdef void pin(self, int p) noexcept nogil
    cdef int untie(self, int p, int before, int pins, int first) noexcept nogil
    cdef void try_all(self, int before, int pins) noexcept nogil
    cdef int agrees(self, int pins, int count, int combination) noexcept nogil
    cdef void depend_on(self, int p) noexcept nogil
    cdef void reopen(self, int before) noexcept nogil
    cdef void settle(self, int before) noexcept nogil
    cdef int evaluate(self, int p) noexcept nogil
    cdef int stays(self, int p) noexcept nogil
    cdef int not_cut(self, int p) noexcept nogil
    cdef int arrives(self, int p) noexcept nogil
    cdef int strength(self, int p, int against) noexcept nogil
    cdef bint head_to_head(self, int p) noexcept nogil
    cdef int gets_there(self, int p) noexcept nogil
    cdef int hindrance(self, int p) noexcept nogil
