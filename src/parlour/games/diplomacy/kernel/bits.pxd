from libc.string cimport memcpy

from parlour.games.diplomacy.kernel.layout cimport COAST_SHIFT, FLEET_SHIFT, STATE


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


cdef inline void take_row(unsigned char *row, const unsigned char[:, ::1] rows, Py_ssize_t number) noexcept nogil:
    memcpy(row, &rows[number, 0], STATE)


cdef inline void put_row(unsigned char[:, ::1] rows, Py_ssize_t number, const unsigned char *row) noexcept nogil:
    memcpy(&rows[number, 0], row, STATE)


cdef inline void put_longs(
    long long[::1] to, Py_ssize_t at, const long long *these, Py_ssize_t first, Py_ssize_t count
) noexcept nogil:
    # A list has about 18 actions: to copy 24 whether needed or not is quicker than to find out how many.
    if at + 24 <= to.shape[0]:
        memcpy(&to[at], &these[first], 8 * sizeof(long long))
        memcpy(&to[at + 8], &these[first + 8], 8 * sizeof(long long))
        memcpy(&to[at + 16], &these[first + 16], 8 * sizeof(long long))
    if count > 24 or at + 24 > to.shape[0]:
        memcpy(&to[at], &these[first], count * sizeof(long long))


cdef inline void put_octets(
    unsigned char[:, ::1] rows, Py_ssize_t number, const unsigned char *these, Py_ssize_t count
) noexcept nogil:
    memcpy(&rows[number, 0], these, count)


cdef inline int site_at(int province, int unit, const int *fleet_site, const unsigned char *is_split) noexcept nogil:
    # Without a branch, for whether it is a fleet cannot be foreseen.
    cdef int coast = is_split[province] * (unit >> COAST_SHIFT & 3)
    return province + (unit >> FLEET_SHIFT & 1) * (fleet_site[province] + coast)
