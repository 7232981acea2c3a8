"""The page of a player as everybody sees it: matches, ratings, reliability."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.markup import Html, joined, tag
from parlour.errors import Denied
from parlour.games import declared, games
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.opening import name_of
from parlour.net.reliability import Reliability, ReliabilityBook
from parlour.store import Filter, RecordHead, RecordKind, Store
from parlour.web.listing import counted, match_list, seat_title, when, wide
from parlour.web.ratings import RatingBook, outcome_of
from parlour.web.shell import message, site_page
from parlour.web.visitors import Keeper, asker_of, visitor_of

SHOWN = 50
"""Finished matches on the page, the newest."""
FEW = 5
"""Number of turns or promises below which a share means little."""


class FinishedMatch(NamedTuple):
    """A finished match of a player."""

    head: RecordHead
    seat: str
    place: int | None
    """The place, from 1; None if the match has no result for the seat."""
    among: int
    score: float | None


class ProfilePages:
    """Requests for pages of players."""

    def __init__(self, hall: Hall, keeper: Keeper, reliability: ReliabilityBook) -> None:
        self._hall, self._keeper = hall, keeper
        self._reliability, self._ratings = reliability, RatingBook(hall)

    def routes(self) -> list[Route]:
        """Return the routes to mount."""
        return [Route("/player/{player}", self.profile, methods=["GET"])]

    async def profile(self, request: Request) -> Response:
        """Show a player."""
        visitor, name = await visitor_of(request, self._keeper), request.path_params["player"]
        store = self._hall.store
        account = await store.fetch(store.account, name)
        if account is None or account.locked:
            return message("Unknown player", f"There is no player {name!r:.80} here.", status=404, account=visitor.name)
        session = visitor.session(self._hall)
        mine = Filter(kind=RecordKind.MATCH, account=of_account(name).key)
        over = await session.page(_with(mine, ("over",)), limit=SHOWN)
        running = await session.page(_with(mine, ("running", "paused", "forming")), limit=SHOWN)
        played = await store.fetch(_played, store, name, over.heads)
        reliable = _reliability(await self._reliability.of(name))
        return site_page(
            name,
            visitor.name,
            tag("h1", name),
            tag("p", "Here since ", when(account.created, day=True), class_="since") if account.created else None,
            tag(
                "div",
                tag("section", tag("h2", "Reliability"), reliable, class_="card"),
                await self._rated(name, request, {one.head.game for one in played}, visitor.name),
                class_="groups",
            ),
            tag("section", tag("h2", "Finished matches"), _history(played)),
            match_list("Matches under way", running.heads) if running.heads else None,
        )

    async def _rated(self, name: str, request: Request, played: set[str], visitor: str) -> Html | None:
        lines = []
        for game in games():
            if game not in played:
                continue
            try:
                ratings = await self._ratings.of(game, asker_of(request, visitor))
            except Denied:  # too many requests wait
                continue
            if (own := ratings.players.get(name)) is not None:
                points = f"{own.points:+.0f} ± {own.half:.0f}"
                matches = counted(ratings.matches, "match")
                words = f": points against {ratings.anchor}, who has 0, from {matches} of this server"
                lines.append(tag("li", tag("b", f"{declared(game).title} {points}"), words))
        return tag("section", tag("h2", "Rating"), tag("ul", joined(lines)), class_="card") if lines else None


def _with(wanted: Filter, status: tuple[str, ...]) -> Filter:
    return Filter(kind=wanted.kind, account=wanted.account, status=status)


def _played(store: Store, account: str, heads: tuple[RecordHead, ...]) -> list[FinishedMatch]:
    """Return how matches ended for an account. Blocks: call it off the loop."""
    found = []
    for head in heads:
        outcome = outcome_of(head)
        ranks = {seat: at for at, seats in enumerate(outcome.places) for seat in seats} if outcome else {}
        for sitting in store.seating(head.id):
            if sitting.account == account and not sitting.agent:
                place = ranks.get(sitting.seat)
                score = outcome.scores.get(sitting.seat) if outcome else None
                above = 0 if outcome is None or place is None else sum(map(len, outcome.places[:place]))
                found.append(FinishedMatch(head, sitting.seat, None if place is None else above + 1, len(ranks), score))
    return found


def _history(played: list[FinishedMatch]) -> Html:
    if not played:
        return tag("p", "No match is over yet.", class_="empty")
    head = joined(tag("th", words, scope="col") for words in ("Match", "Seat", "Place", "Points", "Ended"))
    rows = joined(
        tag(
            "tr",
            tag("th", tag("a", name_of(one.head), href=f"/match/{quote(one.head.id)}"), scope="row"),
            tag("td", seat_title(one.seat)),
            tag("td", "no result" if one.place is None else f"{one.place} of {one.among}"),
            tag("td", "" if one.score is None else f"{one.score:.3g}"),
            tag("td", when(one.head.updated, day=True)),
        )
        for one in played
    )
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_="history")
    return wide(table, "Finished matches")


def _reliability(counts: Reliability) -> Html:
    if not counts.matches and not counts.turns:
        return tag("p", "Nothing can be said before a match of this player is over.", class_="empty")
    matches = counted(counts.matches, "match")
    lines = [
        f"Present in {_share(counts.present)} of {counts.turns} turns of {matches}; {counts.missed} missed.",
        f"Left {counted(counts.left, 'seat')} before the end.",
    ]
    if counts.faithful is not None:
        promises = counted(counts.kept + counts.broken, "promise")
        lines.append(f"Kept {_share(counts.faithful)} of {promises}; {counts.broken} broken.")
    if counts.turns < FEW:
        lines.append("These are few: they say little yet.")
    return tag("ul", joined(tag("li", line) for line in lines), class_="reliability")


def _share(share: float | None) -> str:
    return "none" if share is None else f"{share:.0%}"
