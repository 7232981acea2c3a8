"""Ids of games as clients use them: the id of a deleted game is free again, although its record keeps it."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any

import msgspec

from parlour.net.mila import requests as rq
from parlour.store import Setting, Store

KEY = "mila ids"
LONGEST = 66
"""Maximum characters of a reused id that are part of the new match's name."""


class GameIds:
    """Maps game ids to matches. An id is the match's name, until that match is deleted and the id is reused."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._former: dict[str, tuple[str, ...]] = {}
        """By match, the earlier matches with its id since the server started."""

    @cached_property
    def matches(self) -> dict[str, str]:
        """The matches of reused ids."""
        kept = self._store.setting(KEY)
        return {} if kept is None else msgspec.json.decode(kept, type=dict[str, str])

    @cached_property
    def _games(self) -> dict[str, str]:
        return {match: game for game, match in self.matches.items()}

    def match(self, game: str) -> str:
        """Return the name of the match that an id means."""
        return self.matches.get(game, game)

    def shown(self, match: str) -> str:
        """Return the game id that clients use for a match."""
        return self._games.get(match, match)

    def renewed(self, game: str) -> tuple[str, Setting]:
        """Return a name for the next match of an id, and the write that stores it; call `add` after the write."""
        match = f"{game[:LONGEST]}-{secrets.token_hex(4)}"
        return match, Setting(KEY, msgspec.json.encode({**self.matches, game: match}))

    def add(self, game: str, match: str) -> None:
        """Make an id mean that match from now on, after its write is stored."""
        before = self.match(game)
        self._former[match] = (*self.former(before), before)
        self.matches[game], self._games[match] = match, game

    def former(self, match: str) -> tuple[str, ...]:
        """Return the deleted matches that had a match's id before it, since the server started."""
        return self._former.get(match, ())

    def understood(self, request: Any) -> Any:
        """Return a request with reused ids replaced by the names of their matches."""
        if isinstance(request, rq.CreateGame | rq.ListGames):
            return request
        if isinstance(request, rq.GetGamesInfo):
            return msgspec.structs.replace(request, games=[self.match(game) for game in request.games])
        game = getattr(request, "game_id", None)
        if game is None or (match := self.match(game)) == game:
            return request
        return msgspec.structs.replace(request, game_id=match)
