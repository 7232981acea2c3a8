"""Copies of rows, and arrays as C sees them: by bare pointers, which saves loads in every loop."""

from parlour.games.diplomacy.kernel.layout import COAST_SHIFT, FLEET_SHIFT, STATE

# As pointers, views give Python's own numbers and are not checked for their length.
octets = signed_octets = shorts = ints = longs = words = memoryview


def take_row(row: memoryview, rows: memoryview, number: int) -> None:
    """Copy one row of a batch."""
    for i in range(STATE):
        row[i] = rows[number, i]


def put_row(rows: memoryview, number: int, row: memoryview) -> None:
    """Copy into one row of a batch."""
    for i in range(STATE):
        rows[number, i] = row[i]


def put_longs(to: memoryview, at: int, these: memoryview, first: int, count: int) -> None:
    """Copy numbers to another place. Up to 24 may be copied, so that the numbers behind them may be overwritten."""
    to[at : at + count] = these[first : first + count]


def put_octets(rows: memoryview, number: int, these: memoryview, count: int) -> None:
    """Copy the first bytes of an array into one row of a batch."""
    for i in range(count):
        rows[number, i] = these[i]


def site_at(province: int, unit: int, fleet_site: memoryview, is_split: memoryview) -> int:
    """Return the site that lists the moves of a unit; a coast counts only where there are two."""
    coast = is_split[province] * (unit >> COAST_SHIFT & 3)
    return province + (unit >> FLEET_SHIFT & 1) * (fleet_site[province] + coast)


# Compiled kernels use this C code instead of the functions above.
IN_C = """
from libc.string cimport memcpy


cdef inline unsigned char *octets(unsigned char[::1] array):
    return &array[0]

cdef inline signed char *signed_octets(signed char[::1] array):
    return &array[0]

cdef inline unsigned short *shorts(unsigned short[::1] array):
    return &array[0]

cdef inline int *ints(int[::1] array):
    return &array[0]

cdef inline long long *longs(long long[::1] array):
    return &array[0]

cdef inline unsigned long long *words(unsigned long long[::1] array):
    return &array[0]


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
"""
