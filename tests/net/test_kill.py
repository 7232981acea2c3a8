"""kill -9 of a hall under traffic: acknowledged is there, refused is not, nothing twice, and all matches go on."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hall_traffic
from fish_wire import greedy
from parlour.core import intents as it
from parlour.core.game import Action, Seat, View
from parlour.core.terms import Clock, Terms
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.report import ClientReport
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from parlour.store import Filter, RecordKind, open_store, read_events
from postgres_server import PostgresServer

KILLS = 3


async def returning(name: str, port: int) -> ClientReport:
    """A player of Fish that is not in a hurry, and comes back after the server died."""
    return await JsonClient(name, Deliberate, returns=20.0).run("127.0.0.1", port, tries=200, pause=0.1)


class Deliberate:
    """Greedy, but slow enough that there is a middle to be killed in."""

    def __init__(self, game: int) -> None:
        self._greedy = greedy(game)

    async def act(self, view: View) -> Action:
        await asyncio.sleep(0.03)
        return self._greedy.act(view)


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "hall.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_schema()


def killed_after(address: str, run: str, answers: int) -> list[bytes]:
    """What a hall acknowledged until it was killed."""
    program = [sys.executable, str(Path(hall_traffic.__file__)), address, run]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as hall:
        assert hall.stdout is not None
        try:
            lines = [hall.stdout.readline() for _ in range(answers)]
            assert all(lines), "the hall ended by itself"
        finally:
            hall.send_signal(signal.SIGKILL)
        return lines + hall.stdout.readlines()


def test_what_was_acknowledged_survives_kill_9_and_nothing_else_does(address: str) -> None:
    lines: list[bytes] = []
    for number in range(KILLS):
        lines += killed_after(address, f"run{number}", 60 + 37 * number)
        with open_store(address) as store:
            assert hall_traffic.complaints(store, lines) == []
    assert sum(line.startswith(b"kept") for line in lines) > 50
    assert sum(line.startswith(b"refused") for line in lines) > 5

    async def goes_on() -> None:
        with open_store(address) as store:
            hall = Hall(store)
            await hall.start()
            for match in hall_traffic.MATCHES:
                france = Session(hall, "france")
                assert (await france.handle(match, it.Say(Seat("FRANCE"), "still here"))).refusal is None
            await hall.close()

    asyncio.run(goes_on())


def test_a_fish_tournament_and_three_matches_of_diplomacy_all_go_on_after_kill_9(tmp_path: Path) -> None:
    path, port = str(tmp_path / "s.db"), free_port()
    names = ("dip1", "dip2", "dip3")

    async def opened() -> None:
        with open_store(path) as store:
            hall = Hall(store)
            await hall.start()
            terms = Terms(DIPLOMACY, Clock(per_turn=1.0))
            agents = {Seat(power): "random" for power in hall_traffic.POWERS}
            for name in names:
                await hall.open(MatchSetup(game="diplomacy", terms=terms, match=name, agents=agents))
            await hall.close()

    def turns() -> list[int]:
        with open_store(path, read_only=True) as store:
            return [head.turn for name in names if (head := store.head(name)) is not None]

    def fish_has_begun() -> bool:
        with open_store(path, read_only=True) as store:
            return any(store.length(head.id) > 30 for head in store.heads(Filter(kind=RecordKind.MATCH, game="fish")))

    def all_went_on(before: list[int]) -> bool:
        with open_store(path, read_only=True) as store:
            (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
            over = head.result is not None
        return over and all(now > then for now, then in zip(turns(), before, strict=True))

    async def played() -> tuple[list[int], list[ClientReport]]:
        async with asyncio.TaskGroup() as group:
            with serving(path, port) as first:
                players = [group.create_task(returning(name, int(port))) for name in ("a", "b", "c")]
                async with asyncio.timeout(40):
                    while min(turns()) < 3 or not fish_has_begun():  # noqa: ASYNC110 - it is another program
                        await asyncio.sleep(0.1)
                first.send_signal(signal.SIGKILL)
                first.wait()
            before = turns()
            with serving(path, port):
                async with asyncio.timeout(40):
                    await asyncio.wait(players)
                    while not all_went_on(before):  # noqa: ASYNC110 - it is another program
                        await asyncio.sleep(0.1)
        return before, [player.result() for player in players]

    asyncio.run(opened())
    before, reports = asyncio.run(played())
    assert all(now > then >= 3 for now, then in zip(turns(), before, strict=True))
    assert sorted(report.name for report in reports if report.won is not None) == ["a", "b", "c"]
    with open_store(path) as store:
        for name in names:
            Match.resume(read_events(store, name))


@contextmanager
def serving(path: str, port: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", "from parlour.cli import main; main()", "serve", "--http-port", "0"]
    command += ["--fish-port", port, "--store", path, "--min", "3", "--max", "3", "--rows", "8", "--cols", "8"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield server
        finally:
            server.kill()
