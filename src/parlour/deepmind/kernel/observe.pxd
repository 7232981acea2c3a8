cimport cython
from libc.string cimport memcpy

from parlour.games.diplomacy.kernel.layout cimport (
    BUILDS, COAST_SHIFT, DISLODGED, FLEET, OWNERS, POWER_MASK, SEASON, SPRING_RETREATS, STATE, UNITS, WINTER
)


@cython.final  # calls are direct, so the compiler may put them in place
cdef class ObservationWriter:
    cdef int provinces, flags
    cdef Py_ssize_t size
    cdef const unsigned char[::1] template
    cdef const int[::1] area_of, last_area, centres
    cdef const unsigned char[::1] home_of

    cdef void write_builds(
        self, const unsigned char[::1] states, Py_ssize_t s, int[::1] builds, Py_ssize_t n
    ) noexcept nogil
    cdef bint is_free(self, const unsigned char[::1] states, Py_ssize_t s, int p, int owner) noexcept nogil
    cdef void write_ground(
        self, const unsigned char[::1] states, Py_ssize_t s, unsigned char[::1] boards, Py_ssize_t o
    ) noexcept nogil
    cdef void write_dislodged(
        self, const unsigned char[::1] states, Py_ssize_t s, unsigned char[::1] boards, Py_ssize_t o
    ) noexcept nogil
    cdef void put(self, unsigned char[::1] boards, Py_ssize_t o, int p, int unit, int first) noexcept nogil
    cdef void write_options(
        self, const unsigned char[::1] states, Py_ssize_t s, unsigned char[::1] boards, Py_ssize_t o, int[::1] builds,
        Py_ssize_t n
    ) noexcept nogil
