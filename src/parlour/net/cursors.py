"""Places in lists as strangers are given them: numbers that say nothing of how many records lie between two of them."""

from __future__ import annotations

import hashlib
import secrets

from parlour.store import Setting, Store

SECRET = "list secret"
HALF = 26
"""Bits of half a place: all of it fits into a number that JSON keeps exactly."""
_ROUNDS = range(6)
_MASK = (1 << HALF) - 1


class Cursors:
    """Exchanges record numbers for places in a list, and back, by a secret that the store keeps."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._secret = b""

    async def sealed(self, number: int) -> int:
        """Return the place that stands for a record number."""
        return _mixed(number, await self._key(), forward=True)

    async def opened(self, place: int) -> int:
        """Return the record number that a place stands for; of one that was made up, any number."""
        return _mixed(place & ((1 << 2 * HALF) - 1), await self._key(), forward=False)

    async def _key(self) -> bytes:
        if not self._secret:
            kept = await self._store.fetch(self._store.setting, SECRET)
            if kept is None:
                kept = secrets.token_bytes(32)
                await self._store.keep(Setting(SECRET, kept))
            self._secret = self._secret or kept
        return self._secret


def _mixed(number: int, key: bytes, *, forward: bool) -> int:
    """Return another number of as many bits, of which only the key tells which it was: a Feistel network."""
    left, right = number >> HALF & _MASK, number & _MASK
    if forward:
        for turn in _ROUNDS:
            left, right = right, left ^ _scrambled(right, turn, key)
    else:
        for turn in reversed(_ROUNDS):
            left, right = right ^ _scrambled(left, turn, key), left
    return left << HALF | right


def _scrambled(half: int, turn: int, key: bytes) -> int:
    digest = hashlib.blake2b(bytes([turn]) + half.to_bytes(4, "big"), key=key, digest_size=4).digest()
    return int.from_bytes(digest, "big") & _MASK
