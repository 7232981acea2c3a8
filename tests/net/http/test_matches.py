"""The API's matches: opened, found, looked at, played and moderated, by whoever may."""

# Why real time passes here: a request that waits for news is known to wait when the server has it.

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from parlour.core import events as ev
from parlour.core.table_view import TableView
from parlour.core.viewers import SPECTATOR
from parlour.games import register
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation
from parlour.net.daide.places import Gate
from parlour.net.daide.reception import Reception
from parlour.net.fair_pool import Requester
from parlour.net.http.matches import EndedTurn, _picture_key
from parlour.referee.history import Past
from support.daide.table import Voice
from support.hall.halls import POWERS
from support.matches.third_game import DECLARATION
from support.waiting import inside

from .api import SECRET, Api, run


async def started(api: Api, **more: object) -> tuple[str, str]:
    """Return a match of England against France, with nobody on the other seats; the match and England's token."""
    token = await api.account("zoe")
    match = await api.match(token, agents={"FRANCE": "hold"}, playing_moderator=True, **more)
    assert (await api.ask("POST", f"/matches/{match}/seats", {"seat": "ENGLAND"}, token=token)).status_code == 201
    assert (await api.intend(match, token, "start", by="")).status_code == 200
    return match, token


async def events_until(api: Api, match: str, token: str, kind: str) -> list[str]:
    """Wait for an event of that kind; the kinds of all that one saw until then."""
    kinds: list[str] = []
    while kind not in kinds:
        answer = await api.get(f"/matches/{match}/events", token, since=len(kinds), wait=20)
        assert [event["k"] for event in answer["events"]] == list(range(len(kinds), answer["next"]))
        kinds += [event["event"]["event"] for event in answer["events"]]
    return kinds


@inside(run)
async def test_a_match_is_opened_and_played(api: Api) -> None:
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
    await events_until(api, match, token, "turn ended")
    phases = (await api.get(f"/matches/{match}/phases", token))["phases"]
    assert [phase["name"] for phase in phases] == ["S1901M", "F1901M"]
    assert phases[0]["actions"]["ENGLAND"] == ["F LON - NTH"]
    assert phases[1]["actions"] is None


@pytest.mark.parametrize("path", ["", "/events", "/phases", "/orders", "/record", "/saved-game", "/picture"])
@inside(run)
async def test_an_unknown_match_is_told_in_the_same_words_everywhere(api: Api, *, path: str) -> None:
    response = await api.ask("GET", f"/matches/none{path}")
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == {
        "status": 404,
        "title": "Not Found",
        "detail": "there is no match 'none' here",
        "code": "unknown match",
    }


@inside(run)
async def test_what_others_may_not_see_does_not_come_out(api: Api) -> None:
    press = {"press": {"mode": "any time", "level": 8000}}
    owner, adam, eve = await api.account("owner"), await api.account("adam"), await api.account("eve")
    match = await api.match(owner, terms=press, password="sesame")
    for token, seat in ((adam, "ENGLAND"), (eve, "FRANCE")):
        body = {"seat": seat, "password": "sesame"}
        assert (await api.ask("POST", f"/matches/{match}/seats", body, token=token)).status_code == 201
    await api.intend(match, owner, "start", by="")
    await api.intend(match, adam, "act", seat="ENGLAND", action=["F LON - NTH"])
    await api.intend(match, adam, "say", seat="ENGLAND", text="between us", to=["FRANCE"])
    await api.intend(match, adam, "vote", seat="ENGLAND", ballot="yes")
    secrets = ("F LON - NTH", "between us")
    for path in ("", "/events", "/phases", "/record", "/saved-game"):
        seen = {
            name: (await api.ask("GET", f"/matches/{match}{path}", token=token, params=query)).text
            for name, token, query in (
                ("nobody", "", {}),
                ("adam", adam, {}),
                ("eve", eve, {}),
                ("spectator", adam, {"as": "spectator"}),
                ("moderator", owner, {"as": "moderator"}),
            )
        }
        for secret in secrets:
            assert secret not in seen["nobody"], path
            assert secret not in seen["spectator"], path
        assert secrets[0] not in seen["eve"], path
        for text in seen.values():
            assert "sesame" not in text
            assert "argon2" not in text
            assert '"number"' not in text
        if path == "/events":
            assert all(secret in seen["adam"] and secret in seen["moderator"] for secret in secrets)
            assert secrets[1] in seen["eve"]
            assert '"ballot":"yes"' not in seen["eve"]
    listed = (await api.ask("GET", "/matches")).text
    assert '"locked":true' in listed
    assert "$" not in listed


