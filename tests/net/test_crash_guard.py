"""A match whose agents end the server is held back the second time, is said to be, and can be released."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.house_specs import HouseSpec
from parlour.core import intents as it
from parlour.core.events import Acted
from parlour.core.game import Action, View
from parlour.core.player import Player
from parlour.core.terms import Terms, Vacancy
from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.errors import Denied
from parlour.net import crash_guard
from parlour.net.accounts.principals import of_account
from parlour.net.crash_guard import CrashGuard, marks_path
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.referee.conduct import DIPLOMACY
from parlour.store import SQLiteStore
from support.doors.traffic import HOST, Server
from support.hall.halls import FRANCE, diplomacy
from support.hall.people import opening, session_of
from support.waiting import PATIENCE, inside

PASSWORD = "a long password"


def lives(path: Path, *stories: Callable[[CrashGuard], Awaitable[Any]], clean: bool = False) -> None:
    """Start a guard again and again on one store; each dies, or ends as it should, after its story."""

    async def life(story: Callable[[CrashGuard], Awaitable[Any]]) -> None:
        with SQLiteStore(path / "s.db") as store:
            guard = CrashGuard(store, marks_path(str(path / "s.db")))
            await guard.start()
            await story(guard)
            if clean:
                guard.close()
            elif guard._forgiving is not None:
                guard._forgiving.cancel()
                os.close(guard._file)

    for story in stories:
        asyncio.run(life(story))


async def dies_thinking(guard: CrashGuard) -> None:
    guard.begin("guilty")
    guard.end(guard.begin("innocent"))


async def says(guard: CrashGuard, held: list[str], crashes: dict[str, int]) -> None:
    assert guard.held == held
    assert guard._crashes == crashes


def test_only_who_was_thinking_is_counted_and_held_back_after_the_second_time(tmp_path: Path) -> None:
    async def second(guard: CrashGuard) -> None:
        await says(guard, [], {"guilty": 1})
        guard.begin("guilty")

    async def third(guard: CrashGuard) -> None:
        await says(guard, ["guilty"], {"guilty": 2})
        await guard.release("guilty")
        assert not guard.is_held("guilty")

    lives(tmp_path, dies_thinking, second, third, lambda guard: says(guard, [], {}))


def test_a_server_that_ends_as_it_should_blames_nobody(tmp_path: Path) -> None:
    lives(tmp_path, dies_thinking, clean=True)
    lives(tmp_path, lambda guard: says(guard, [], {}))


@inside(lives, lambda guard: says(guard, ["held"], {"held": 2}))
async def test_a_first_crash_is_forgotten_after_a_while_and_a_second_is_not(
    guard: CrashGuard, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard._crashes |= {"held": 2, "lucky": 1}
    guard._forgive()
    assert guard._writing is not None
    await guard._writing


@inside(lives, clean=True)
async def test_more_names_than_there_is_room_for_hurt_nobody(
    guard: CrashGuard, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = [guard.begin(f"match {number}" + "x" * 300) for number in range(crash_guard.SLOTS + 5)]
    assert marks.count(-1) == 5
    for mark in marks:
        guard.end(mark)
    assert guard.begin("m") >= 0


def test_marks_that_cannot_be_written_hurt_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(guard: CrashGuard) -> None:
        mark = guard.begin("m")
        file, guard._file = guard._file, os.open(os.devnull, os.O_RDONLY)
        assert guard.begin("m") == -1
        guard.end(mark)
        os.close(guard._file)
        guard._file = file
        assert guard.begin("m") >= 0

    lives(tmp_path, story, clean=True)
    assert "may not be identified" in caplog.text


async def test_a_place_for_marks_that_cannot_be_written_stops_no_server(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "s.db") as store:
        guard = CrashGuard(store, tmp_path / "no" / "folder")
        await guard.start()
        assert guard.begin("m") == -1
        guard.end(-1)
        guard.close()


class Blocked:
    """An agent that thinks until the test lets it."""

    def __init__(self, begun: threading.Event, gate: threading.Event) -> None:
        self._begun, self._gate = begun, gate

    def act(self, view: View) -> Action:
        self._begun.set()
        self._gate.wait(PATIENCE)
        return []


async def test_a_hall_marks_the_match_whose_agent_thinks_and_lets_none_wake_that_is_held(tmp_path: Path) -> None:
    begun, gate = threading.Event(), threading.Event()

    def blocked(game: str, text: str) -> HouseSpec:
        def make(seed: int) -> Player:
            return Blocked(begun, gate)

        return HouseSpec(game, text, make)

    path = marks_path(str(tmp_path / "s.db"))
    with SQLiteStore(tmp_path / "s.db") as store:
        hall = Hall(store, guard=CrashGuard(store, path), read_spec=blocked)
        await hall.start()
        terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
        setup = diplomacy(match="m", terms=terms, agents={FRANCE: "x"})
        match = await hall.open(opening(setup, it.Start("")), owner=of_account("ann"))
        await asyncio.to_thread(begun.wait)
        assert path.read_bytes().replace(b"\0", b"") == b"m"
        gate.set()
        acted = asyncio.Event()
        await hall.watch(match, OMNISCIENT, lambda told: acted.set() if isinstance(told.event, Acted) else None, 0)
        await acted.wait()
        assert not path.read_bytes().strip(b"\0")
        hall._awake.give_up(await hall.wake(match))
        assert hall.guard is not None
        hall.guard._crashes["m"] = 2
        for session in (session_of(hall, "ann"), session_of(hall, "bob"), Session(hall)):
            with pytest.raises(Denied, match="match 'm' is held back: its agents stopped the server twice"):
                await session.view(match)
            with pytest.raises(Denied, match="only an administrator may release"):
                await session.release(match)
        assert (await hall.head(match)).id == "m", "lists have it"
        await session_of(hall, "root", admin=True).release(match)
        assert (await hall.view(match, SPECTATOR)).turn == 1
        await hall.close()


DEADLY = """
import os
from parlour.agents.diplomacy.simple import HoldBot
HoldBot.act = lambda self, view: os.abort()
"""


def asked(server: Server, method: str, path: str, body: object = None, token: str = "") -> tuple[int, Any]:
    """Return the answer of the API; status 0 if the server died of it."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    content = None if body is None else json.dumps(body).encode()
    url = f"http://{HOST}:{server.http_port}/api/v1{path}"
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, content, headers, method=method), timeout=PATIENCE
        ) as got:
            return got.status, json.loads(got.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")
    except OSError:
        return 0, None


def died(server: Server) -> bool:
    """Wait until the server has died by itself; True if a signal ended it."""
    assert server._process is not None
    code = server._process.wait(PATIENCE)
    server.kill()
    return code < 0


def test_a_real_server_dies_twice_of_a_match_and_not_a_third_time(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(DEADLY)
    settings = {"PYTHONPATH": str(site), "PARLOUR_ADMIN_PASSWORD": PASSWORD}
    powers = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
    with Server(str(tmp_path / "s.db"), **settings) as server:
        server.start()
        token = asked(server, "POST", "/tokens", {"name": "admin", "password": PASSWORD})[1]["token"]
        new = {"game": "diplomacy", "match": "deadly", "agents": dict.fromkeys(powers, "hold")}
        asked(server, "POST", "/matches", new, token)
        assert died(server)
        server.start()
        asked(server, "GET", "/matches/deadly")
        assert died(server)
        server.start()
        for _ in range(3):
            status, problem = asked(server, "GET", "/matches/deadly")
            assert (status, problem["code"]) == (409, "held back")
            assert "its agents stopped the server twice" in problem["detail"]
        with pytest.raises(urllib.error.HTTPError) as page:
            urllib.request.urlopen(f"http://{HOST}:{server.http_port}/match/deadly", timeout=PATIENCE)
        assert "is held back" in page.value.read().decode()
        server.kill()
        (site / "sitecustomize.py").write_text("")
        server.start()
        token = asked(server, "POST", "/tokens", {"name": "admin", "password": PASSWORD})[1]["token"]
        assert asked(server, "POST", "/matches/deadly/release", token=token)[0] == 204
        until = time.monotonic() + PATIENCE
        while asked(server, "GET", "/matches/deadly")[1]["turn"] < 2:
            assert time.monotonic() < until
