"""Opens the store that an address names: a file, or a database on a server."""

from __future__ import annotations

import re
from pathlib import Path

from parlour.errors import ConfigError
from parlour.store.contract import Store
from parlour.store.sqlite import SQLiteStore


def open_store(url: str | Path, *, read_only: bool = False, create: bool = True, rest: float = 0.0) -> Store:
    """Return the store at a path, sqlite:///path or postgresql://user@host/database.

    Args:
        url: The address; a plain path means SQLite.
        read_only: Open it without the right to write.
        create: Make the store if it does not exist.
        rest: Seconds that the writer pauses after a group of several calls, for fewer but slower commits.
    """
    text = str(url)
    scheme, found, path = text.partition("://")
    if not found or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return SQLiteStore(text, read_only=read_only, create=create, rest=rest)
    if scheme == "sqlite":
        # As usual, sqlite:///kept.db is relative and sqlite:////var/kept.db is absolute.
        if not path.startswith("/") or path == "/":
            raise ConfigError(f"store: expected sqlite:///path, got {text[:80]!r}", field="store")
        return SQLiteStore(path[1:], read_only=read_only, create=create, rest=rest)
    if scheme in ("postgresql", "postgres"):
        from parlour.store.postgres import PostgresStore

        return PostgresStore(text, read_only=read_only, create=create, rest=rest)
    raise ConfigError(f"store: expected a path, sqlite or postgresql, got {scheme[:20]!r}", field="store")