@inside(run)
async def test_looking_as_somebody_else_is_for_those_who_may(api: Api) -> None:
    match, zoe = await started(api)
    adam = await api.account("adam")
    for name, told in (
        ("moderator", "only a moderator of the match may look at it as one"),
        ("omniscient", "only an omniscient of the match may look at it as one"),
        ("ENGLAND", "only whoever sits there may see what ENGLAND may see"),
    ):
        response = await api.ask("GET", f"/matches/{match}", token=adam, params={"as": name})
        assert (response.status_code, response.json()["detail"]) == (403, told)
    role = await api.ask("PUT", f"/matches/{match}/roles/adam", {"role": "omniscient"}, token=zoe)
    assert role.status_code == 204
    assert (await api.get(f"/matches/{match}", adam, **{"as": "omniscient"}))["you"]["omniscient"] is True
    bad = await api.ask("PUT", f"/matches/{match}/roles/adam", {"role": "king"}, token=zoe)
    assert bad.json()["detail"] == "role: expected moderator, omniscient or nothing, got 'king'"
    await api.ask("PUT", f"/matches/{match}/roles/adam", {"role": ""}, token=zoe)
    assert (await api.ask("GET", f"/matches/{match}", token=adam, params={"as": "omniscient"})).status_code == 403
    assert (await api.ask("PUT", f"/matches/{match}/roles/eve", {"role": ""}, token=adam)).status_code == 403


@inside(run)
async def test_intents_are_for_whoever_may_and_refusals_are_conflicts(api: Api) -> None:
    match, zoe = await started(api)
    adam = await api.account("adam")
    for intent, told in (
        ({"intent": "act", "seat": "ENGLAND", "action": []}, "only whoever sits on ENGLAND may act there"),
        ({"intent": "pause", "by": "zoe"}, "only a moderator of the match may pause"),
        ({"intent": "report", "seat": "ENGLAND", "kind": "late", "detail": ""}, "only the server itself may"),
    ):
        response = await api.ask("POST", f"/matches/{match}/intents", intent, token=adam)
        assert response.status_code == 403
        assert response.json()["detail"].startswith(told)
    assert (await api.intend(match, zoe, "pause", by="somebody else")).json()["events"][-1]["by"] == "zoe"
    again = await api.intend(match, zoe, "pause", by="")
    assert (again.status_code, again.headers["content-type"]) == (409, "application/problem+json")
    assert again.json()["code"] in ("no change", "not started", "bad value")
    unknown = await api.intend(match, zoe, "dance")
    assert unknown.status_code == 400
    taken = await api.ask("POST", f"/matches/{match}/seats", {"seat": "ENGLAND"}, token=adam)
    assert (taken.status_code, taken.json()["code"]) == (409, "seat taken")


@inside(run)
async def test_a_seat_behind_a_password(api: Api) -> None:
    zoe, adam = await api.account("zoe"), await api.account("adam")
    match = await api.match(zoe, password="sesame")
    for body in ({}, {"password": "open"}):
        response = await api.ask("POST", f"/matches/{match}/seats", body, token=adam)
        assert (response.status_code, response.json()["code"]) == (403, "wrong password")
    response = await api.ask("POST", f"/matches/{match}/seats", {"password": "sesame"}, token=adam)
    assert response.json()["seats"] == ["AUSTRIA"]


