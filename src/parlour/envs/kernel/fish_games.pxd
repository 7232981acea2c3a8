from parlour.games.fish.kernel.play cimport Play


cdef class FishGames(Play):
    cdef void take(self, unsigned char[:, ::1] fish, short[:, :, ::1] places, Py_ssize_t b) noexcept nogil
    cdef bint placing(self) noexcept nogil
    cdef Py_ssize_t list_one(self, int seat, int[::1] choices, Py_ssize_t total) noexcept nogil
    cdef int random_move(self, int seat) noexcept nogil
    cdef int reason(self, int seat, int choice) noexcept nogil
    cdef void carry_out(
        self, unsigned char[:, ::1] fish, short[:, :, ::1] places, int[:, ::1] scores, Py_ssize_t b, int seat, int choice
    ) noexcept nogil
    cdef bint hand_on(self, unsigned char[::1] turns, Py_ssize_t b) noexcept nogil
    cdef bint misses_penguin(self, int seat) noexcept nogil
