"""Lists of matches and tournaments as HTML, each with the way to its page."""

from __future__ import annotations

import time
from collections.abc import Iterable
from urllib.parse import quote

from parlour.games import declared, games
from parlour.net.opening import is_made_up
from parlour.store import RecordHead
from parlour.web.shell import Html, joined, tag


def name_of(head: RecordHead) -> str:
    """What people call a match or a tournament: its title, the name somebody gave it, or when it was opened."""
    if head.title or not is_made_up(head.id, head.game):
        return head.title or head.id
    opened = time.gmtime(head.opened)
    return f"{_title_of(head.game)} of {opened.tm_mday} {time.strftime('%B %Y, %H:%M', opened)} UTC"


def match_list(title: str, heads: Iterable[RecordHead]) -> Html:
    """A list of matches."""
    cards = joined(
        _card(head, f"/match/{head.id}", head.status, head.phase or head.status, sorted(set(head.players.values())))
        for head in heads
    )
    return tag("section", tag("h2", title), tag("ul", cards, class_="match-list"))


def tournament_list(heads: Iterable[RecordHead]) -> Html:
    """The tournaments that there are; nothing if there is none."""
    cards = joined(
        _card(head, f"/tournament/{quote(head.id, safe='')}", state, state, list(dict.fromkeys(head.players.values())))
        for head in heads
        for state in ["over" if head.result is not None else "running"]
    )
    return tag("section", tag("h2", "Tournaments"), tag("ul", cards, class_="match-list")) if cards else cards


def _card(head: RecordHead, where: str, state: str, stage: str, players: list[str]) -> Html:
    """What a list shows of a match or tournament, with the way there."""
    link = tag(
        "a",
        tag("b", name_of(head)),
        tag("span", f"{_title_of(head.game)}, {stage}", class_="where"),
        tag("span", ", ".join(players) or ("nobody" if state == "over" else "nobody yet"), class_="players"),
        href=where,
    )
    return tag("li", link, class_=f"match-card {state}")


def _title_of(game: str) -> str:
    """What people call a game; matches of one that is not installed any more are listed too."""
    return declared(game).title if game in games() else game