@inside(run)
async def test_matches_are_listed_and_filtered(api: Api) -> None:
    zoe, adam = await api.account("zoe"), await api.account("adam")
    names = [await api.match(zoe, match=f"d{number}") for number in range(3)]
    fish = await api.match(adam, game="fish", match="f0")
    await api.ask("POST", f"/matches/{names[1]}/seats", {"seat": "ITALY", "name": "Zoë"}, token=zoe)

    async def found(**query: Any) -> list[str]:
        return [match["match"] for match in (await api.get("/matches", **query))["matches"]]

    assert await found() == [fish, *names[::-1]]
    assert await found(oldest_first="true") == [*names, fish]
    assert await found(game="fish") == [fish]
    assert await found(owner="zoe") == names[::-1]
    assert await found(player="Zoë") == [names[1]]
    assert await found(account="zoe") == [names[1]]
    assert await found(status="running, paused") == []
    page = await api.get("/matches", limit=3)
    assert [match["match"] for match in (await api.get("/matches", after=page["more"]))["matches"]] == [names[0]]
    for number in (2**63, 10**400, -1):  # no store has such a row
        wrong = await api.ask("GET", f"/matches?after={number}")
        assert (wrong.status_code, wrong.json()["code"]) == (400, "bad value")
        assert "$.after" in wrong.json()["detail"]
    await api.intend(names[0], zoe, "cancel", by="", reason="bored")
    assert await found(unfinished="true") == [fish, *names[:0:-1]]
    over = next(match for match in (await api.get("/matches"))["matches"] if match["match"] == names[0])
    assert over["status"] == "over"
    assert over["outcome"]["reason"]
    twice = await api.ask("POST", "/matches", {"game": "fish", "match": "f0"}, token=zoe)
    assert (twice.status_code, twice.json()["detail"]) == (409, "there is a match 'f0' already")


@inside(run)
async def test_a_match_that_is_not_listed_is_found_by_those_who_have_to_do_with_it(api: Api) -> None:
    zoe, adam, eve, ann = [await api.account(name) for name in ("zoe", "adam", "eve", "ann")]
    await api.match(zoe, match="open")
    for number in range(3):
        await api.match(zoe, match=f"hidden{number}", listed=False)
    await api.ask("POST", "/matches/hidden1/seats", {"seat": "ITALY"}, token=adam)
    await api.ask("PUT", "/matches/hidden2/roles/ann", {"role": "omniscient"}, token=zoe)

    async def found(token: str, **query: Any) -> list[str]:
        return [match["match"] for match in (await api.get("/matches", token, **query))["matches"]]

    everything = ["hidden2", "hidden1", "hidden0", "open"]
    assert await found(zoe) == everything
    assert await found(await api.admin()) == everything
    assert await found(adam) == ["hidden1", "open"]
    assert await found(ann) == ["hidden2", "open"]
    assert await found(eve) == ["open"]
    assert await found("") == ["open"]
    assert await found(eve, limit=1) == ["open"]  # a page is filled, however much of it is hidden
    page = await api.get("/matches", adam, limit=1)
    assert [match["match"] for match in page["matches"]] == ["hidden1"]
    assert await found(adam, limit=1, after=page["more"]) == ["open"]
    assert (await api.get("/matches/hidden0"))["match"] == "hidden0"  # whoever knows its name may look


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"game": "chess"}, "game 'chess' does not exist"),
        ({"game": "fish", "config": {"rows": 0}}, "rows"),
        ({"game": "fish", "terms": {"conduct": "wild"}}, "conduct: expected one of strict"),
        ({"game": "fish", "terms": {"clock": {"per_turn": -1}}}, "per_turn: expected more than 0"),
        ({"game": "fish", "agents": {"red": "nobody"}}, "agent: fish has no 'nobody'"),
        ({"game": "fish", "match": "../x"}, "match: expected 1 to 80 letters"),
        ({"game": "fish", "seed": -1}, "body: Expected `int` >= 0"),
        ({}, "body: Object missing required field `game`"),
    ],
)
@inside(run)
async def test_a_match_that_cannot_be_is_told_in_one_line(api: Api, *, body: dict[str, object], detail: str) -> None:
    response = await api.ask("POST", "/matches", body, token=await api.account("zoe"))
    assert response.status_code == 400
    assert response.json()["detail"].startswith(detail)


