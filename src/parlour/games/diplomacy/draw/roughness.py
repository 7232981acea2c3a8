"""Makes lines look like coasts and frontiers: rough, the same each time, and never beyond their room."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
COAST, FRONTIER = 0.05, 0.022
"""Largest deviation of a coast and of a land border, as a fraction of its length."""
_FARTHEST = 8.0
_STEP = 6.5
"""Distance between the points of a rough line."""
_WAVES = ((2.0, 0.5), (3.7, 0.9), (6.1, 0.75), (9.7, 0.5), (15.3, 0.32))
"""Half waves along a line, and their heights."""
_SHORTEST = 5.0
"""Waves shorter than this are left out."""
_TRIES = 5


def roughened(curve: Array, room: Array, stray: float, name: str) -> Array:
    """Return a line with the same ends, displaced across itself.

    Args:
        curve: The points of a smooth line, [n, 2].
        room: The corners of a convex or star-shaped outline that the line has to itself, [m, 2].
        stray: Largest deviation, as a part of the line's length.
        name: The text that decides the shape; the same text gives the same line.
    """
    ways = np.hypot(*np.diff(curve, axis=0).T)
    length = float(ways.sum())
    count = int(length / _STEP)
    if count < 2 or not stray:
        return curve
    along = np.concatenate([[0.0], np.cumsum(ways)]) / length
    part = np.linspace(0, 1, count + 1)
    points = np.column_stack([np.interp(part, along, curve[:, axis]) for axis in (0, 1)])
    tangent = np.gradient(points, axis=0)
    across = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    across /= np.maximum(np.hypot(*across.T), 1e-9)[:, None]
    waves = _waves(part, length, zlib.crc32(name.encode()))
    far = min(stray * length, _FARTHEST)
    for _ in range(_TRIES):
        found = points + across * (far * waves)[:, None]
        if _within(found[1:-1], room):
            return found
        far /= 2
    return curve


def _waves(part: Array, length: float, bits: int) -> Array:
    """Return heights between about -1 and 1 along a line, 0 at its ends; five bits shift each wave."""
    heights = np.zeros_like(part)
    for number, (halves, height) in enumerate(_WAVES):
        if length / halves >= _SHORTEST:
            phase = (bits >> 5 * number & 31) / 31 * 2 * np.pi
            heights += height * np.sin(np.pi * halves * part + phase)
    ends = np.minimum(1, 4 * np.minimum(part, 1 - part))
    return np.asarray(ends * heights / 1.6)


def _within(points: Array, room: Array) -> bool:
    """Return True if all points are inside an outline."""
    x, y = points[:, 0, None], points[:, 1, None]
    (ax, ay), (bx, by) = room.T, np.roll(room, -1, axis=0).T
    spans = (ay > y) != (by > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = (bx - ax) * (y - ay) / (by - ay) + ax
    return bool(((spans & (x < crossing)).sum(axis=1) % 2 == 1).all())
