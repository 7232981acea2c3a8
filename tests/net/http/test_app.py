"""Checks before every operation: the caller, the address, size and rate; and the document of all operations."""

from __future__ import annotations

import json
import logging
import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from parlour.errors import StoreError
from parlour.net.http.app import OPERATIONS, PREFIX, SMALL, make_app
from parlour.net.http.problems import STATUS
from parlour.net.logs import JsonLines
from parlour.net.permission_errors import DenialCode
from support.http.asking import problem, run
from support.waiting import inside

from .api import SECRET, Api


def test_every_denial_has_a_status() -> None:
    assert set(STATUS) == set(DenialCode)


# The log


def test_the_log_of_a_request_has_its_match_account_and_id(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parlour.http")

    async def scenario(api: Api) -> None:
        zoe = await api.account("zoe")
        body = {"game": "fish", "match": "pond"}
        named = {"X-Request-ID": "lab-7", "Authorization": f"Bearer {zoe}"}
        answer = await api.ask("POST", "/matches", body, headers=named)
        assert (answer.status_code, answer.headers["x-request-id"]) == (201, "lab-7")
        answer = await api.ask("GET", "/matches/pond", headers={"X-Request-ID": "two\twords" * 20})
        given = answer.headers["x-request-id"]
        assert re.fullmatch("[0-9a-f]{16}", given)
        missing = await api.ask("GET", "/matches/none")
        lines = [json.loads(JsonLines().format(record)) for record in caplog.records if record.name == "parlour.http"]
        found = [(line["match"], line["account"], line["request_id"]) for line in lines[-3:]]
        assert found == [("", "zoe", "lab-7"), ("pond", "", given), ("none", "", missing.headers["x-request-id"])]

    run(tmp_path, scenario)


# Who asks


@inside(run)
async def test_tokens_and_roles(api: Api) -> None:
    zoe = await api.account("zoe")
    assert await api.get("/accounts/me", zoe) == {
        "account": "zoe",
        "admin": False,
        "expires": 1_000_000 + 30 * 86_400,
    }
    bad = (401, "bad token", "the token is unknown, expired or revoked: sign in again")
    assert await problem(api, "GET", "/accounts/me") == (401, "not signed in", "to do that, sign in first")
    assert await problem(api, "GET", "/accounts/me", token="made-up") == bad
    assert await problem(api, "GET", "/matches", token="made-up") == bad
    basic = {"Authorization": "Basic x"}
    assert (await problem(api, "GET", "/matches", headers=basic))[:2] == (401, "bad token")
    forbidden = (403, "not allowed", "only the administrator may do that")
    assert await problem(api, "POST", "/invitations", token=zoe) == forbidden
    admin = await api.admin()
    assert (await api.get("/accounts/me", admin))["admin"] is True
    assert (await api.ask("PUT", "/accounts/zoe/lock", {"locked": True}, token=admin)).status_code == 204
    assert await problem(api, "GET", "/accounts/me", token=zoe) == bad
    signing = {"name": "zoe", "password": SECRET}
    assert (await problem(api, "POST", "/tokens", signing))[0] == 403
    await api.ask("PUT", "/accounts/zoe/lock", {"locked": False}, token=admin)
    token = (await api.ask("POST", "/tokens", signing)).json()["token"]
    assert (await api.ask("DELETE", "/tokens/mine", token=token)).status_code == 204
    assert await problem(api, "GET", "/accounts/me", token=token) == bad
    api.clock.advance(31 * 86_400)
    assert await problem(api, "GET", "/accounts/me", token=admin) == bad


@inside(run)
async def test_passwords_are_changed_and_reset(api: Api) -> None:
    zoe, admin = await api.account("zoe"), await api.admin()
    wrong = await problem(api, "PUT", "/accounts/me/password", {"old": "no", "new": "battery staple"}, token=zoe)
    assert wrong == (403, "wrong password", "the old password is wrong")
    changed = await api.ask("PUT", "/accounts/me/password", {"old": SECRET, "new": "battery staple"}, token=zoe)
    assert changed.status_code == 204
    once = (await api.ask("POST", "/accounts/zoe/password", token=admin)).json()["password"]
    assert (await api.ask("POST", "/tokens", {"name": "zoe", "password": once})).status_code == 201
    again = await problem(api, "POST", "/tokens", {"name": "zoe", "password": once})
    assert again == (403, "wrong password", "the name or the password is wrong")


# From where


@inside(run, origins=("https://friend.example",))
async def test_pages_of_others_may_look_but_not_act(api: Api) -> None:
    body = {"name": "zoe", "password": SECRET}
    foreign = {"Origin": "https://evil.example"}
    told = (403, "bad origin", "pages of that origin may not use this server")
    assert await problem(api, "POST", "/accounts", body, headers=foreign) == told
    assert (await api.ask("GET", "/matches", headers=foreign)).status_code == 200
    own = {"Origin": "http://parlour.test"}
    assert (await api.ask("POST", "/accounts", body, headers=own)).status_code == 201
    trusted = {"Origin": "https://friend.example"}
    answer = await api.ask("POST", "/tokens", body, headers=trusted)
    assert answer.status_code == 201
    assert answer.headers["access-control-allow-origin"] == "https://friend.example"


def test_where_the_operator_trusts_nobody_no_page_of_others_is_let_in(tmp_path: Path) -> None:
    async def scenario(api: Api) -> None:
        foreign = {"Origin": "https://friend.example"}
        looked = await api.ask("GET", "/matches", headers=foreign)
        assert "access-control-allow-origin" not in looked.headers
        preflight = {**foreign, "Access-Control-Request-Method": "POST"}
        assert (await api.client.options(f"{PREFIX}/matches", headers=preflight)).status_code == 405

    async def trusting(api: Api) -> None:
        asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"}
        for origin, status in (("https://friend.example", 200), ("https://evil.example", 400)):
            told = await api.client.options(f"{PREFIX}/matches", headers={"Origin": origin, **asked})
            assert told.status_code == status

    run(tmp_path, scenario)
    run(tmp_path, trusting, origins=("https://friend.example",))


# How much and how often


@inside(run, max_body=2000)
async def test_bodies_are_bounded(api: Api) -> None:
    large = (413, "too large", "the body is too large: at most 2,000 bytes")
    assert await problem(api, "POST", "/tokens", {"name": "x" * 2000, "password": ""}) == large

    async def pieces() -> Any:
        for _ in range(3):
            yield b"x" * 1000

    response = await api.client.post(f"{PREFIX}/tokens", content=pieces())
    assert response.status_code == 413
    deep: Any = []
    for _ in range(40):
        deep = [deep]
    told = await problem(api, "POST", "/games/diplomacy/adjudicate", {"orders": deep})
    assert told == (400, "bad value", "body: nested too deeply: at most 32 levels")
    nested = await api.client.post(f"{PREFIX}/tokens", content=b"[" * 1990)
    assert nested.status_code == 400


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"", "body: not JSON: Input data was truncated"),
        (b"{", "body: not JSON: Input data was truncated"),
        (b"\xff", "body: not JSON: "),
        (b"[]", "body: Expected `object`, got `array`"),
        (b'{"name":"a"}', "body: Object missing required field `password`"),
        (b'{"name":1,"password":"a"}', "body: Expected `str`, got `int` - at `$.name`"),
    ],
)
@inside(run)
async def test_a_malformed_body_is_told_in_one_line(api: Api, *, content: bytes, detail: str) -> None:
    response = await api.client.post(f"{PREFIX}/tokens", content=content)
    assert response.status_code == 400
    assert response.json()["detail"].startswith(detail)