def test_a_game_that_declares_neither_pictures_nor_a_form_for_others_says_so(tmp_path: Path) -> None:
    async def scenario(api: Api) -> None:
        zoe = await api.account("zoe")
        match = await api.match(zoe, game="heaps", agents={"north": "random", "east": "random"})
        await events_until(api, match, zoe, "ended")
        told = {path: await api.ask("GET", f"/matches/{match}/{path}") for path in ("picture", "saved-game")}
        assert [(answer.status_code, answer.json()["code"]) for answer in told.values()] == [(409, "no such form")] * 2
        assert told["picture"].json()["detail"] == "heaps has no pictures"

    take_back = register(DECLARATION)
    try:
        run(tmp_path, scenario)
    finally:
        take_back()


@inside(run)
async def test_before_the_start_there_is_nothing_to_draw_order_or_save(api: Api) -> None:
    match = await api.match(await api.account("zoe"))
    for path in ("orders", "picture", "saved-game"):
        response = await api.ask("GET", f"/matches/{match}/{path}")
        assert (response.status_code, response.json()["code"]) == (409, "not started")
    assert (await api.get(f"/matches/{match}"))["position"] is None
    assert await api.get(f"/matches/{match}/phases") == {"phases": []}


@inside(run)
async def test_a_game_that_nobody_else_saves_has_no_saved_form(api: Api) -> None:
    match = await api.match(await api.account("zoe"), game="fish")
    response = await api.ask("GET", f"/matches/{match}/saved-game")
    assert (response.status_code, response.json()["code"]) == (409, "no such form")


@inside(run)
async def test_a_saved_game_says_who_plays_what_and_how_far_it_has_come(api: Api) -> None:
    owner, bot = await api.account("owner"), await api.account("bot")
    match = await api.match(owner, terms={"clock": {"per_turn": 60}})
    for token, body in ((owner, {"seat": "FRANCE"}), (bot, {"seat": "ITALY", "player_type": "press_bot"})):
        assert (await api.ask("POST", f"/matches/{match}/seats", body, token=token)).status_code == 201
    await api.intend(match, owner, "start", by="")

    async def saved() -> Any:
        return await api.get(f"/matches/{match}/saved-game")

    found = await saved()
    assert (found["status"], found["deadline"]) == ("active", 60)
    assert {name: who for name, who in found["controllers"].items() if who != "dummy"} == {
        "FRANCE": "owner",
        "ITALY": "bot",
    }
    assert found["player_types"] == dict.fromkeys(found["controllers"], "human") | {"ITALY": "press_bot"}
    await api.intend(match, bot, "leave", seat="ITALY")
    assert (await saved())["controllers"]["ITALY"] == "dummy"
    for intent, status in (("pause", "paused"), ("resume", "active"), ("cancel", "canceled")):
        await api.intend(match, owner, intent, by="")
        assert (await saved())["status"] == status
    assert (await saved())["outcome"] == []


@inside(run)
async def test_who_writes_to_a_daide_bot_what_it_cannot_read_finds_it_in_the_notes(api: Api) -> None:
    token = await api.account("ann")
    match = await api.match(token, terms={"press": {"mode": "any time", "level": 8000}})
    await api.ask("POST", f"/matches/{match}/seats", {"seat": "FRANCE"}, token=token)
    reception = Reception(api.service.hall)
    await reception.open()
    bot = Voice(reception, Gate())
    await bot.sit(f"ENG:bot@{match}")
    assert (await api.intend(match, token, "start", by="")).status_code == 200
    said = {"seat": "FRANCE", "to": ["ENGLAND"]}
    answer = await api.intend(match, token, "say", text="shall we be friends?", **said)
    (note,) = answer.json()["notes"]
    assert note.startswith("ENGLAND is played by a DAIDE bot")
    answer = await api.intend(match, token, "say", text="PRP ( PCE ( ENG FRA ) )", **said)
    assert answer.json()["notes"] == []
    await bot.guest.leave()


