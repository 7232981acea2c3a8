"""Passwords as argon2 digests, computed off the event loop, and only so many at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

import argon2

from parlour.net.denials import bad_value, too_often

Found = TypeVar("Found")

SHORTEST, LONGEST = 8, 1024
MAX_WAITING = 100
"""How many may wait for a digest. A digest costs memory and time on purpose, so that guessing does."""


class Passwords:
    """Makes digests and compares with them, in threads of its own; argon2 lets the others run meanwhile."""

    def __init__(self, hasher: argon2.PasswordHasher | None = None, *, threads: int = 2) -> None:
        # 19 MiB and two passes: what is advised for servers that must also do something else.
        self._hasher = hasher or argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="passwords")
        self._waiting = 0

    async def digest(self, password: str, *, shortest: int = SHORTEST) -> str:
        """The digest of a new password; Denied if it is too short or too long."""
        if not shortest <= len(password) <= LONGEST:
            raise bad_value(f"password: expected {shortest} to {LONGEST:,} characters, not {len(password):,}")
        return await self._aside(lambda: self._hasher.hash(_bytes(password)))

    async def matches(self, digest: str, password: str) -> bool:
        """Whether the digest is of that password. Without a digest the answer takes as long, and is no."""
        if len(password) > LONGEST:
            return False
        return await self._aside(lambda: self._compare(digest or self._of_nobody, password)) and bool(digest)

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(cancel_futures=True)

    @cached_property
    def _of_nobody(self) -> str:
        return self._hasher.hash(b"nobody's password")

    def _compare(self, digest: str, password: str) -> bool:
        try:
            return self._hasher.verify(digest, _bytes(password))
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False

    async def _aside(self, work: Callable[[], Found]) -> Found:
        if self._waiting >= MAX_WAITING:
            raise too_often("sign-ins at once", 1.0)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")  # whatever a client sends has some digest
