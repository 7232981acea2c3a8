"""Lists of matches and tournaments as HTML, each entry with a link to its page."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from parlour.core.markup import Html, joined, tag
from parlour.net.opening import name_of, title_of
from parlour.net.setup import About, about_of
from parlour.store import RecordHead, RecordKind
from parlour.web.ratings import outcome_of

_PHASE = re.compile(r"([SFW])([0-9]{4})([MRA])")
_SEASONS = {"S": "Spring", "F": "Fall", "W": "Winter"}
_STAGES = {"M": "orders", "R": "retreats", "A": "builds"}
STATUS_WORDS = {"forming": "waiting for players"}


class OwnMatch(NamedTuple):
    """A match in which the visitor has a seat, and if it waits for the visitor."""

    head: RecordHead
    waits: bool
    seats: tuple[str, ...] = ()


def own_list(matches: Sequence[OwnMatch], looked_at: int) -> Html:
    """Return the matches of a player, with what waits for them and until when; nothing if there is none.

    Args:
        matches: The player's matches.
        looked_at: Maximum number of matches that were asked whether they wait.
    """
    if not matches:
        return Html("")
    count = sum(one.waits for one in matches)
    more = " or more" if len(matches) > looked_at and count == looked_at else ""
    title = f"Your matches: {count}{more} {'waits' if count == 1 else 'wait'} for you" if count else "Your matches"
    cards = joined(
        _card(one.head, f"/match/{one.head.id}", one.head.status, _stage(one.head), [], _waiting(one))
        for one in matches
    )
    return tag("section", tag("h2", title), tag("ul", cards, class_="match-list"), class_="own", data_waiting=count)


def _waiting(match: OwnMatch) -> Html:
    turn = tag("span", "your turn", class_="badge-turn") if match.waits else Html("")
    until = Html("") if match.head.due is None else joined((Html(" until "), when(match.head.due)))
    played = " and ".join(map(seat_title, match.seats))
    return joined(
        (tag("span", f"You play {played}", class_="players") if played else Html(""), tag("span", turn, until))
    )


def when(moment: float, *, day: bool = False) -> Html:
    """Return a time, or a day, that a script shows in the reader's own zone."""
    written = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    shown = written[:10] if day else written.replace("T", " ").replace("Z", " UTC")
    return tag("time", shown, datetime=written, data_local="day" if day else True)


def counted(count: int, noun: str) -> str:
    """Return a number of things in words: 1 match, 2 matches."""
    return f"{count} {noun}{'' if count == 1 else 'es' if noun.endswith('ch') else 's'}"


def wide(inside: Html, label: str = "Table") -> Html:
    """Return content that scrolls if it is wider than the page, also by keyboard."""
    return tag("div", inside, class_="wide", tabindex=0, role="group", aria_label=label)


def seat_title(seat: str) -> str:
    """Return a seat as people write it."""
    return seat.replace("_", " ").title()


def _stage(head: RecordHead) -> str:
    """Return how far a match is, for people: Winter 1901, builds."""
    if head.status == "over":
        return _end(head)
    found = _PHASE.fullmatch(head.phase)
    if found is None:
        return head.phase or STATUS_WORDS.get(head.status, head.status)
    return f"{_SEASONS[found[1]]} {found[2]}, {_STAGES[found[3]]}"


def _end(head: RecordHead) -> str:
    """Return how a match ended, in a few words."""
    outcome = outcome_of(head)
    if outcome is None or not outcome.winners:
        return "over"
    if outcome.reason.startswith("draw") or len(outcome.winners) > 2:
        return "a draw"
    names = " and ".join(map(seat_title, outcome.winners))
    if outcome.reason.startswith("stopped"):
        return f"{names} first"
    return f"{names} won" if len(outcome.winners) == 1 else f"a draw of {names}"


def match_list(title: str, heads: Iterable[RecordHead]) -> Html:
    """Return a list of matches, each with its terms, its free seats and the day on which it was opened."""
    cards = joined(
        _card(head, f"/match/{head.id}", head.status, _stage(head), sorted(set(head.players.values())), about_of(head))
        for head in heads
    )
    return tag("section", tag("h2", title), tag("ul", cards, class_="match-list"))


def free_seats(head: RecordHead, about: About) -> int:
    """Return the number of seats that somebody could take."""
    return 0 if head.result is not None or not about.seats else max(0, about.seats - len(head.players))


def _terms(head: RecordHead, about: About) -> Html:
    free = free_seats(head, about)
    parts = [
        f"{free} of {about.seats} seats free" if free else "",
        about.brief,
        "players not named" if about.admission.anonymous else "",
        "seats by lot" if about.admission.by_lot and free else "",
        "password" if head.password else "",
    ]
    said = ", ".join(part for part in parts if part)
    return tag("span", said + ("; opened " if said else "opened "), when(head.opened, day=True), class_="terms-line")


def _tournament_name(head: RecordHead) -> str:
    """Return the name of a tournament for people: its title, the name somebody gave it, or its game and players."""
    if head.title or not re.fullmatch(rf"{re.escape(head.game)}-\d{{8}}-\d{{6}}-[0-9a-f]{{6}}", head.id):
        return name_of(head)
    players = list(dict.fromkeys(head.players.values()))
    return f"{title_of(head.game)}: {', '.join(players[:4])}{' and others' if len(players) > 4 else ''}"


def tournament_list(heads: Iterable[RecordHead]) -> Html:
    """Return the tournaments as a list of cards; nothing if there is none."""
    cards = joined(
        _card(head, f"/tournament/{quote(head.id, safe='')}", state, state, list(dict.fromkeys(head.players.values())))
        for head in heads
        for state in ["over" if head.result is not None else "running"]
    )
    return tag("section", tag("h2", "Tournaments"), tag("ul", cards, class_="match-list")) if cards else cards


def _card(
    head: RecordHead, where: str, state: str, stage: str, players: list[str], about: Html | About | None = None
) -> Html:
    """Return an entry of a list: a match or tournament, with the way there."""
    link = tag(
        "a",
        tag("b", _tournament_name(head) if head.kind is RecordKind.TOURNAMENT else name_of(head)),
        tag("span", f"{title_of(head.game)}, {stage}", class_="where"),
        about if isinstance(about, Html) else tag("span", _named(players, state), class_="players"),
        _terms(head, about) if isinstance(about, About) else None,
        href=where,
    )
    return tag("li", link, class_=f"match-card {state}")


def _named(players: list[str], state: str) -> str:
    return ", ".join(players) or ("nobody" if state == "over" else "nobody yet")