@inside(run)
async def test_what_may_be_ordered_is_listed_for_the_seats_that_one_looks_as(api: Api) -> None:
    match, zoe = await started(api, seats_each=None)
    await api.ask("POST", f"/matches/{match}/seats", {"seat": "ITALY"}, token=zoe)

    async def listed(token: str, wanted: str) -> list[str]:
        return list((await api.get(f"/matches/{match}/orders", token, **{"as": wanted}))["orders"])

    everybody = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"]
    assert await listed(zoe, "") == ["ENGLAND", "ITALY"]
    assert await listed(zoe, " ITALY ,") == ["ITALY"]
    assert await listed(zoe, "spectator") == await listed("", "") == await listed(zoe, "moderator") == everybody


@inside(run)
async def test_events_come_in_pieces_and_waiting_for_one_ends_when_the_time_is_up(api: Api) -> None:
    zoe = await api.account("zoe")
    match = await api.match(zoe, seats_each=None)
    for number, seat in enumerate(("FRANCE", "ITALY", "TURKEY")):
        await api.ask("POST", f"/matches/{match}/seats", {"seat": seat, "name": f"p{number}"}, token=zoe)
    everything = await api.get(f"/matches/{match}/events", zoe)
    some = await api.get(f"/matches/{match}/events", zoe, since=1, limit=2)
    assert some == {"events": everything["events"][1:3], "next": 3}
    last = everything["next"]
    assert await api.get(f"/matches/{match}/events", zoe, since=last) == {"events": [], "next": last}
    waited = await api.get(f"/matches/{match}/events", zoe, since=last, wait=0.01)
    assert waited == {"events": [], "next": last}
    for wait in (0, 0.01):
        beyond = {"since": last + 50, "wait": wait}
        response = await api.ask("GET", f"/matches/{match}/events", token=zoe, params=beyond)
        assert (response.status_code, response.json()["code"]) == (409, "begin anew")
    hosted = await api.service.hall.wake(match)
    assert hosted.watchers == 0, "whoever waited does not watch any more"


@inside(run)
async def test_every_phase_begins_where_the_one_before_it_and_the_moderators_left_it(api: Api) -> None:
    match, zoe = await started(api)
    await api.intend(match, zoe, "act", seat="ENGLAND", action=["F LON - NTH"])
    await events_until(api, match, zoe, "turn ended")
    await api.intend(match, zoe, "remove", by="", seat="ITALY", reason="gone")
    first, second = (await api.get(f"/matches/{match}/phases", zoe))["phases"]
    assert (first["turn"], first["name"], first["stage"], second["turn"]) == (1, "S1901M", "orders", 2)
    assert first["position"].startswith("standard S1901M")
    assert second["position"].startswith("standard F1901M")
    assert first["happened"] is not None
    assert second["happened"] is None
    state = await api.get(f"/matches/{match}", zoe)
    assert state["seats"]["ITALY"]["removed"] is True


@inside(run)
async def test_the_last_turn_is_drawn_and_the_record_is_a_file_with_the_name_of_the_match(api: Api) -> None:
    match, zoe = await started(api, match="friday")
    assert (await api.ask("GET", f"/matches/{match}/picture")).status_code == 409
    await api.intend(match, zoe, "act", seat="ENGLAND", action=["F LON - NTH"])
    await events_until(api, match, zoe, "turn ended")
    drawn = await api.ask("GET", f"/matches/{match}/picture")
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/svg+xml")
    assert drawn.text.startswith("<svg")
    taken = await api.ask("GET", f"/matches/{match}/record")
    assert taken.headers["content-disposition"] == 'attachment; filename="friday.jsonl"'
    assert taken.headers["content-type"] == "application/jsonl"


