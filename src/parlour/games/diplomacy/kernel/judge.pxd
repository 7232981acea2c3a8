from parlour.games.diplomacy.kernel.bits cimport lowest
from parlour.games.diplomacy.kernel.layout cimport (
    BOUNCED,
    CONVOY,
    CONVOY_TO,
    CUT,
    DISRUPTED,
    HOLD,
    MARK_DEFAULT,
    MARK_PARADOX,
    NO_CONVOY,
    SUCCEEDED,
    SUPPORT_HOLD,
    SUPPORT_MOVE_TO,
    VOID,
)
from parlour.games.diplomacy.kernel.memory cimport Ints, Octets, Words, ints, octets, words
from parlour.games.diplomacy.kernel.moves cimport MoveOrders


cdef class Judge(MoveOrders):
    cdef Ints carried, comer, next_comer, supporter, next_supporter, progress, answer, paradox, guesses
    cdef Ints movers, supports, convoys, unsettled
    cdef Words carriers
    cdef Octets verdict
    cdef Ints active, finished, pinned, member
    cdef int guess_count, pin_count, clock

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
