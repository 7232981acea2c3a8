"""The second half of a layer over float32 arrays [nodes, rows, width]: all that follows the product, in one pass."""
# Also compiled for: x86-64-v3 x86-64-v4

import cython


def mix(
    messages: cython.const[cython.float][:, :, ::1],
    first: cython.const[cython.int][::1],
    neighbours: cython.const[cython.int][::1],
    shares: cython.const[cython.float][::1],
    multiplier: cython.const[cython.float][::1],
    shift: cython.const[cython.float][::1],
    out: cython.float[:, :, ::1],
    add: cython.bint,
):
    """What each node gets from its neighbours, then what it sends itself; normalised, cut off below zero.

    Written to out [nodes, rows, 2 width], or added to what is there.
    """
    n: cython.Py_ssize_t
    r: cython.Py_ssize_t
    j: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    columns: cython.Py_ssize_t
    width: cython.Py_ssize_t = messages.shape[2]
    share: cython.float
    value: cython.float
    total = cython.declare(cython.float[64])
    with cython.nogil:
        # Eight rows of all nodes fit into a near cache, where each is read by all its neighbours.
        for row in range(0, messages.shape[1], 8):
            for n in range(messages.shape[0]):
                for r in range(row, min(row + 8, messages.shape[1])):
                    for column in range(0, width, 64):
                        columns = min(64, width - column)
                        for j in range(64):
                            total[j] = 0
                        for i in range(first[n], first[n + 1]):
                            share = shares[i]
                            if columns == 64:
                                for j in range(64):
                                    total[j] += share * messages[neighbours[i], r, column + j]
                            else:
                                for j in range(columns):
                                    total[j] += share * messages[neighbours[i], r, column + j]
                        for j in range(columns):
                            value = total[j] * multiplier[column + j] + shift[column + j]
                            value = value if value > 0 else 0
                            if add:
                                out[n, r, column + j] += value
                            else:
                                out[n, r, column + j] = value
                        for j in range(columns):
                            value = (
                                messages[n, r, column + j] * multiplier[width + column + j] + shift[width + column + j]
                            )
                            value = value if value > 0 else 0
                            if add:
                                out[n, r, width + column + j] += value
                            else:
                                out[n, r, width + column + j] = value
