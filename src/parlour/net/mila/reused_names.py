"""Names that clients use again for something new, while the store keeps the old thing under its name."""

from __future__ import annotations

import secrets
from functools import cached_property

import msgspec

from parlour.store import Setting, Store

LONGEST = 66
"""Maximum characters of a reused name that are part of the new name in the store."""


class ReusedNames:
    """Maps names as clients use them to names in the store: the same name, until it is used again."""

    key = ""
    """The setting of the store that has the reused names."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def reused(self) -> dict[str, str]:
        """The names in the store of reused names."""
        kept = self._store.setting(self.key)
        return {} if kept is None else msgspec.json.decode(kept, type=dict[str, str])

    @cached_property
    def _shown(self) -> dict[str, str]:
        return {stored: name for name, stored in self.reused.items()}

    def stored(self, name: str) -> str:
        """Return the name in the store that a client's name means."""
        return self.reused.get(name, name)

    def shown(self, stored: str) -> str:
        """Return the name that clients use for a name in the store."""
        return self._shown.get(stored, stored)

    def renewed(self, name: str) -> tuple[str, Setting]:
        """Return a new name in the store, and the write that stores it; call `add` after the write."""
        stored = f"{name[:LONGEST]}-{secrets.token_hex(4)}"
        return stored, self.meaning(name, stored)

    def meaning(self, name: str, stored: str) -> Setting:
        """Return the write that makes a client's name mean a name in the store."""
        return Setting(self.key, msgspec.json.encode({**self.reused, name: stored}))

    def add(self, name: str, stored: str) -> None:
        """Make a client's name mean a name in the store from now on, after its write is stored."""
        self.reused[name] = stored
        if stored:
            self._shown[stored] = name
