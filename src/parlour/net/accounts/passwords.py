"""Passwords as argon2 digests, computed off the event loop, a few at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from parlour.net.fair_pool import HOUSE, FairPlaces, FairPool, Requester
from parlour.net.permission_errors import bad_value

if TYPE_CHECKING:
    import argon2

SHORTEST, LONGEST = 8, 1024
MAX_WAITING = 1024
"""Maximum number of digests that wait to be computed. A digest is expensive on purpose, to make guessing expensive."""
MAX_WAITING_OF_ONE = 256
"""Maximum number of waiting digests for one network: a laboratory signs all its bots in at once."""
PATIENCE = 25.0
"""Seconds that a digest waits for its turn, and that it may take, before it is refused."""


class Passwords:
    """Computes and compares digests in its own threads; argon2 releases the interpreter meanwhile."""

    def __init__(self, hasher: argon2.PasswordHasher | None = None, *, threads: int = 2) -> None:
        self._given = hasher
        places = FairPlaces(
            threads, of_one=threads, waiting=MAX_WAITING, waiting_of_one=MAX_WAITING_OF_ONE, patience=PATIENCE
        )
        self._pool = FairPool(places, threads=threads, name="passwords")

    async def digest(self, password: str, *, shortest: int = SHORTEST, asker: Requester = HOUSE) -> str:
        """Return the digest of a new password; raise Denied if its length is wrong, or if too many digests wait."""
        if not shortest <= len(password) <= LONGEST:
            told = f"password: expected {shortest} to {LONGEST:,} characters, got {len(password):,}"
            raise bad_value(told, field="password")
        return await self._pool.run(asker, lambda: self._hasher.hash(_bytes(password)))

    async def matches(self, digest: str, password: str, asker: Requester = HOUSE) -> bool:
        """Return True if the digest is of that password. For an empty digest return False after the same time."""
        if len(password) > LONGEST:
            return False
        return await self._pool.run(asker, lambda: self._compare(digest or self._of_nobody, password)) and bool(digest)

    def close(self) -> None:
        """End the threads."""
        self._pool.close(wait=True)

    @cached_property
    def _hasher(self) -> argon2.PasswordHasher:
        import argon2  # a tournament server needs no passwords

        # 19 MiB and two passes: the recommendation for servers with other work.
        return self._given or argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

    @cached_property
    def _of_nobody(self) -> str:
        return self._hasher.hash(b"nobody's password")

    def _compare(self, digest: str, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            return self._hasher.verify(digest, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")  # clients may send half of a surrogate pair
