from parlour.games.diplomacy.kernel.memory cimport Memory, Octets, octets


cdef class Spelling(Memory):
    cdef Octets units, others
    cdef list texts
    cdef object make

    cpdef list spell(
        self, const long long[::1] actions, Py_ssize_t first, Py_ssize_t end, const unsigned char[::1] forms
    )
    cpdef dict spell_by_province(
        self, const long long[::1] actions, const long long[::1] offsets, const unsigned char[::1] forms
    )
