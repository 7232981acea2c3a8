from parlour.games.diplomacy.kernel.bits cimport lowest


cdef class Routes:
    cdef readonly int count
    cdef unsigned long long[::1] neighbours
    cdef unsigned long long[::1] unions
    cdef unsigned long long[::1] blocks
    cdef unsigned long long[::1] todo
    cdef int[::1] tops
    cdef int[::1] number
    cdef int[::1] low
    cdef int[::1] path
    cdef int[::1] open
    cdef unsigned long long spread(self, unsigned long long start, unsigned long long within) noexcept nogil
    cdef void fill(self, unsigned long long present) noexcept nogil
    cdef void fill_from(self, int root, unsigned long long present) noexcept nogil
    cdef void join(self, int root, int found) noexcept nogil
