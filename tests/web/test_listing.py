"""Lists on the first page: what a match is called there, and on its own page."""

from __future__ import annotations

import html
import re

import msgspec
import pytest

from parlour.store import RecordHead, RecordKind
from parlour.web.listing import match_list, name_of
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
