cimport cython


@cython.final  # calls are direct, so the compiler may put them in place
cdef class Unroller:
    cdef const int[::1] order

    cdef void shift(self, int[::1] acts, Py_ssize_t at, bint clear) noexcept nogil
    cdef bint enter(
        self, long long action, unsigned char[::1] last, Py_ssize_t at, int[::1] acts, Py_ssize_t cell
    ) noexcept nogil
    cdef bint stands(self, unsigned char[::1] boards, Py_ssize_t row) noexcept nogil
    cdef Py_ssize_t order_units(
        self, const unsigned char[::1] boards, Py_ssize_t at, bint retreats, Py_ssize_t p,
        const long long[::1] legal, Py_ssize_t start, Py_ssize_t end, int[::1] places, unsigned char[::1] areas,
        int[::1] indices, int[::1] spans, int[::1] lengths, Py_ssize_t row, Py_ssize_t used, int[::1] wrong
    ) noexcept nogil
    cdef Py_ssize_t adjust(
        self, const unsigned char[::1] boards, Py_ssize_t at, int number, Py_ssize_t p,
        const long long[::1] legal, Py_ssize_t start, Py_ssize_t end, int[::1] places, unsigned char[::1] areas,
        int[::1] indices, int[::1] spans, int[::1] lengths, Py_ssize_t row, Py_ssize_t used, int[::1] wrong
    ) noexcept nogil
    cdef Py_ssize_t report(self, int[::1] wrong, int what, Py_ssize_t row, int area, Py_ssize_t used) noexcept nogil
