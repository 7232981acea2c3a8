from parlour.core.kernel.splitmix cimport splitmix

cdef extern from *:
    int ctz "__builtin_ctzll" (unsigned long long) noexcept nogil
    int clz "__builtin_clzll" (unsigned long long) noexcept nogil

cdef class Play:
    cdef readonly int tiles
    cdef readonly int words
    cdef readonly int seats
    cdef readonly int slots
    cdef int longest
    cdef unsigned long long[::1] rays
    cdef short[::1] along
    cdef short[::1] length
    cdef short[::1] row
    cdef short[::1] beside
    cdef unsigned char[::1] fish
    cdef unsigned long long[::1] blocked
    cdef short[::1] place
    cdef int[::1] score
    cdef short[::1] reach
    cdef unsigned long long random_state

    cdef bint is_blocked(self, int tile) noexcept nogil
    cdef void block(self, int tile) noexcept nogil
    cdef void unblock(self, int tile) noexcept nogil
    cdef int ray_reach(self, int tile, int direction) noexcept nogil
    cdef int options(self, int seat) noexcept nogil
    cdef int freedom(self, int tile) noexcept nogil
    cdef bint can_move(self, int seat) noexcept nogil
    cdef int write_moves(self, int seat, unsigned int members, short[::1] out, int at) noexcept nogil
    cdef void make(self, int seat, int slot, int end) noexcept nogil
    cdef void unmake(self, int seat, int slot, int start) noexcept nogil
    cdef unsigned int below(self, unsigned int bound) noexcept nogil
    cdef void seed_random(self, unsigned long long seed) noexcept nogil
    cdef int free_tile(self) noexcept nogil
    cdef void place_missing(self, int turn) noexcept nogil
    cdef int missing_slot(self, int seat) noexcept nogil
    cdef int wanted_tile(self, int seat, int slot) noexcept nogil
    cdef int play_out(self, int turn, int looks) noexcept nogil
    cdef void go_on(self, int seat, int total, int looks) noexcept nogil
