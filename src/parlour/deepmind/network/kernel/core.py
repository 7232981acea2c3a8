"""The two halves of a layer over float32 arrays [nodes, rows, width]: the product, and one pass for all other steps."""
# Also compiled for: x86-64-v3 x86-64-v4

import cython


def multiply(
    x: cython.const[cython.float][:, :, ::1],
    weights: cython.const[cython.float][:, :, ::1],
    begin: cython.Py_ssize_t,
    out: cython.float[:, :, ::1],
) -> None:
    """Multiply each node's few rows by the node's own weights; as many as x is wide are used, from begin on.

    With few rows the time goes into reading the weights, so four parts of them are read side by side: a processor
    fetches several streams ahead at once, which is up to twice as quick as one.
    """
    n: cython.Py_ssize_t
    r: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    depth: cython.Py_ssize_t = x.shape[2]
    width: cython.Py_ssize_t = weights.shape[2]
    part: cython.Py_ssize_t = depth // 4
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    d: cython.Py_ssize_t
    xa: cython.float
    xb: cython.float
    xc: cython.float
    xd: cython.float
    with cython.nogil:
        for n in range(x.shape[0]):
            for r in range(x.shape[1]):
                for j in range(width):
                    out[n, r, j] = 0
            for k in range(part):
                a = begin + k
                b = a + part
                c = b + part
                d = c + part
                for r in range(x.shape[1]):
                    xa = x[n, r, k]
                    xb = x[n, r, part + k]
                    xc = x[n, r, 2 * part + k]
                    xd = x[n, r, 3 * part + k]
                    for j in range(width):
                        out[n, r, j] += (
                            xa * weights[n, a, j]
                            + xb * weights[n, b, j]
                            + xc * weights[n, c, j]
                            + xd * weights[n, d, j]
                        )
            for k in range(4 * part, depth):
                a = begin + k
                for r in range(x.shape[1]):
                    xa = x[n, r, k]
                    for j in range(width):
                        out[n, r, j] += xa * weights[n, a, j]


def mix(
    messages: cython.const[cython.float][:, :, ::1],
    first: cython.const[cython.int][::1],
    neighbours: cython.const[cython.int][::1],
    shares: cython.const[cython.float][::1],
    multiplier: cython.const[cython.float][::1],
    shift: cython.const[cython.float][::1],
    out: cython.float[:, :, ::1],
    add: cython.bint,
) -> None:
    """Add up each node's neighbours and its own part, normalise, and cut off below zero.

    Written to out [nodes, rows, 2 width], or added to what is there. Four neighbours are taken at a time, since each
    further one then costs no more than to read it.
    """
    n: cython.Py_ssize_t
    r: cython.Py_ssize_t
    j: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    columns: cython.Py_ssize_t
    far: cython.Py_ssize_t
    width: cython.Py_ssize_t = messages.shape[2]
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    d: cython.Py_ssize_t
    sa: cython.float
    sb: cython.float
    sc: cython.float
    sd: cython.float
    value: cython.float
    total = cython.declare(cython.float[512])
    with cython.nogil:
        # Eight rows of all nodes fit into a near cache, where each is read by all its neighbours.
        for row in range(0, messages.shape[1], 8):
            for n in range(messages.shape[0]):
                for r in range(row, min(row + 8, messages.shape[1])):
                    for column in range(0, width, 512):
                        columns = min(512, width - column)
                        far = width + column
                        for j in range(columns):
                            total[j] = 0
                        i = first[n]
                        while i + 4 <= first[n + 1]:
                            a = neighbours[i]
                            b = neighbours[i + 1]
                            c = neighbours[i + 2]
                            d = neighbours[i + 3]
                            sa = shares[i]
                            sb = shares[i + 1]
                            sc = shares[i + 2]
                            sd = shares[i + 3]
                            for j in range(columns):
                                total[j] += (
                                    sa * messages[a, r, column + j]
                                    + sb * messages[b, r, column + j]
                                    + sc * messages[c, r, column + j]
                                    + sd * messages[d, r, column + j]
                                )
                            i += 4
                        while i < first[n + 1]:
                            a = neighbours[i]
                            sa = shares[i]
                            for j in range(columns):
                                total[j] += sa * messages[a, r, column + j]
                            i += 1
                        if add:
                            for j in range(columns):
                                value = total[j] * multiplier[column + j] + shift[column + j]
                                out[n, r, column + j] += value if value > 0 else 0
                            for j in range(columns):
                                value = messages[n, r, column + j] * multiplier[far + j] + shift[far + j]
                                out[n, r, far + j] += value if value > 0 else 0
                        else:
                            for j in range(columns):
                                value = total[j] * multiplier[column + j] + shift[column + j]
                                out[n, r, column + j] = value if value > 0 else 0
                            for j in range(columns):
                                value = messages[n, r, column + j] * multiplier[far + j] + shift[far + j]
                                out[n, r, far + j] = value if value > 0 else 0
