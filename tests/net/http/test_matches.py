"""The API's matches: opened, found, looked at, played and moderated, by whoever may."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from .api import Api, Scenario, serving


def run(path: Path, scenario: Scenario) -> None:
    async def main() -> None:
        async with serving(path / "kept.db") as api:
            await scenario(api)

    asyncio.run(main())


async def started(api: Api, **more: object) -> tuple[str, str]:
    """A match of England against France, with nobody on the other seats; the match and England's token."""
    token = await api.account("zoe")
    match = await api.match(token, agents={"FRANCE": "hold"}, **more)
    assert (await api.ask("POST", f"/matches/{match}/seats", {"seat": "ENGLAND"}, token=token)).status_code == 201
    assert (await api.intend(match, token, "start", by="")).status_code == 200
    return match, token


async def until(api: Api, match: str, token: str, kind: str) -> list[str]:
    """Wait for an event of that kind; the kinds of all that one saw until then."""
    kinds: list[str] = []
    while kind not in kinds:
        answer = await api.get(f"/matches/{match}/events", token, since=len(kinds), wait=20)
        assert [event["k"] for event in answer["events"]] == list(range(len(kinds), answer["next"]))
        kinds += [event["event"]["event"] for event in answer["events"]]
    return kinds


def test_a_match_is_opened_and_played(tmp_path: Path) -> None:
    async def scenario(api: Api) -> None:
        match, token = await started(api, title="A long evening")
        state = await api.get(f"/matches/{match}", token)
        assert (state["status"], state["phase"], state["title"]) == ("running", "S1901M", "A long evening")
        assert state["you"] == {"seats": ["ENGLAND"], "moderator": True, "omniscient": False}
        assert state["seats"]["ENGLAND"]["name"] == "zoe"
        assert state["position"].startswith("standard S1901M")
        orders = await api.get(f"/matches/{match}/orders", token)
        assert list(orders["orders"]) == ["ENGLAND"]
        assert "F LON - NTH" in orders["orders"]["ENGLAND"]
        answer = await api.intend(match, token, "act", seat="ENGLAND", action=["F LON - NTH"])
        assert answer.status_code == 200
        assert answer.json()["events"][0]["action"] == ["F LON - NTH"]
        await until(api, match, token, "turn ended")
        phases = (await api.get(f"/matches/{match}/phases", token))["phases"]
        assert [phase["name"] for phase in phases] == ["S1901M", "F1901M"]
        assert phases[0]["actions"]["ENGLAND"] == ["F LON - NTH"]
        assert phases[1]["actions"] is None

    run(tmp_path, scenario)


@pytest.mark.parametrize("path", ["", "/events", "/phases", "/orders", "/record", "/saved-game", "/picture"])
def test_an_unknown_match_is_told_in_the_same_words_everywhere(tmp_path: Path, path: str) -> None:
    async def scenario(api: Api) -> None:
        response = await api.ask("GET", f"/matches/none{path}")
        assert response.status_code == 404
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json() == {
            "status": 404,
            "title": "Not Found",
            "detail": "there is no match 'none' here",
            "code": "unknown match",
        }

    run(tmp_path, scenario)
