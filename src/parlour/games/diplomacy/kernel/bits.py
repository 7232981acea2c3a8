"""Small operations that C has instructions for. Compiled kernels take them from bits.pxd instead."""


def lowest(word: int) -> int:
    """The number of the lowest set bit; word must not be 0."""
    return (word & -word).bit_length() - 1


def take_row(row: memoryview, rows: memoryview, number: int) -> None:
    """Copy one row of a batch."""
    for i in range(len(row)):
        row[i] = rows[number, i]


def put_row(rows: memoryview, number: int, row: memoryview) -> None:
    """Copy into one row of a batch."""
    for i in range(len(row)):
        rows[number, i] = row[i]
