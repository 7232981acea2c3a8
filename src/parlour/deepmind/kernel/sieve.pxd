from parlour.games.diplomacy.kernel.layout cimport AUTUMN_MOVES, CONVOY, FLEET, SEASON, SPRING_MOVES, UNITS


cdef class Sieve:
    cdef const int[::1] first
    cdef const unsigned long long[::1] sets
    cdef const unsigned char[::1] seas

    cdef unsigned long long fleets(self, const unsigned char[:, ::1] states, Py_ssize_t b) noexcept nogil
    cdef bint is_needed(self, long long index, unsigned long long present) noexcept nogil
