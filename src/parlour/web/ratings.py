"""Ratings of players over the finished matches of a server: one fit per game, made off the loop, kept for a while."""

from __future__ import annotations

import time
from typing import NamedTuple

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Outcome
from parlour.games import declared
from parlour.net.accounts.principals import MADE_HERE
from parlour.net.fair_pool import Requester
from parlour.net.hall import Hall
from parlour.net.veils import is_veiled
from parlour.store import Filter, RecordHead, RecordKind, Store
from parlour.tournament.statistics.ratings import RankedMatch, Rating, fit

RATED = 400
"""Matches of a game that are rated, the newest."""
LASTS = 300.0
"""Seconds for which ratings of a game are shown before they are made anew."""


class Ratings(NamedTuple):
    """Ratings of everybody in the rated matches of a game."""

    players: dict[str, Rating]
    anchor: str
    """The player who has zero points."""
    matches: int


class RatingBook:
    """Ratings by game."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._made: dict[str, tuple[float, Ratings]] = {}

    async def of(self, game: str, asker: Requester) -> Ratings:
        """Return the ratings of a game; made at most every few minutes."""
        made, found = self._made.get(game, (0.0, None))
        if found is None or time.monotonic() - made > LASTS:
            matches = await self._hall.store.fetch(ranked_matches, self._hall.store, game, self._hall.now())
            found = await self._hall.pool.run(asker, lambda: rated(matches, declared(game).rival))
            self._made[game] = time.monotonic(), found
        return found


def ranked_matches(store: Store, game: str, now: float) -> list[dict[str, tuple[str, int]]]:
    """Return for each of the newest finished matches the player and place of each seat. Blocks.

    Matches that are not listed, or whose end is shown later, are left out, because ratings would reveal them.
    """
    wanted = Filter(kind=RecordKind.MATCH, game=game, status=("over",), parent="", visible_to="")
    heads = [head for head in store.page(wanted, limit=RATED).heads if not is_veiled(head, now)]
    return [ranks for head in reversed(heads) if (ranks := ranks_of(store, head))]


def ranks_of(store: Store, head: RecordHead) -> dict[str, tuple[str, int]]:
    """Return the player and the place of each seat of a finished match; empty if nobody was ranked. Blocks."""
    outcome = outcome_of(head)
    if outcome is None:
        return {}
    players = {
        sitting.seat: sitting.agent or sitting.account
        for sitting in store.seating(head.id)
        if not sitting.account.startswith(MADE_HERE)
    }
    return {
        seat: (players[seat], place)
        for place, seats in enumerate(outcome.places)
        for seat in seats
        if players.get(seat)
    }


def outcome_of(head: RecordHead) -> Outcome | None:
    """Return how a match ended; None if it has not, or was ended without a result."""
    try:
        return None if head.result is None else msgspec.json.decode(head.result, type=Outcome)
    except UNREADABLE:
        return None


def rated(matches: list[dict[str, tuple[str, int]]], rival: str) -> Ratings:
    """Return ratings with the rival at zero points, or the most frequent player if the rival never played."""
    compared = [ranks for ranks in matches if len({place for _, place in ranks.values()}) > 1]
    played: dict[str, int] = {}
    for ranks in compared:
        for player, _ in ranks.values():
            played[player] = played.get(player, 0) + 1
    if not played:
        return Ratings({}, rival, 0)
    players, seats = list(played), sorted({seat for ranks in compared for seat in ranks})
    number, chair = {name: at for at, name in enumerate(players)}, {name: at for at, name in enumerate(seats)}
    ranked = [
        RankedMatch(
            tuple(number[player] for player, _ in ranks.values()),
            tuple(chair[seat] for seat in ranks),
            tuple(place for _, place in ranks.values()),
            block,
        )
        for block, ranks in enumerate(compared)
    ]
    found = fit(ranked, len(players), len(seats))
    anchor = rival if rival in number else max(played, key=lambda name: (played[name], name))
    return Ratings({name: found.rating(at, number[anchor]) for name, at in number.items()}, anchor, len(compared))
