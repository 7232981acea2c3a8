"""The sandbox of games in which one acts after another: any position, what is legal, what follows, in a browser too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from parlour.errors import ParlourError
from parlour.games import load_game
from parlour.web import assets
from parlour.web.trials import TrialQuestion, answer, tried
from support.web.browser import needs_chromium, tab
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FISH = load_game("fish")
SET_UP = {
    "board": [[1, 2, 3], [1, 0, 2], [5, 4, 1]],
    "players": [
        {"color": "white", "score": 0, "places": [[0, 0]]},
        {"color": "red", "score": 7, "places": [[2, 2]]},
    ],
}


def asked(server: WebServer, question: Any, game: str = "fish", **headers: str) -> tuple[int, Any]:
    sent = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    reply = server.send("POST", f"/sandbox/{game}", json.dumps(question), sent)
    return reply.status, json.loads(reply.body)


@pytest.mark.parametrize("body", ['{"position": "\xff"}', '{"x": ' + "[" * 10_000], ids=["no UTF-8", "too deep"])
def test_what_is_no_question_is_refused_with_a_sentence(server: WebServer, body: str) -> None:
    assert server.send("POST", "/sandbox/fish", body, {"content-type": "application/json"}).status == 400


def test_only_games_in_which_one_acts_after_another_are_tried() -> None:
    assert tried() == ("fish",)


def test_a_position_says_what_is_legal_and_what_follows() -> None:
    found = answer(FISH, TrialQuestion(position=SET_UP))
    assert list(found["choices"]) == ["white"]
    assert found["sheet"] == assets.sheet_address("fish", "3x3")
    assert "after" not in found
    legal = found["choices"]["white"]
    assert [[0, 0], [1, 0]] in legal
    moved = answer(FISH, TrialQuestion(position=SET_UP, act=True, action=[[0, 0], [1, 0]]))
    assert moved["turn"].results[0].text == "0,0 to 1,0, 1 fish"
    assert moved["after"]["board"][0][0] == 0  # the tile has melted
    assert {player["color"]: player["score"] for player in moved["after"]["players"]} == {"white": 1, "red": 7}
    passed = answer(FISH, TrialQuestion(position=SET_UP, act=True))
    assert passed["turn"].results[0].text == "passes"
    with pytest.raises(ParlourError, match="can not reach"):
        answer(FISH, TrialQuestion(position=SET_UP, act=True, action=[[0, 0], [0, 2]]))


def test_a_new_board_comes_from_its_seed() -> None:
    first, again, other = (
        answer(FISH, TrialQuestion(config={"rows": 5, "cols": 4, "players": 3}, seed=seed))["position"]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len(first["players"]) == 3
    assert [len(row) for row in first["board"]] == [4] * 5


def test_what_cannot_be_is_refused_with_a_reason(server: WebServer) -> None:
    assert asked(server, {"position": SET_UP})[0] == 200
    wrong: list[Any] = [{"position": {"board": []}}, {"config": {"rows": 99}}, {"act": "yes"}, []]
    for question in wrong:
        status, found = asked(server, question)
        assert status == 400
        assert found["reason"]
    assert asked(server, {}, game="diplomacy")[0] == 404
    assert server.request("GET", "/sandbox?game=chess").status == 404
    assert server.request("GET", "/sandbox?game=fish").status == 200


@needs_chromium
def test_somebody_tries_fish(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server).go(f"{server.url}/sandbox?game=fish")
    here.page.fill(".fen", json.dumps(SET_UP))
    here.page.press(".fen", "Enter")
    here.until(lambda: here.heading() == "white moves")
    here.learn_sheet(assets.sheet_address("fish", "3x3"))
    assert here.page.locator(".move-form option").count() == len(FISH.decode(SET_UP).legal("white"))  # type: ignore[arg-type]
    here.click("0,0")
    here.click("1,0")
    here.until(lambda: here.heading() == "red moves")
    assert here.page.locator(".moves li").all_inner_texts() == ["white 0,0 to 1,0, 1 fish"]
    here.page.click("text=Back")
    here.until(lambda: here.heading() == "white moves")
    here.page.click("text=Set up the board")
    here.page.select_option("[aria-label='What a click puts there']", "brown")
    here.click("2,0")
    here.until(lambda: here.page.locator(".penguin").count() == 3)
    here.page.click("text=Let the next one move")
    here.until(lambda: here.heading() == "red moves")
    here.page.fill(".fen", "{}")
    here.page.press(".fen", "Enter")
    here.until(lambda: here.page.locator(".refused").inner_text())
    here.page.reload()  # what was set up is still there
    here.until(lambda: here.heading() == "red moves")
    assert here.problems == [one for one in here.problems if "400" in one]  # the browser logs what was refused
