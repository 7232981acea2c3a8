from parlour.games.fish.kernel.lookahead cimport LookAhead
from parlour.games.fish.kernel.terrain cimport Terrain

cdef class TreeSearch(Terrain):
    cdef int pool
    cdef readonly int used
    cdef int[::1] first_child
    cdef int[::1] children
    cdef int[::1] visits
    cdef short[::1] move_slot
    cdef short[::1] move_end
    cdef signed char[::1] mover
    cdef double[::1] reward
    cdef unsigned long long[::1] kept_blocked
    cdef short[::1] kept_place
    cdef int[::1] kept_score
    cdef int[::1] path
    cdef double[::1] result
    cdef int[::1] grabs
    cdef int[::1] reckons
    cdef int[::1] manner
    cdef bint single
    cdef int unit
    cdef int[::1] answer
    cdef LookAhead mind
    cdef int most_fish

    cdef void keep(self) noexcept nogil
    cdef void restore(self) noexcept nogil
    cdef int next_mover(self, int seat) noexcept nogil
    cdef void take(self, int seat, int node) noexcept nogil
    cdef bint can_place(self, int tile) noexcept nogil
    cdef int follow(self, int node) noexcept nogil
    cdef int reckoned(self, int seat, int node) noexcept nogil
    cdef long long promise(self, int seat, int slot, int end) noexcept nogil
    cdef int next_catch(self, int seat, int slot, int end) noexcept nogil
    cdef void share_out(self) noexcept nogil
    cdef bint expand(self, int node) noexcept nogil
    cdef int add(self, int slot, int end) noexcept nogil
    cdef int select(self, int node) noexcept nogil
    cdef void weigh(self) noexcept nogil
    cdef void simulate(self) noexcept nogil
