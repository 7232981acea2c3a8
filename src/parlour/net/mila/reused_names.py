"""Names that clients use again for something new, while the store keeps the old thing under its name.

The id of a deleted game is free again, although its record keeps it. A deleted account's name may be registered again:
the store keeps the deleted account locked under its name, because records and ratings show players by name. So the new
account has another name there and on pages, and nobody takes its holder for the former one.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any

import msgspec

from parlour.net.mila import requests as rq
from parlour.net.mila.faults import UserException
from parlour.store import Setting, Store

LONGEST = 66
"""Maximum characters of a reused name that are part of the new name in the store."""
FREE = ""
"""The meaning of a name whose account was deleted."""


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


class GameIds(ReusedNames):
    """Maps game ids to matches. An id is the match's name, until that match is deleted and the id is reused."""

    key = "mila ids"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._former: dict[str, tuple[str, ...]] = {}
        """By match, the earlier matches with its id since the server started."""

    def add(self, name: str, stored: str) -> None:
        """Make an id mean a match from now on, after its write is stored."""
        before = self.stored(name)
        self._former[stored] = (*self.former(before), before)
        super().add(name, stored)

    def former(self, match: str) -> tuple[str, ...]:
        """Return the deleted matches that had a match's id before it, since the server started."""
        return self._former.get(match, ())

    def understood(self, request: Any) -> Any:
        """Return a request with reused ids replaced by the names of their matches."""
        if isinstance(request, rq.CreateGame | rq.ListGames):
            return request
        if isinstance(request, rq.GetGamesInfo):
            return msgspec.structs.replace(request, games=[self.stored(game) for game in request.games])
        game = getattr(request, "game_id", None)
        if game is None or (match := self.stored(game)) == game:
            return request
        return msgspec.structs.replace(request, game_id=match)


class AccountNames(ReusedNames):
    """Maps the names that clients sign in with to accounts."""

    key = "mila accounts"

    def is_free(self, name: str) -> bool:
        """Return True if the account of a name was deleted, and nobody has opened another since."""
        return self.reused.get(name) == FREE

    def account(self, name: str) -> str:
        """Return the account that a name means; raise UserException if it was deleted."""
        if self.is_free(name):
            raise UserException(f"There is no account {name[:60]!r}.")
        return self.stored(name)

    async def keep(self, name: str, account: str) -> None:
        """Store that a name means an account from now on, or FREE."""
        await self._store.keep(self.meaning(name, account))
        self.add(name, account)