@inside(run)
async def test_a_malformed_query_is_told_in_one_line(api: Api) -> None:
    unknown = await problem(api, "GET", "/matches", params={"colour": "red"})
    assert unknown[2].startswith("query: expected one of game, status, owner")
    low = await problem(api, "GET", "/matches", params={"limit": "0"})
    assert low == (400, "bad value", "query: Expected `int` >= 1 - at `$.limit`")


@inside(run, requests_per_second=1.0, requests_at_once=3)
async def test_requests_are_limited_by_account_and_by_address(api: Api) -> None:
    zoe = await api.account("zoe")
    for _ in range(2):
        await api.get("/health")
    response = await api.ask("GET", "/health")
    assert (response.status_code, response.headers["retry-after"]) == (429, "2")
    assert response.json()["detail"] == "too many requests: try again in 1.0 s"
    assert (await problem(api, "GET", "/health", token="made-up"))[0] == 429
    for _ in range(3):
        await api.get("/health", zoe)
    assert (await problem(api, "GET", "/health", token=zoe))[:2] == (429, "too often")
    api.clock.advance(1)
    await api.get("/health")


@inside(run, requests_per_second=1.0, requests_at_once=10)
async def test_a_large_body_counts_as_several_requests(api: Api) -> None:
    bodies = (b"x" * size for size in (8 * SMALL, 1, 1))
    answers = [await api.client.post(f"{PREFIX}/games/fish/orders", content=body) for body in bodies]
    assert [answer.status_code for answer in answers] == [400, 400, 429]


