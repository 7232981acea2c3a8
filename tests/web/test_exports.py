"""Downloads of a match: record, saved game, turns as text, a turn as a picture; each as the visitor may see it."""

from __future__ import annotations

import json

import pytest

from parlour.core.game import Seat
from parlour.core.intents import Act, Start
from parlour.core.terms import Terms, Vacancy
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.hall.people import session_of, submitted
from support.web.server import WebServer

FRANCE = Seat("FRANCE")


@pytest.fixture(scope="module")
def match(server: WebServer) -> str:
    """Return a match whose first turn is over: vacant seats hold, so that it ends with the orders of France."""
    setup = MatchSetup(game="diplomacy", terms=Terms(HOSTED, vacancy=Vacancy.DEFAULT))
    anna = session_of(server.hall, "anna")
    found = server.run(anna.open(setup))
    assert server.run(anna.join(found, FRANCE)).refusal is None
    for intent in (Start(""), Act(FRANCE, ["A PAR - BUR"])):
        assert server.run(submitted(anna, found, intent)).refusal is None
    return found


def test_a_match_is_taken_away_in_every_form(server: WebServer, match: str) -> None:
    path = f"/match/{match}/export"
    assert json.loads(server.request("GET", f"{path}/record").text.splitlines()[1])["event"] == "opened"
    saved = json.loads(server.request("GET", f"{path}/saved-game").text)
    assert saved["phases"][0]["orders"]["FRANCE"] == ["A PAR - BUR"]
    text = server.request("GET", f"{path}/text").text
    assert "France is played by anna." in text
    assert "France: A PAR - BUR" in text
    picture = server.request("GET", f"{path}/picture/1")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.startswith("<svg")


@pytest.mark.parametrize("turn", [0, 2, 99])
def test_a_turn_that_is_not_over_has_no_picture(server: WebServer, match: str, turn: int) -> None:
    answer = server.request("GET", f"/match/{match}/export/picture/{turn}")
    assert answer.status == 404
    assert "Unknown turn" in answer.text


@pytest.mark.parametrize("form", ["record", "saved-game", "text", "picture/1"])
def test_of_a_match_that_does_not_exist_nothing_is_taken_away(server: WebServer, form: str) -> None:
    assert server.request("GET", f"/match/nowhere/export/{form}").status == 404