@inside(run)
async def test_a_match_may_have_a_name_in_any_language(api: Api) -> None:
    match = await api.match(await api.account("zoe"), match="Käthes Spiel #2, 東京")
    path = f"/matches/{quote(match, safe='')}"
    assert (await api.get(path))["match"] == match
    taken = await api.ask("GET", f"{path}/record")
    assert taken.headers["content-disposition"] == (
        'attachment; filename="K_thes Spiel #2, __.jsonl"; '
        "filename*=UTF-8''K%C3%A4thes%20Spiel%20%232%2C%20%E6%9D%B1%E4%BA%AC.jsonl"
    )


@inside(run)
async def test_an_agent_takes_a_vacant_seat_and_no_other(api: Api) -> None:
    match, zoe = await started(api)
    adam = await api.account("adam")
    seated = await api.ask("PUT", f"/matches/{match}/seats/ITALY/agent", {"agent": "hold"}, token=zoe)
    assert seated.status_code == 200
    assert [event["event"] for event in seated.json()["events"]] == ["joined"]
    taken = await api.ask("PUT", f"/matches/{match}/seats/ENGLAND/agent", {"agent": "hold"}, token=zoe)
    assert (taken.status_code, taken.json()["code"]) == (409, "seat taken")
    forbidden = await api.ask("PUT", f"/matches/{match}/seats/RUSSIA/agent", {"agent": "hold"}, token=adam)
    assert forbidden.status_code == 403


@inside(run)
async def test_whoever_waits_for_news_and_is_signed_out_meanwhile_hears_what_a_stranger_hears(api: Api) -> None:
    owner, ann = await api.account("owner"), await api.account("ann")
    terms = {"vacancy": "awaited", "seats_to_start": 1, "wait_flags_up": True, "press": {"mode": "any time"}}
    match = await api.match(owner, terms=terms)
    await api.ask("POST", f"/matches/{match}/seats", {"seat": "FRANCE"}, token=ann)
    since = (await api.get(f"/matches/{match}/events", ann))["next"]
    waiting = asyncio.ensure_future(api.get(f"/matches/{match}/events", ann, since=since, wait=20))
    hosted = await api.service.hall.wake(match)
    while not hosted.watchers:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    other = await api.service.accounts.sign_in("ann", SECRET)
    assert (await api.ask("DELETE", "/tokens/mine", token=ann)).status_code == 204
    said = await api.intend(match, other, "say", seat="FRANCE", text="a secret", to=["ITALY"])
    assert said.status_code == 200, said.text
    assert (await api.intend(match, other, "set wait", seat="FRANCE", wait=False)).status_code == 200
    assert "a secret" not in str(await waiting)


@inside(run)
async def test_a_player_does_not_get_the_seat_that_an_opponent_left_unless_the_match_allows_it(api: Api) -> None:
    owner, ann, bob = [await api.account(name) for name in ("owner", "ann", "bob")]
    for each, expected in ((1, 429), (None, 201)):
        match = await api.match(owner, **({} if each else {"seats_each": None}))
        for token, seat in ((ann, "FRANCE"), (bob, "ITALY")):
            taken = await api.ask("POST", f"/matches/{match}/seats", {"seat": seat}, token=token)
            assert taken.status_code == 201
        assert (await api.intend(match, bob, "leave", seat="ITALY")).status_code == 200
        taken = await api.ask("POST", f"/matches/{match}/seats", {"seat": "ITALY"}, token=ann)
        assert taken.status_code == expected, taken.text


LOOKS = ("", "/events", "/events?wait=1", "/phases", "/orders", "/record", "/saved-game", "/picture")


