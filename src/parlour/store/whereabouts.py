"""Detects that a store's file was moved, replaced or deleted while it is open: later writes would be lost."""

from __future__ import annotations

import os
import time
from pathlib import Path

from parlour.errors import StoreError

ROOM = 1 << 20
"""Minimum number of free bytes on the disk."""


COARSE, FINE = 2_000_000_000, 100_000_000
"""Nanoseconds within which two changes of a folder may have the same timestamp. COARSE is for file systems with coarse
timestamps, FINE for those with finer ones than hundredths of a second."""


class Whereabouts:
    """The file of a path, and SQLite's log of changes beside it, at the time when the store was opened."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = _identity(path)
        self._log: tuple[int, int] | None = None
        """The log file, which SQLite creates at the first change."""
        self._folder = os.path.dirname(path) or os.curdir  # noqa: PTH120 - as below
        self._is_link = Path(path).is_symlink()
        self._unchanged: tuple[int, int, int] | None = None
        """Device, inode and modification time of the folder when both files were last found in it."""

    def require(self) -> None:
        """Raise StoreError if the path no longer leads to the same file.

        If the folder has not changed since both files were found in it, one system call is enough. Each system call
        lets other threads run first.
        """
        try:
            folder = os.stat(self._folder)  # noqa: PTH116 - for every group of writes, and a Path costs more than the call
        except OSError:
            self._require_both()
            return
        found = folder.st_dev, folder.st_ino, folder.st_mtime_ns
        if found == self._unchanged:
            return
        self._require_both()
        granule = FINE if folder.st_mtime_ns % 10_000_000 else COARSE
        settled = time.time_ns() - folder.st_mtime_ns > granule
        self._unchanged = found if settled and self._log is not None and not self._is_link else None

    def _require_both(self) -> None:
        if _identity(self._path) != self._file:
            raise StoreError(f"{self._path}: moved, replaced or deleted while it was open; put it back, or start again")
        log = _identity(f"{self._path}-wal")
        if self._log is None:
            self._log = log
        elif log != self._log:
            raise StoreError(f"{self._path}-wal: moved, replaced or deleted while the store was open; start again")

    def require_room(self) -> None:
        """Raise StoreError if the disk is full, or nearly so."""
        if not hasattr(os, "statvfs"):
            return
        try:
            found = os.statvfs(Path(self._path).parent)
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror}") from None
        if (free := found.f_bavail * found.f_frsize) < ROOM:
            raise StoreError(f"{self._path}: its disk is full: {free:,} bytes are free, expected {ROOM:,}")


def _identity(path: str) -> tuple[int, int] | None:
    """Return the device and inode of a file; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path costs more than the call
    except OSError:
        return None
    return found.st_dev, found.st_ino
