"""Ids of games as clients use them: the id of a deleted game is free again, although its record keeps it."""

from __future__ import annotations

from typing import Any

import msgspec

from parlour.net.mila import requests as rq
from parlour.net.mila.reused_names import ReusedNames
from parlour.store import Store


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