@inside(run)
async def test_a_watcher_of_a_guarded_match_gives_its_password_in_a_header(api: Api) -> None:
    match, player = await started(api, password="sésame", guarded=True)
    said = {"Match-Password": "sésame".encode()}
    watcher, other = await api.account("watcher"), await api.account("other")
    for look in LOOKS:
        path = f"/matches/{match}{look}"
        assert (await api.ask("GET", path, token=player)).status_code in (200, 409)
        for token in ("", watcher):
            assert (await api.ask("GET", path, token=token)).json()["code"] == "not allowed", path
        assert (await api.ask("GET", path, headers=said)).json()["code"] == "not signed in", path
        asked = await api.ask("GET", path, token=other, headers={"Match-Password": ""})
        assert asked.json()["code"] == "wrong password", path
    wrong = await api.ask("GET", f"/matches/{match}", token=watcher, headers={"Match-Password": "sesame"})
    assert wrong.json()["code"] == "wrong password"
    state = await api.ask("GET", f"/matches/{match}", token=watcher, headers=said)
    assert state.json()["you"] == {"seats": [], "moderator": False, "omniscient": False}
    for look in LOOKS:  # once is enough, and only for who said it
        assert (await api.ask("GET", f"/matches/{match}{look}", token=watcher)).status_code in (200, 409)
        assert (await api.ask("GET", f"/matches/{match}{look}", token=other)).status_code == 403


@inside(run)
async def test_a_password_that_nobody_asks_for_does_no_harm(api: Api) -> None:
    match, player = await started(api, password="sesame")
    for token in ("", player):
        answer = await api.ask("GET", f"/matches/{match}", token=token, headers={"Match-Password": "else"})
        assert answer.status_code == 200


def test_a_picture_is_kept_for_those_who_see_the_same_orders() -> None:
    """An eliminated power and a spectator see the same empty board in fog, but only one of them its last orders."""
    position = Position.start().under((Variation.FOG,)).view(SPECTATOR)
    events = [ev.TurnEnded(1.0, 1, actions, {"fog": True}) for actions in ({}, {"FRANCE": ["A PAR - BUR"]})]
    blind, own = (EndedTurn(event, position) for event in events)
    assert _picture_key("m", blind) == _picture_key("m", blind)
    assert _picture_key("m", blind) != _picture_key("m", own)


@inside(run)
async def test_whole_records_are_read_in_turn_so_that_a_flood_of_one_address_delays_nobody_else(api: Api) -> None:
    match, token = await started(api)
    places = api.service.hall.whole_reads
    flood = Requester("192.0.2.1")
    waiting = [asyncio.ensure_future(places.enter(flood)) for _ in range(50)]
    await asyncio.sleep(0)
    assert (await api.ask("GET", f"/matches/{match}/phases", token=token)).status_code == 200
    assert (await api.ask("GET", f"/matches/{match}/saved-game", token=token)).status_code == 200
    assert sum(one.done() for one in waiting) == 1  # the flood has one place and leaves the other
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


@pytest.mark.parametrize("path", ["picture", "saved-game", "phases"])
@inside(run)
async def test_whole_records_wait_for_a_place(api: Api, *, path: str) -> None:
    match, _ = await started(api)
    places = api.service.hall.whole_reads
    for network in ("192.0.2.1", "192.0.2.2"):
        await places.enter(Requester(network))
    places.patience = 0.0
    assert (await api.ask("GET", f"/matches/{match}/{path}")).status_code == 503


@pytest.mark.parametrize("path", ["picture", "saved-game", "phases"])
def test_a_record_is_gone_through_off_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    threads, view = set[int](), Past.view

    def noted(past: Past, *arguments: Any) -> TableView:
        threads.add(threading.get_ident())
        return view(past, *arguments)

    async def scenario(api: Api) -> None:
        zoe = await api.account("zoe")
        agents = dict.fromkeys(POWERS, "hold")
        match = await api.match(zoe, agents=agents, config={"last_year": 1901})
        await events_until(api, match, zoe, "ended")
        monkeypatch.setattr(Past, "view", noted)
        assert (await api.ask("GET", f"/matches/{match}/{path}")).status_code == 200
        assert threads
        assert threading.get_ident() not in threads

    run(tmp_path, scenario)
