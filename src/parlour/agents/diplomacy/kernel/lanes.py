"""Arithmetic on rows of eight powers at once. Compiled kernels take it from lanes.pxd instead."""


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
