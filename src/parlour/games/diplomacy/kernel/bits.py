"""Small operations that C has instructions for. Compiled kernels take them from bits.pxd instead."""

from parlour.games.diplomacy.kernel.layout import COAST_SHIFT, FLEET_SHIFT


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


def put_longs(to: memoryview, at: int, these: memoryview, first: int, count: int) -> None:
    """Copy some numbers to another place; up to 24 may be copied, and what follows there be overwritten."""
    to[at : at + count] = these[first : first + count]


def put_octets(rows: memoryview, number: int, these: memoryview, count: int) -> None:
    """Copy the first bytes of an array into one row of a batch."""
    for i in range(count):
        rows[number, i] = these[i]


def site_at(province: int, unit: int, fleet_site: memoryview, is_split: memoryview) -> int:
    """Return the site that lists the moves of a unit; a coast counts only where there are two."""
    coast = is_split[province] * (unit >> COAST_SHIFT & 3)
    return province + (unit >> FLEET_SHIFT & 1) * (fleet_site[province] + coast)
