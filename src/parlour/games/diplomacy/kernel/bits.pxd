from libc.string cimport memcpy


cdef extern from * nogil:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define parlour_lowest(word) __builtin_ctzll(word)
    #else
    static int parlour_lowest(unsigned long long word) {
        int number = 0;
        while (!(word & 1)) { word >>= 1; number++; }
        return number;
    }
    #endif
    """
    int lowest "parlour_lowest"(unsigned long long word)


cdef inline void take_row(unsigned char[::1] row, const unsigned char[:, ::1] rows, Py_ssize_t number) noexcept nogil:
    memcpy(&row[0], &rows[number, 0], row.shape[0])


cdef inline void put_row(unsigned char[:, ::1] rows, Py_ssize_t number, const unsigned char[::1] row) noexcept nogil:
    memcpy(&rows[number, 0], &row[0], row.shape[0])
