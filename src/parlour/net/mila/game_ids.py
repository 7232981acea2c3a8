"""Ids of games as clients know them: the id of a deleted game is free again, though its record keeps it."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any

import msgspec

from parlour.net.mila import requests as rq
from parlour.store import Setting, Store

KEY = "mila ids"
LONGEST = 66
"""Characters of an id that are kept in the name of a match that has the id again."""


class GameIds:
    """Maps game ids to matches. An id is the match's name, until that match is deleted and the id is given again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._former: dict[str, tuple[str, ...]] = {}
        """Matches that had the id of a match before it, since this server runs."""

    @cached_property
    def matches(self) -> dict[str, str]:
        """The matches of ids that were given again."""
        kept = self._store.setting(KEY)
        return {} if kept is None else msgspec.json.decode(kept, type=dict[str, str])

    @cached_property
    def _games(self) -> dict[str, str]:
        return {match: game for game, match in self.matches.items()}

    def match(self, game: str) -> str:
        """Return the name of the match that an id means."""
        return self.matches.get(game, game)

    def shown(self, match: str) -> str:
        """Return the id by which clients know a match."""
        return self._games.get(match, match)

    def renewed(self, game: str) -> tuple[str, Setting]:
        """Return a name for the next match of an id, and the write that keeps it; see add."""
        match = f"{game[:LONGEST]}-{secrets.token_hex(4)}"
        return match, Setting(KEY, msgspec.json.encode({**self.matches, game: match}))

    def add(self, game: str, match: str) -> None:
        """Let an id mean that match from now on; the write is kept."""
        before = self.match(game)
        self._former[match] = (*self.former(before), before)
        self.matches[game], self._games[match] = match, game

    def former(self, match: str) -> tuple[str, ...]:
        """Return the deleted matches that had a match's id before it, as far as this server knows."""
        return self._former.get(match, ())

    def understood(self, request: Any) -> Any:
        """Return a request with the names of matches in place of ids that mean others."""
        if isinstance(request, rq.CreateGame | rq.ListGames):
            return request
        if isinstance(request, rq.GetGamesInfo):
            return msgspec.structs.replace(request, games=[self.match(game) for game in request.games])
        game = getattr(request, "game_id", None)
        if game is None or (match := self.match(game)) == game:
            return request
        return msgspec.structs.replace(request, game_id=match)
