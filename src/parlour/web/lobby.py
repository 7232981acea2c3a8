"""The lobby: lists of matches by what somebody looks for, each with its terms in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from parlour.core.markup import Html, joined, tag
from parlour.games import declared, games
from parlour.net.opening import name_of
from parlour.net.sessions import Session
from parlour.net.setup import about_of
from parlour.store import Filter, RecordHead, RecordKind
from parlour.web.forms import checkbox, field, labelled, select
from parlour.web.listing import free_seats, match_list

LISTED = 40
"""Matches of each kind on the first page."""
OVER = 8
"""Number of finished matches on the first page until somebody asks for all of them."""
LONGEST_TEXT = 80
KINDS = {
    "open": ("Waiting for players", ("forming",)),
    "running": ("Running", ("running", "paused")),
    "over": ("Over", ("over",)),
}
"""Parts of the lobby: their titles, and the states of their matches."""
SPEEDS = {"live": "minutes a turn", "slow": "days a turn", "untimed": "no clock"}


class LobbyQuery(NamedTuple):
    """The filter of a visitor in the lobby."""

    game: str = ""
    kind: str = ""
    speed: str = ""
    free: bool = False
    text: str = ""

    @property
    def narrow(self) -> bool:
        """True if the query leaves out some matches."""
        return self != LobbyQuery()


class Found(NamedTuple):
    """Matches by part of the lobby."""

    looking: LobbyQuery
    lists: dict[str, list[RecordHead]]


def wanted(query: Mapping[str, str]) -> LobbyQuery:
    """Return the query of an address, without its invalid parts."""
    game, kind, speed = query.get("game", ""), query.get("show", ""), query.get("speed", "")
    return LobbyQuery(
        game if game in games() else "",
        kind if kind in KINDS else "",
        speed if speed in SPEEDS else "",
        "free" in query,
        query.get("text", "").strip()[:LONGEST_TEXT],
    )


async def found(session: Session, looking: LobbyQuery, own: Collection[str] = ()) -> Found:
    """Return the newest matches that fit a query. Matches of tournaments are on the tournaments' own pages.

    Args:
        session: The session that reads the lists.
        looking: The filter of the visitor.
        own: Ids of matches that the page shows already; they are left out if the query does not filter.
    """
    lists: dict[str, list[RecordHead]] = {}
    for kind, (_, status) in KINDS.items():
        if looking.kind in ("", kind):
            asked = Filter(kind=RecordKind.MATCH, game=looking.game, status=status, parent="")
            page = await session.page(asked, limit=LISTED)
            heads = page.heads if looking.narrow else [head for head in page.heads if head.id not in own]
            lists[kind] = [head for head in heads if _fits(head, looking)]
    return Found(looking, lists)


def section(found: Found) -> Html:
    """Return the lobby as HTML: a form to choose by, and the lists."""
    over = found.lists.get("over", [])
    cut = not found.looking.narrow and len(over) > OVER
    shown = {**found.lists, "over": over[:OVER]} if cut else found.lists
    lists = [match_list(KINDS[kind][0], heads) for kind, heads in shown.items() if heads]
    if cut:
        lists.append(tag("p", tag("a", "All finished matches", href="/?show=over"), class_="all"))
    if not lists and found.looking.narrow:
        lists = [tag("p", "No match here is like that. ", tag("a", "Show all", href="/"), class_="empty")]
    return joined((_form(found.looking), *lists))


def _fits(head: RecordHead, looking: LobbyQuery) -> bool:
    about = about_of(head)
    if looking.free and not free_seats(head, about):
        return False
    if looking.text and looking.text.casefold() not in f"{name_of(head)} {' '.join(head.players.values())}".casefold():
        return False
    if not looking.speed:
        return True
    speed = "untimed" if about.brief.startswith("no clock") else "slow" if " day" in about.brief else "live"
    return looking.speed == (speed if about.brief else "")


def _form(looking: LobbyQuery) -> Html:
    def choice(label: str, name: str, chosen: str, words: Mapping[str, str]) -> Html:
        return labelled(label, select(name, {"": "any", **words}, chosen))

    parts = (
        choice("Game", "game", looking.game, {name: declared(name).title for name in games()}),
        choice("State", "show", looking.kind, {kind: title for kind, (title, _) in KINDS.items()}),
        choice("Speed", "speed", looking.speed, SPEEDS),
        field("Title or player", "text", type="search", value=looking.text, maxlength=LONGEST_TEXT),
        checkbox("Free seats only", "free", checked=looking.free),
        tag("button", "Show"),
        tag("a", "All", href="/") if looking.narrow else None,
    )
    return tag("form", *parts, method="get", action="/", class_="filters", role="search", aria_label="Matches")


def welcome() -> Html:
    """Return the introduction for a first visit, with links to a new match and to the guide."""
    played = " and ".join(declared(name).title for name in games())
    words = tag("p", f"Programs, models and people play {played} here, under one referee.")
    ways = tag(
        "p",
        tag("a", "Open a match", href="/new", class_="button primary"),
        tag("a", "Learn in five steps", href="/learn", class_="button"),
        class_="line",
    )
    return tag("div", tag("div", tag("h1", "Watch, or take a seat"), words), ways, class_="welcome")


def commands(host: str) -> Html:
    """Return a list of shell commands to try, as HTML."""
    commands = (
        f"parlour play {games()[0]} --browser",
        f"parlour join ws://{host} --match ID --agent dumbbot",
        "parlour replay demo.jsonl --html demo.html",
    )
    items = joined(tag("li", tag("code", command)) for command in commands)
    return tag("section", tag("h2", "From a terminal"), tag("ul", items, class_="commands"), class_="start")
