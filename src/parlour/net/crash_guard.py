"""The crash guard: remembers whose agents were thinking when a server died, so that a match cannot kill it repeatedly.

While an agent thinks, the id of its match is in a small file beside the store. A write there takes a microsecond, and
survives the death of the process. A server that starts reads the ids that the last one left, and counts the crashes of
each match in the store. A match with two crashes is held back: it stays asleep until the operator releases it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
from pathlib import Path

import msgspec

from parlour.errors import StoreError
from parlour.store import Setting, Store

SLOTS, WIDTH = 256, 256
"""Number of names that fit into the file, and bytes of each."""
MOST_CRASHES = 2
"""Number of crashes after which a match is held back."""
FORGIVEN_AFTER = 300.0
"""Seconds that a server must run before first crashes are forgotten."""
MOST_COUNTED = 10_000
"""Maximum number of matches whose crashes are counted."""
CRASHES = "crashes"

_log = logging.getLogger(__name__)
_counts = msgspec.json.Decoder(dict[str, int])


def marks_path(store: str) -> Path:
    """Return the path of the file of names: beside a store that is a file, else in the folder of temporary files."""
    if "://" not in store:
        return Path(f"{store}.thinking")
    import tempfile  # slow to import, and seldom needed

    return Path(tempfile.gettempdir(), f"parlour-{hashlib.sha256(store.encode()).hexdigest()[:24]}.thinking")


class CrashGuard:
    """Registry of the matches whose agents think now, and of those held back because their agents crash the server."""

    def __init__(self, store: Store, path: Path) -> None:
        self._store, self._path = store, path
        self._file = -1
        self._free = list(range(SLOTS))
        self._crashes: dict[str, int] = {}
        self._forgiving: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Count the matches whose agents were thinking when the last server died."""
        kept = await self._store.fetch(self._store.setting, CRASHES)
        self._crashes = _counts.decode(kept) if kept else {}
        found = await asyncio.to_thread(self._open)
        for match in found:
            self._crashes[match] = self._crashes.pop(match, 0) + 1
            held = " and is held back" if self.is_held(match) else ""
            _log.warning("match %s: an agent was thinking when the server died%s", match, held)
        if found:
            await self._keep()
        self._forgiving = asyncio.get_running_loop().call_later(FORGIVEN_AFTER, self._forgive)

    def close(self) -> None:
        """Record that the server stops normally, so that no match is blamed."""
        if self._forgiving is not None:
            self._forgiving.cancel()
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1

    @property
    def held(self) -> list[str]:
        """The matches that are held back."""
        return [match for match in self._crashes if self.is_held(match)]

    def is_held(self, match: str) -> bool:
        """Return True if a match stays asleep until it is released."""
        return self._crashes.get(match, 0) >= MOST_CRASHES

    async def release(self, match: str) -> None:
        """Let a match wake again; its crashes are forgotten."""
        if self._crashes.pop(match, None) is not None:
            await self._keep()

    # Marks of running thoughts

    def begin(self, match: str) -> int:
        """Record that an agent of a match begins to think. Return the slot to pass to end; -1 if the file is full."""
        if self._file < 0 or not self._free:
            return -1
        slot = self._free.pop()
        return slot if self._write(slot, match.encode()[:WIDTH]) else -1

    def end(self, slot: int) -> None:
        """Record that the agent in a slot has stopped thinking."""
        if slot >= 0 and self._file >= 0 and self._write(slot, b""):
            self._free.append(slot)

    def _write(self, slot: int, name: bytes) -> bool:
        """Write a name; return False on an error, after which the slot is not used again: no agent waits for a disk."""
        try:
            os.pwrite(self._file, name.ljust(WIDTH, b"\0"), slot * WIDTH)
        except OSError as error:
            _log.warning("%s: %s: an agent that crashes the server may not be identified", self._path, error.strerror)
            return False
        return True

    def _open(self) -> list[str]:
        """Open the file, read the names in it, each once, and clear it."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            self._file = os.open(self._path, flags, 0o600)
            content = os.pread(self._file, SLOTS * WIDTH, 0)
            os.ftruncate(self._file, 0)
            with contextlib.suppress(OSError):  # reserves the space, in case the disk is full later
                os.pwrite(self._file, bytes(SLOTS * WIDTH), 0)
        except OSError as error:
            _log.warning("%s: %s: agents that crash the server are not identified", self._path, error.strerror)
            return []
        names = (content[at : at + WIDTH].rstrip(b"\0") for at in range(0, len(content), WIDTH))
        return list(dict.fromkeys(name.decode(errors="replace") for name in names if name))

    # Counts of deaths

    def _forgive(self) -> None:
        """Forget the crashes of all matches that are not held back."""
        guilty = {match: count for match, count in self._crashes.items() if self.is_held(match)}
        if guilty != self._crashes:
            self._crashes = guilty
            self._writing = asyncio.get_running_loop().create_task(self._forgiven())

    async def _forgiven(self) -> None:
        try:
            await self._keep()
        except StoreError as error:
            _log.warning("the crash guard cannot store its counts: %s", error)

    async def _keep(self) -> None:
        for match in list(self._crashes)[:-MOST_COUNTED]:
            del self._crashes[match]
        await self._store.keep(Setting(CRASHES, msgspec.json.encode(self._crashes)))
