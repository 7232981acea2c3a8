"""Positions that somebody posts: adjudicated, listed and drawn, of either game, or told what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games.fish import GAME
from support.waiting import inside

from .api import Api, run

PARIS = {"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}


def fish() -> Any:
    return GAME.start({"rows": 3, "cols": 4, "fish": 2}, GAME.seats({})[:2], 0).encode()


@inside(run)
async def test_diplomacy(api: Api) -> None:
    orders = {"orders": {"FRANCE": ["A PAR - BUR"]}}
    told = (await api.ask("POST", "/games/diplomacy/adjudicate", PARIS | orders)).json()
    assert told["units"]["FRANCE"] == ["A BUR"]
    assert told["results"]["FRANCE"] == {"A PAR - BUR": "succeeded"}
    listed = (await api.ask("POST", "/games/diplomacy/orders", PARIS)).json()
    assert "A PAR - BUR" in listed["orders"]["PAR"]
    for body in (PARIS, PARIS | orders):
        drawn = await api.ask("POST", "/games/diplomacy/draw", body, params={"theme": "dark", "width": 600})
        assert drawn.headers["content-type"].startswith("image/svg+xml")
        assert drawn.text.startswith("<svg")


@inside(run)
async def test_fish(api: Api) -> None:
    listed = (await api.ask("POST", "/games/fish/orders", {"position": fish()})).json()["orders"]
    ((seat, actions),) = listed.items()
    body = {"position": fish(), "orders": {seat: actions[0]}}
    told = (await api.ask("POST", "/games/fish/adjudicate", body)).json()
    assert told["position"] != fish()
    wrong = await api.ask("POST", "/games/fish/adjudicate", body | {"orders": {seat: [99, 99]}})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "illegal")
    drawn = await api.ask("POST", "/games/fish/draw", {"position": fish()})
    assert drawn.text.startswith("<svg")


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/games/chess/adjudicate", {}, "game 'chess' does not exist"),
        ("/games/diplomacy/adjudicate", {"phase": "S1901M"}, "units"),
        ("/games/diplomacy/draw?theme=pink", PARIS, "theme"),
        ("/games/diplomacy/draw?width=1", PARIS, "query: Expected `int` >= 100"),
        ("/games/fish/orders", {"position": 7}, "position"),
        ("/games/fish/orders", {"position": 7, "orders": 1}, "orders: expected an object"),
    ],
)
@inside(run)
async def test_what_is_wrong_is_told_in_one_line(api: Api, *, path: str, body: Any, detail: str) -> None:
    response = await api.ask("POST", path, body)
    assert response.status_code == 400
    assert detail in response.json()["detail"]


@inside(run)
async def test_the_games_of_the_house(api: Api) -> None:
    games = {game["game"]: game for game in (await api.get("/games"))["games"]}
    assert set(games) == {"diplomacy", "fish"}
    assert len(games["diplomacy"]["seats"]) == 7
    assert "greedy" in games["fish"]["agents"]
