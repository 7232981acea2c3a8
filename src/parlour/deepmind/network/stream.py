"""The random stream of the published agents, number by number: the counter-based generator of JAX, without JAX.

A key and the place of a number in an array give the number, so only the numbers that are needed are made. There are
two ways to count: the way of JAX since 0.5, and the legacy way of the time when the agents were published.
Keys are uint32 arrays [2, ...], one for each row that draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from parlour.deepmind.network.arrays import Array

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_TINY = np.finfo(np.float32).tiny


def threefry(key: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return two 32-bit words for each pair of words, by the key (two words)."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(_PARITY))
    x, y = low + keys[0], high + keys[1]
    for turn in range(5):
        for rotation in _ROTATIONS[turn % 2]:
            x = x + y
            y = (y << np.uint32(rotation) | y >> np.uint32(32 - rotation)) ^ x
        x = x + keys[(turn + 1) % 3]
        y = y + keys[(turn + 2) % 3] + np.uint32(turn + 1)
    return x, y


def key_of(seed: int) -> Array:
    """Return the key [2, 1] of the low 32 bits of a seed."""
    return np.array([[0], [seed & 0xFFFFFFFF]], np.uint32)


def split(xp: Any, keys: Array, *, legacy: bool) -> tuple[Array, Array]:
    """Return two new keys for each key."""
    words = [xp.full(keys.shape[1:], word, np.uint32) for word in range(4)]
    if legacy:
        pairs = threefry(keys, words[0], words[2]), threefry(keys, words[1], words[3])
        return xp.stack([pairs[0][0], pairs[1][0]]), xp.stack([pairs[0][1], pairs[1][1]])
    return xp.stack(threefry(keys, words[0], words[0])), xp.stack(threefry(keys, words[0], words[1]))


def gumbel(xp: Any, keys: Array, places: Array, size: Array, *, legacy: bool) -> Array:
    """Return the Gumbel noise at some places of arrays of that size.

    Keys, places and sizes are uint32 and broadcast.
    """
    uniform = (bits(xp, keys, places, size, legacy=legacy) >> np.uint32(9) | np.uint32(0x3F800000)).view(np.float32) - 1
    uniform = xp.maximum(_TINY, uniform * (np.float32(1) - _TINY) + _TINY)
    return -xp.log(-xp.log(uniform))


def bits(xp: Any, keys: Array, places: Array, size: Array, *, legacy: bool) -> Array:
    """Return the 32 random bits at some places of arrays of that size."""
    if not legacy:
        x, y = threefry(keys, xp.zeros_like(places), places)
        return x ^ y
    # The legacy way makes the first and the second half of the array together; of an odd size the last has no partner.
    half = (size + np.uint32(1)) // np.uint32(2)
    late = places >= half
    first = xp.where(late, places - half, places)
    second = xp.where(first + half < size, first + half, np.uint32(0))
    x, y = threefry(keys, first, second)
    return xp.where(late, y, x)
