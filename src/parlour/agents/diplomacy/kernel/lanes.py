"""Arithmetic on rows of eight powers at once."""


def spread(
    to: memoryview, total: memoryview, at: int, source: memoryview, first: memoryview, near: memoryview, nodes: int,
    weight: int,
) -> None:  # fmt: skip
    """Give each node a fifth of the sum over its neighbours and itself, and add it to the totals by weight."""
    for node in range(nodes):
        for lane in range(8):
            value = sum(source[8 * near[i] + lane] for i in range(first[node], first[node + 1])) // 5
            to[8 * node + lane] = value
            total[at + 8 * node + lane] += value * weight


# Compiled kernels use this C code instead of the function above.
IN_C = '''
cdef extern from * nogil:
    """
    /* A row is eight 32-bit numbers, one for each power; written so that compilers use vector instructions, and twice
       as wide ones where the processor turns out to have them. */
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    #define PARLOUR_WIDE __attribute__((target_clones("avx2", "default")))
    #else
    #define PARLOUR_WIDE
    #endif
    #if defined(__GNUC__) || defined(__clang__)
    typedef unsigned int parlour_row __attribute__((vector_size(32), aligned(4), may_alias));
    PARLOUR_WIDE
    static void parlour_spread(int *to, int *total, int at, const int *source, const int *first, const int *near_,
                               int nodes, int weight) {
        const parlour_row *from = (const parlour_row *)source;
        parlour_row *row = (parlour_row *)to, *sums = (parlour_row *)(total + at);
        int node, i = first[0];
        for (node = 0; node < nodes; node++) {
            parlour_row sum = from[near_[i]];
            for (i++; i < first[node + 1]; i++)
                sum += from[near_[i]];
            row[node] = sum / 5u;
            sums[node] += row[node] * (unsigned int)weight;
        }
    }
    #else
    static void parlour_spread(int *to, int *total, int at, const int *source, const int *first, const int *near_,
                               int nodes, int weight) {
        int node, i, lane;
        for (node = 0; node < nodes; node++)
            for (lane = 0; lane < 8; lane++) {
                unsigned int sum = 0;
                for (i = first[node]; i < first[node + 1]; i++)
                    sum += (unsigned int)source[8 * near_[i] + lane];
                to[8 * node + lane] = (int)(sum / 5u);
                total[at + 8 * node + lane] += (int)(sum / 5u) * weight;
            }
    }
    #endif
    """
    void spread "parlour_spread"(
        int *to, int *total, int at, const int *source, const int *first, const int *near, int nodes, int weight
    )
'''
