from parlour.games.diplomacy.kernel.layout cimport (
    BUILDS, COAST_SHIFT, DISLODGED, FLEET, OWNERS, POWER_MASK, SEASON, UNITS, WINTER
)


cdef class Observer:
    cdef int provinces, areas, columns, flags
    cdef const unsigned char[:, ::1] template
    cdef const int[::1] area_of, last_area
    cdef const unsigned char[::1] home_of

    cdef void write_builds(self, const unsigned char[:, ::1] states, Py_ssize_t b, int[:, ::1] builds) noexcept nogil
    cdef bint is_free(self, const unsigned char[:, ::1] states, Py_ssize_t b, int p, int owner) noexcept nogil
    cdef void write_ground(
        self, const unsigned char[:, ::1] states, Py_ssize_t b, unsigned char[:, :, ::1] boards
    ) noexcept nogil
    cdef void write_units(
        self, const unsigned char[:, ::1] states, Py_ssize_t b, unsigned char[:, :, ::1] boards
    ) noexcept nogil
    cdef void put(
        self, unsigned char[:, :, ::1] boards, Py_ssize_t b, int p, int coast, int unit, int first
    ) noexcept nogil
    cdef void write_options(
        self, const unsigned char[:, ::1] states, Py_ssize_t b, unsigned char[:, :, ::1] boards, int[:, ::1] builds
    ) noexcept nogil
