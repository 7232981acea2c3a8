"""Bit sets: the number of the lowest bit that is set. Compiled kernels take it from bits.pxd instead."""


def lowest(word: int) -> int:
    """The number of the lowest set bit; word must not be 0."""
    return (word & -word).bit_length() - 1
