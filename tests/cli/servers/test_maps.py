"""`serve --map`, `--daide-map` and `join --map` at real doors: the map of new matches, and of seats."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from parlour.cli import main
from parlour.net.client import connect
from parlour.net.mila.faults import MapPowerException
from support.daide.wire import INITIAL, DaideLine
from support.doors.serving import serving
from support.mila.house import HOST
from support.waiting import PATIENCE

Done = tuple[int, str, str]


async def join(*words: str) -> Done:
    """Run `parlour join` in a process of its own: exit code, stdout, stderr."""
    command = [sys.executable, "-m", "parlour", "join", *words]
    program = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-1)
    out, errors = await program.communicate()
    return program.returncode or 0, out.decode(), errors.decode()


async def asked(port: int, path: str, body: object = None, token: str = "") -> Any:
    """Return the text of a page, or the JSON of an answer of the API."""
    given = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})

    def call() -> bytes:
        with urlopen(Request(f"http://{HOST}:{port}{path}", given, headers)) as answer:
            found: bytes = answer.read()
        return found

    text = await asyncio.to_thread(call)
    return json.loads(text) if path.startswith("/api") else text.decode()


async def daide_map(port: int) -> str:
    """Return the map that the server offers a DAIDE bot with the seat."""
    line = await DaideLine.open(port, greet=False)
    line.writer.write(INITIAL)
    await line.frame()  # the numbers of powers and provinces
    assert (await line.ask("NME ( 'bot' ) ( '1' )")).startswith("YES ( NME")
    return await line.hear()


async def test_matches_that_are_opened_without_a_map_are_played_on_that_of_the_server(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(PATIENCE),
        serving(tmp_path, "--map", "hundred") as ports,
        DaideLine.hung_up_at_the_end(),
    ):
        port = ports["http"]
        account = {"name": "ann", "password": "a long password"}
        token = (await asked(port, "/api/v1/accounts", account))["token"]
        by_api = await asked(port, "/api/v1/matches", {"game": "diplomacy"}, token)
        own = await asked(port, "/api/v1/matches", {"game": "diplomacy", "config": {"map": "pure"}}, token)
        fish = await asked(port, "/api/v1/matches", {"game": "fish"}, token)
        maps = [
            (await asked(port, f"/api/v1/matches/{match['match']}"))["config"].get("map")
            for match in (by_api, own, fish)
        ]
        assert maps == ["hundred", "pure", None]
        assert 'value="hundred" selected' in await asked(port, "/new?game=diplomacy")
        async with connect(HOST, port, attempts=1) as connection:
            channel = await connection.authenticate("bob", "another password")
            assert (await channel.create_game(map_name=None)).map_name == "hundred"
            assert (await channel.create_game()).map_name == "standard", "clients of the package name it"
        assert await daide_map(ports["daide"]) == "MAP ( 'hundred' )"


async def test_daide_bots_open_matches_on_a_map_of_their_own(tmp_path: Path) -> None:
    options = ("--map", "hundred", "--daide-map", "pure")
    async with asyncio.timeout(PATIENCE), serving(tmp_path, *options) as ports, DaideLine.hung_up_at_the_end():
        assert await daide_map(ports["daide"]) == "MAP ( 'pure' )"


async def test_who_opens_a_game_sits_down_on_a_power_of_its_map(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(PATIENCE),
        serving(tmp_path) as ports,
        connect(HOST, ports["http"], attempts=1) as connection,
    ):
        channel = await connection.authenticate("bob", "a long password")
        game = await channel.create_game(map_name="hundred", power_name="BURGUNDY")
        assert (game.role, game.map_name, len(game.powers)) == ("BURGUNDY", "hundred", 3)
        with pytest.raises(MapPowerException):
            await channel.create_game(map_name="hundred", power_name="TURKEY")


async def test_whoever_joins_with_a_map_sits_down_on_no_other(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), serving(tmp_path, "--daide-map", "pure") as ports:
        server = f"ws://{HOST}:{ports['http']}"
        async with connect(HOST, ports["http"], attempts=1) as connection:
            channel = await connection.authenticate("bob", "a long password")
            await channel.create_game(game_id="listed", map_name="standard")
            code, out, errors = await join(server, "--match", "listed", "--map", "hundred", "--agent", "hold")
            assert (code, out) == (2, "")
            assert errors.splitlines()[-1] == "parlour: map: listed is played on standard, expected hundred"
            assert len(await channel.get_playable_powers(game_id="listed")) == 7, "nobody sat down"
            code, _, errors = await join(server, "--map", "hundred", "--agent", "hold")
            assert (code, "no match on hundred waits for players" in errors) == (2, True)
            small = await channel.create_game(game_id="small", map_name="hundred")
            playing = asyncio.ensure_future(join(server, "--map", "hundred", "--agent", "hold"))
            while len(await channel.get_playable_powers(game_id="small")) == 3:
                assert not playing.done(), playing.result()
                await asyncio.sleep(0.05)  # real time: a program of its own joins
            await small.cancel()
            assert "in S1425M" in (await playing)[1]
        code, out, errors = await join(f"daide://{HOST}:{ports['daide']}", "--map", "hundred", "--agent", "hold")
        assert (code, out) == (2, "")
        assert errors.splitlines()[-1] == "parlour: map: the server's match is played on pure, expected hundred"
        listed = (await asked(ports["http"], "/api/v1/matches?status=forming"))["matches"]
        assert listed == [], "no match was opened for the guest"


def test_a_map_that_nobody_offers_is_refused_before_anything_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, said in (
        (["serve", "--map", "hundert"], "did you mean hundred?"),
        (["serve", "--game", "fish", "--map", "hundred"], "map: does not go with --game"),
        (["join", "127.0.0.1:9", "--game", "fish", "--map", "hundred"], "map: Diplomacy has maps"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert (ended.value.code, said in capsys.readouterr().err) == (2, True)