@inside(run, requests_per_second=1.0, requests_at_once=10)
async def test_a_drawing_counts_as_several_requests(api: Api) -> None:
    paris = {"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}
    answers = [await api.client.post(f"{PREFIX}/games/diplomacy/draw", json=paris) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]


@inside(run, requests_per_second=1.0, requests_at_once=2)
async def test_a_token_counts_for_the_network_that_uses_it_also_after_a_restart(api: Api) -> None:
    token, told = await api.account("zoe"), list[tuple[str, str]]()
    api.service.accounts.signed_in = lambda account, network: told.append((account, network))
    await api.ask("GET", "/accounts/me", token=token)
    assert told == [("zoe", "127.0.0.1")]


@inside(run, requests_per_second=1.0, requests_at_once=2)
async def test_one_address_does_not_use_up_what_another_may_ask_for(api: Api) -> None:
    async def asked(address: str) -> int:
        transport = httpx.ASGITransport(app=make_app(api.service), client=(address, 1234))
        async with httpx.AsyncClient(transport=transport, base_url="http://parlour.test") as client:
            return (await client.get(f"{PREFIX}/health")).status_code

    assert [await asked("192.0.2.1") for _ in range(3)] == [200, 200, 429]
    assert await asked("192.0.2.2") == 200


@inside(run, request_time=3.0)
async def test_a_request_that_takes_too_long_is_given_up(api: Api) -> None:
    match = await api.match(await api.account("zoe"))
    told = await problem(api, "GET", f"/matches/{match}/events", params={"since": 1, "wait": 20})
    assert told == (408, "timeout", "not done within 3 s")


# What goes wrong


@inside(run)
async def test_what_is_not_here(api: Api) -> None:
    assert await problem(api, "GET", "/nothing") == (404, "not found", "there is nothing at this address")
    wrong = await problem(api, "DELETE", "/matches")
    assert wrong == (405, "method not allowed", "this address does not take DELETE")


@inside(run)
async def test_a_store_that_fails_is_not_the_askers_fault(api: Api, *, monkeypatch: pytest.MonkeyPatch) -> None:
    store = api.service.hall.store

    def broken(*_: object, **__: object) -> None:
        raise StoreError("/secret/path: disk full")

    monkeypatch.setattr(store, "page", broken)
    monkeypatch.setattr(store, "setting", broken)
    told = (503, "store", "nothing can be kept at the moment; try again")
    assert await problem(api, "GET", "/matches") == told
    assert await problem(api, "GET", "/ready") == told
    assert (await api.get("/health"))["status"] == "ok"


@inside(run)
async def test_a_store_that_was_moved_away_makes_the_server_not_ready_and_nothing_is_acknowledged(api: Api) -> None:
    told = (503, "store", "nothing can be kept at the moment; try again")
    ann = await api.account("ann")
    body = {"game": "fish"}
    assert (await api.get("/ready"))["status"] == "ready"
    url = api.service.hall.store.url
    os.rename(url, f"{url}.away")  # noqa: PTH104
    assert await problem(api, "GET", "/ready") == told
    assert await problem(api, "POST", "/matches", body, token=ann) == told
    os.rename(f"{url}.away", url)  # noqa: PTH104
    assert await problem(api, "GET", "/ready") == told, "until something was kept"
    assert (await api.ask("POST", "/matches", body, token=ann)).status_code == 201
    assert (await api.get("/ready"))["status"] == "ready"


@inside(run)
async def test_a_bug_is_told_without_its_details(api: Api, *, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(api.service.hall.store, "page", bug)
    told = (500, "broken", "the server failed; its log has the details")
    assert await problem(api, "GET", "/matches") == told


# Numbers and the document


@inside(run)
async def test_requests_are_counted_by_route(api: Api) -> None:
    await api.ask("GET", "/matches/none")
    await api.get("/health")
    text = (await api.client.get("/metrics")).text
    assert 'parlour_http_requests_total{method="GET",path="/matches/{match}",status="404"} 1' in text
    assert 'parlour_http_seconds_count{method="GET",path="/health"} 1' in text
    assert "parlour_matches_awake 0" in text
    assert "process_cpu_seconds_total" in text
    assert (await api.ask("GET", "/metrics")).text.startswith("# HELP")


@inside(run)
async def test_what_happened_in_the_hall_is_counted(api: Api) -> None:
    zoe = await api.account("zoe")
    match = await api.match(zoe)
    await api.ask("POST", f"/matches/{match}/seats", {"seat": "ITALY"}, token=zoe)
    for _ in range(2):
        await api.intend(match, zoe, "act", seat="ITALY", action=[])  # the match has not started
    assert api.service.hall.sleep(match)  # which takes no time
    await api.get(f"/matches/{match}")
    lines = (await api.client.get("/metrics")).text.splitlines()
    counted = [line.removeprefix("parlour_hall_total") for line in lines if line.startswith("parlour_hall_total")]
    assert counted == [
        '{what="intents refused"} 2',
        '{what="intents taken"} 1',
        '{what="opened"} 1',
        '{what="put to sleep"} 1',
        '{what="woken"} 1',
    ]


@inside(run)
async def test_the_document_describes_every_operation(api: Api) -> None:
    document = await api.get("/openapi.json")
    assert document["openapi"].startswith("3.1")
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert described == {(operation.method, PREFIX + operation.path) for operation in OPERATIONS}
    names = [operation.name for operation in OPERATIONS]
    assert len(names) == len(set(names))
    refs = set(re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(document)))
    assert refs <= set(document["components"]["schemas"])
    for item in document["paths"].values():
        for operation in item.values():
            assert operation["summary"]
            assert "500" in operation["responses"]
    secured = document["paths"][f"{PREFIX}/invitations"]["post"]["security"]
    assert secured == [{"token": []}]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
@inside(run)
async def test_every_operation_answers_as_it_is_described(api: Api, *, operation: Any) -> None:
    """With nobody signed in and nothing sent each gives an answer that its description has."""
    path = re.sub(r"{\w+}", "none", operation.path)
    response = await api.client.request(operation.method, PREFIX + path)
    document = await api.get("/openapi.json")
    described = document["paths"][PREFIX + operation.path][operation.method.lower()]["responses"]
    assert str(response.status_code) in described
    if operation.signed_in:
        assert response.status_code == 401
