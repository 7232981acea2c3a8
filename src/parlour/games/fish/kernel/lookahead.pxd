from parlour.games.fish.kernel.play cimport Play

cdef class LookAhead(Play):
    cdef short[::1] list
    cdef int room
    cdef int most
    cdef int me
    cdef readonly long long nodes
    cdef long long limit
    cdef bint stopped

    cdef int reply(self, int after, int turns, int low, int high, int ply) noexcept nogil
    cdef void look_up(self) noexcept nogil
    cdef int own(self, int turns, int low, int high, int ply) noexcept nogil
    cdef int sort_moves(self, int seat, int at) noexcept nogil
    cdef int choice(self, int turns) noexcept nogil
    cdef void place_zigzag(self) noexcept nogil
    cdef int play_game(self, int turns, short[:, ::1] record) noexcept nogil
