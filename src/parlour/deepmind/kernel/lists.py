"""Converts the protocol's Python lists of ints to the kernel's arrays and back, without creating a number twice."""

import cython


def unpack(
    actions: cython.const[cython.longlong][::1], bounds: cython.const[cython.longlong][::1], known: list
) -> list:
    """Return the actions between successive bounds as lists of the numbers in known, the table as Python ints."""
    lists: list = []
    own: list
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for k in range(bounds.shape[0] - 1):
        own = []
        for i in range(bounds[k], bounds[k + 1]):
            own.append(known[actions[i] >> 48])
        lists.append(own)
    return lists


def pack(lists: list, rows: cython.longlong[:, ::1]) -> list | None:
    """Write lists of ints into rows, which are zero; all of them in one list, or None if they are anything else."""
    flat: list = []
    own: list
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    if len(lists) != rows.shape[0]:
        return None
    for k in range(rows.shape[0]):
        if type(lists[k]) is not list:
            return None
        own = lists[k]
        if len(own) > rows.shape[1]:
            return None
        for i in range(len(own)):
            # Anything but a small int (also a bool or a subclass) is left to the slower check, which gives the reason.
            if type(own[i]) is not int or not 0 < own[i] <= 0x7FFFFFFFFFFFFFFF:
                return None
            rows[k, i] = own[i]
        flat += own
    return flat
