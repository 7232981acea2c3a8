"""Impossible values: `parlour serve` refuses them in one line, in the same words at every door that has words."""

# Why real time passes here: tokens and limits of a server run out in real time.

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from parlour.errors import StoreError
from parlour.net.mila.refusals import sentence
from parlour.store import SQLiteStore
from support.doors.traffic import HOST, Server
from support.waiting import PATIENCE

SHORT = 4.0
"""Seconds for which a token of the second server counts; a busy machine may need one of them to give it out."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(str(tmp_path_factory.mktemp("bad") / "s.db"), PARLOUR_MAX_BODY="2048") as server:
        server.start()
        yield server


@pytest.fixture(scope="module")
def tokens(server: Server) -> dict[str, str]:
    """Of the owner of a match in which France sits, and of a stranger."""
    found = {}
    for name in ("owner", "stranger"):
        answer = ask(server, "POST", "/accounts", {"name": name, "password": "correct horse"})
        found[name] = answer.json()["token"]
    setup = {"game": "diplomacy", "match": "m", "password": "sesame"}
    assert ask(server, "POST", "/matches", setup, found["owner"]).status_code == 201
    assert ask(server, "POST", "/matches/m/seats", {"seat": "FRANCE"}, found["owner"]).status_code == 201
    return found


def ask(server: Server, method: str, path: str, body: Any = None, token: str = "", **more: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"http://{HOST}:{server.http_port}/api/v1{path}"
    return httpx.request(method, url, json=body, headers=headers, timeout=PATIENCE, **more)


def on_the_line(server: Server, match: str, token: str, *messages: dict[str, Any], query: str = "") -> str:
    """Return the reason that a page is given: by the answer to its last message, or by the end of its line."""

    async def scenario() -> str:
        url = f"ws://{HOST}:{server.http_port}/match/{match}/line{query}"
        async with websockets.connect(url, additional_headers={"Cookie": f"parlour={token}"} if token else {}) as line:
            try:
                await line.send("{}")
                await line.recv()
                for message in messages:
                    await line.send(json.dumps(message))
                while True:
                    answer = json.loads(await line.recv())
                    if "refused" in answer:
                        return str(answer["reason"])
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.reason if closed.rcvd is not None else ""

    return asyncio.run(asyncio.wait_for(scenario(), PATIENCE))


def to_a_client(server: Server, name: str, **fields: Any) -> str:
    """Return the answer to a client of the `diplomacy` package, or the reason for which the client is cut off."""

    async def scenario() -> str:
        async with websockets.connect(f"ws://{HOST}:{server.http_port}/", max_size=None) as client:
            await client.send(json.dumps({"request_id": "1", "name": name, **fields}))
            try:
                return str(json.loads(await client.recv())["message"])
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.reason if closed.rcvd is not None else ""

    return asyncio.run(asyncio.wait_for(scenario(), PATIENCE))


def to_a_penguin(server: Server, said: bytes) -> str:
    """Return the reason for which a player of Fish is not let in."""
    with (
        socket.create_connection((HOST, server.fish_port), timeout=PATIENCE) as player,
        player.makefile("rb") as answers,
    ):
        player.sendall(said)
        return str(json.loads(answers.readline())["reason"])


def test_an_unknown_match(server: Server, tokens: dict[str, str]) -> None:
    answer = ask(server, "GET", "/matches/nowhere")
    assert (answer.status_code, answer.json()["detail"]) == (404, "there is no match 'nowhere' here")
    assert on_the_line(server, "nowhere", "") == answer.json()["detail"]
    told = to_a_client(server, "join_game", token=tokens["owner"], game_id="nowhere")
    assert told == sentence(answer.json()["detail"])


@pytest.mark.parametrize("token", ["made-up", "x" * 1000])
def test_a_token_of_somebody_elses_making(server: Server, tokens: dict[str, str], token: str) -> None:
    answer = ask(server, "GET", "/accounts/me", token=token)
    assert (answer.status_code, answer.json()["code"]) == (401, "bad token")
    assert answer.json()["detail"] == "the token is unknown, expired or revoked: sign in again"
    assert (
        on_the_line(server, "m", token, {"id": 1, "intent": "act", "seat": "FRANCE", "action": []})
        == answer.json()["detail"]
    )
    assert to_a_client(server, "join_game", token=token, game_id="m") == sentence(answer.json()["detail"])


def test_a_token_that_has_expired(tmp_path: Path) -> None:
    with Server(str(tmp_path / "s.db"), PARLOUR_TOKEN_DAYS=str(SHORT / 86_400)) as server:
        server.start()
        token = ask(server, "POST", "/accounts", {"name": "zoe", "password": "correct horse"}).json()["token"]
        while (answer := ask(server, "GET", "/accounts/me", token=token)).status_code == 200:
            time.sleep(SHORT / 20)
    assert (answer.status_code, answer.json()["detail"]) == (
        401,
        "the token is unknown, expired or revoked: sign in again",
    )


def test_a_wrong_role(server: Server, tokens: dict[str, str]) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"intent": "pause", "by": ""}, "only a moderator of the match may pause"),
        ({"intent": "act", "seat": "FRANCE", "action": []}, "only whoever sits on FRANCE may act there"),
        ({"intent": "downtime", "by": "", "seconds": 9}, "only the server itself may send 'downtime'"),
    ]
    for intent, reason in rows:
        answer = ask(server, "POST", "/matches/m/intents", intent, tokens["stranger"])
        assert (answer.status_code, answer.json()["detail"]) == (403, reason)
        assert on_the_line(server, "m", tokens["stranger"], {"id": 1, **intent}) == reason
    looking = ask(server, "GET", "/matches/m?as=moderator", token=tokens["stranger"])
    assert (looking.status_code, looking.json()["detail"]) == (
        403,
        "only a moderator of the match may look at it as one",
    )
    assert on_the_line(server, "m", tokens["stranger"], query="?as=moderator") == looking.json()["detail"]


def test_nobody_in_particular(server: Server, tokens: dict[str, str]) -> None:
    answer = ask(server, "POST", "/matches", {"game": "diplomacy"})
    assert (answer.status_code, answer.json()["detail"]) == (401, "to do that, sign in first")
    for intent in ({"intent": "act", "seat": "FRANCE", "action": []}, {"intent": "pause", "by": ""}):
        assert on_the_line(server, "m", "", {"id": 1, **intent}) == answer.json()["detail"]
    assert to_a_client(server, "join_game", token="", game_id="m") == sentence(answer.json()["detail"])


def test_a_wrong_password_of_a_match(server: Server, tokens: dict[str, str]) -> None:
    answer = ask(server, "POST", "/matches/m/seats", {"seat": "ITALY", "password": "open"}, tokens["stranger"])
    assert (answer.status_code, answer.json()["detail"]) == (403, "match 'm' wants a password, and not that one")
    wish = {"token": tokens["stranger"], "game_id": "m", "power_name": "ITALY", "registration_password": "open"}
    assert to_a_client(server, "join_game", **wish) == sentence(answer.json()["detail"])


def test_a_body_that_is_too_large(server: Server, tokens: dict[str, str]) -> None:
    answer = ask(server, "POST", "/matches", {"game": "x" * 3000}, tokens["owner"])
    assert (answer.status_code, answer.json()["detail"]) == (413, "the body is too large: at most 2,048 bytes")
    said = {"id": 1, "intent": "say", "seat": "FRANCE", "to": [], "text": "x" * 3000}
    assert on_the_line(server, "m", tokens["owner"], said) == "the message is too large: at most 2,048 bytes"
    told = to_a_client(server, "list_games", token=tokens["owner"], game_id="x" * 3000)
    assert told == "the message is too large: at most 2,048 bytes"
    assert to_a_penguin(server, b'"' + b"x" * 5000) == "the value is too large: at most 4,096 bytes"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"{", "body: not JSON: Input data was truncated"),
        (b"\xff", "body: not JSON: "),
        (b"[]", "body: Expected `object`, got `array`"),
        (b'{"intent": "fly"}', "body: Invalid value 'fly'"),
        (b'{"intent": "act", "seat": 7}', "body: Expected `str`, got `int`"),
        (b"[" * 1000, "body: "),
    ],
)
def test_a_malformed_body(server: Server, tokens: dict[str, str], body: bytes, detail: str) -> None:
    headers = {"Authorization": f"Bearer {tokens['owner']}"}
    url = f"http://{HOST}:{server.http_port}/api/v1/matches/m/intents"
    answer = httpx.post(url, content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(detail)
    assert "\n" not in answer.json()["detail"]


def test_what_is_malformed_at_the_other_doors(server: Server, tokens: dict[str, str]) -> None:
    assert to_a_client(server, "fly") == "There is no request 'fly'"
    assert to_a_client(server, "join_game", game_id=7).startswith("Wrong request format: ")
    assert to_a_penguin(server, b"[1]").startswith("not a message that is expected here: ")


def test_a_store_of_a_newer_version(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    SQLiteStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    reason = f"{path}: written by a newer version of Parlour: schema 99, expected "
    with pytest.raises(StoreError, match="written by a newer version"):
        SQLiteStore(path)
    with Server(path) as server, pytest.raises(AssertionError) as told:
        server.start()
    assert f"parlour: {reason}" in str(told.value).splitlines()[0]
