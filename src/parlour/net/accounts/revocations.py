"""Counts revocations, in the store and in a file beside it: a store with fewer than the file is an older copy.

A restored backup holds tokens that were revoked since, which would become valid again. So each revocation is counted,
and a server that finds fewer in its store than in the file revokes all tokens of that store.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from pathlib import Path

from parlour.net.threads import on_thread
from parlour.store import AllRevoked, Setting, Store, Write
from parlour.store.copies import LAST

COUNT = "revocations"
MOST_DIGITS = 18
_log = logging.getLogger(__name__)


def revocations_path(store: str) -> Path | None:
    """Return the path of the file beside a store that is a file; None for any other store."""
    return None if "://" in store else Path(f"{store}.revocations")


class Revocations:
    """Counts revocations; without a path only in the store."""

    def __init__(self, store: Store, path: Path | None = None) -> None:
        self._store, self._path = store, path
        self._count = 0
        self._noted = 0
        """The number in the file."""
        self._writing = asyncio.Lock()

    async def start(self) -> bool:
        """Revoke all tokens if the store is an older copy than the one used last; return True if it is."""
        count, beside = await self._read()
        is_older = count < (beside or 0) or (beside is None and count > 0 and self._path is not None)
        if is_older:
            _log.warning("the store is a restored copy, or was moved: all must sign in again, and invitations are void")
            await self._revoke_all()
        elif not count:
            await self.keep()
        elif beside != count:
            await self._note(count)
        return is_older

    async def revoke_all(self) -> None:
        """Revoke all sign-in tokens and invitations."""
        await self._read()
        await self._revoke_all()

    async def _read(self) -> tuple[int, int | None]:
        """Read the numbers in the store and in the file, and continue from the larger one."""
        kept = await self._store.fetch(self._store.setting, COUNT)
        count = int(kept) if kept else 0
        beside = None if self._path is None else await on_thread(_read, self._path)
        self._count = max(count, beside or 0)
        return count, beside

    async def _revoke_all(self) -> None:
        # One-time passwords, which never expire, stay valid: otherwise the operator might be locked out.
        await self.keep(AllRevoked(by=LAST - 1.0))

    async def keep(self, *writes: Write) -> None:
        """Store writes that revoke tokens, and count one revocation."""
        self._count = count = self._count + 1
        await self._store.keep(*writes, Setting(COUNT, str(count).encode()))
        await self._note(count)

    async def _note(self, count: int) -> None:
        """Write a number to the file that the store has: a larger one would make the store look like an older copy."""
        if self._path is None:
            return
        async with self._writing:
            if count <= self._noted:
                return
            self._noted = count
            try:
                # Not a thread of the loop's pool, whose threads may all wait for something else.
                await on_thread(_write, self._path, count)
            except OSError as error:
                _log.warning("%s: cannot be written, so a restored copy may not be detected: %s", self._path, error)


def _read(path: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError), path.open("rb") as file:
        text = file.read(MOST_DIGITS + 1)
        return int(text) if len(text) <= MOST_DIGITS else None
    return None


def _write(path: Path, count: int) -> None:
    """Replace the file atomically; its new content is durable."""
    new = path.with_name(f"{path.name}.new")
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(file, str(count).encode())
        os.fsync(file)
    finally:
        os.close(file)
    new.replace(path)
