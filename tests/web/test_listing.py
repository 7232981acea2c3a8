"""Lists on the first page: what a match is called there, and on its own page."""

from __future__ import annotations

import html
import re

import msgspec
import pytest

from parlour.core.game import Outcome
from parlour.net.opening import name_of
from parlour.store import RecordHead, RecordKind
from parlour.web.listing import OwnMatch, match_list, own_list, tournament_list
from parlour.web.lobby import Found, LobbyQuery, section
from support.web.server import WebServer

OPENED = 1_794_893_040.0


def head(name: str, title: str = "") -> RecordHead:
    return RecordHead(name, RecordKind.MATCH, "diplomacy", opened=OPENED, title=title, status="running")


@pytest.mark.parametrize(
    ("name", "title", "called"),
    [
        ("diplomacy-20261117-0123abcd", "Friday night", "Friday night"),
        ("friday", "", "friday"),
        ("diplomacy-20261117-0123abcd", "", "Diplomacy of 17 November 2026, 05:24 UTC"),
    ],
)
def test_a_match_is_called_by_its_title_its_given_name_or_its_day(name: str, title: str, called: str) -> None:
    assert name_of(head(name, title)) == called
    assert f"<b>{called}</b>" in str(match_list("Running", [head(name, title)]))


def test_a_match_that_is_over_waits_for_nobody() -> None:
    assert "nobody yet" in str(match_list("Running", [head("friday")]))
    over = msgspec.structs.replace(head("friday"), status="over")
    assert ">nobody<" in str(match_list("Over", [over]))


FIRST, SECOND = ("RUSSIA",), ("FRANCE", "ITALY")


@pytest.mark.parametrize(
    ("places", "reason", "words"),
    [
        ((FIRST, SECOND), "solo of RUSSIA with 18 centres", "Russia won"),
        ((FIRST, SECOND), "stopped after 1905, the last year", "Russia first"),
        ((FIRST, SECOND), "draw agreed by RUSSIA, FRANCE, ITALY", "a draw"),
        ((SECOND, FIRST), "nobody can move", "a draw of France and Italy"),
        ((), "cancelled", "over"),
    ],
)
def test_a_list_says_how_a_match_ended(places: tuple[tuple[str, ...], ...], reason: str, words: str) -> None:
    result = msgspec.json.encode(Outcome({}, places, reason))
    over = msgspec.structs.replace(head("friday"), status="over", phase="COMPLETED", result=result)
    assert f">Diplomacy, {words}<" in str(match_list("Over", [over]))


@pytest.mark.parametrize(("matches", "title"), [(2, "2 wait"), (3, "2 or more wait")])
def test_a_player_with_more_matches_than_are_looked_at_is_not_told_too_few(matches: int, title: str) -> None:
    own = [OwnMatch(head("friday"), at < 2, ("FRANCE",)) for at in range(matches)]
    assert f"Your matches: {title} for you" in str(own_list(own, 2))


@pytest.mark.parametrize(
    ("name", "called"),
    [("fish-20261118-122420-fdd01b", "Fish: ann, ben"), ("spring-cup", "spring-cup")],
)
def test_a_tournament_that_nobody_named_is_called_by_its_players(name: str, called: str) -> None:
    players = {"1": "ann", "2": "ben", "3": "ann"}
    held = RecordHead(name, RecordKind.TOURNAMENT, "fish", opened=OPENED, players=players, status="running")
    assert f"<b>{called}</b>" in str(tournament_list([held]))


def test_the_first_page_shows_a_few_finished_matches_and_the_way_to_all() -> None:
    over = [head(f"match {number}") for number in range(9)]
    page = str(section(Found(LobbyQuery(), {"over": over})))
    assert (page.count("match-card"), "/?show=over" in page) == (8, True)
    every = str(section(Found(LobbyQuery(kind="over"), {"over": over})))
    assert (every.count("match-card"), "/?show=over" in every) == (9, False)


def test_what_the_first_page_says_to_type_can_be_typed(server: WebServer) -> None:
    page = server.request("GET", "/").text
    lines = [html.unescape(line) for line in re.findall(r"<code>(parlour [^<]+)</code>", page)]
    assert len(lines) == 3
    for line in lines:
        if " join ws://" in line:
            assert " --match ID " in line, "without it there is nothing to join"


def test_a_match_that_nobody_named_is_told_from_one_that_somebody_did(server: WebServer) -> None:
    form = {"game": "fish", "seat": "red", "agent": "a person", "players": "2"}
    location = server.request("POST", "/new", form=form, token=server.sign_in("anna")).headers["location"]
    told = server.run(server.hall.head(location.removeprefix("/match/")))
    assert name_of(told).startswith("Fish of ")
    assert f"<title>{name_of(told)} · Parlour</title>" in server.request("GET", location).text
