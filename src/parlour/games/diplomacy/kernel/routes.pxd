from parlour.games.diplomacy.kernel.bits cimport lowest
from parlour.games.diplomacy.kernel.memory cimport Ints, Memory, Words, ints, words


cdef class Routes(Memory):
    cdef readonly int count
    cdef Words neighbours
    cdef Words unions
    cdef Words blocks
    cdef Words todo
    cdef Ints tops
    cdef Ints number
    cdef Ints low
    cdef Ints path
    cdef Ints open
    cdef unsigned long long spread(self, unsigned long long start, unsigned long long within) noexcept nogil
    cdef void fill(self, unsigned long long present) noexcept nogil
    cdef void fill_from(self, int root, unsigned long long present) noexcept nogil
    cdef void join(self, int root, int found) noexcept nogil
