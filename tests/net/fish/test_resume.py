"""A server that is killed in the middle of a tournament takes it up again, and nothing acknowledged is lost."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour.core.game import Action, View
from parlour.games.fish import GAME
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.fish_neu import NeuClient
from parlour.net.client.report import ClientReport
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.store import Filter, RecordKind, SQLiteStore
from parlour.tournament.knock_out.tournament import read_result
from support.fish.wire import HOST, good, greedy, hold, settings
from support.processes.ports import free_port
from support.store.rows import spread
from support.waiting import PATIENCE


class Deliberate:
    """Greedy, but not in a hurry, so that there is a middle to be killed in."""

    def __init__(self, game: int) -> None:
        self._greedy = greedy(game)

    async def act(self, view: View) -> Action:
        await asyncio.sleep(0.01)
        return self._greedy.act(view)


@contextmanager
def serve(port: int, path: Path, players: int, protocol: str, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a server in a program of its own, which is dead afterwards whatever happens."""
    command = [
        *(sys.executable, "-c", "from parlour.cli import main; main()", "serve", "--game", "fish"),
        *("--protocol", protocol, "--port", str(port), "--once", "--seed", "7", "--store", str(path)),
        *("--min", str(players), "--max", str(players), "--wait", "10", "--json", *more),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            yield server
        finally:
            server.kill()


def entries(path: Path) -> dict[str, list[bytes]]:
    """Return all matches in the store with their entries."""
    with SQLiteStore(path) as store:
        return {head.id: list(store.entries(head.id)) for head in store.heads(Filter(kind=RecordKind.MATCH))}


async def until_written(path: Path, count: int) -> None:
    """Wait until the store has so many entries of matches."""
    until = time.monotonic() + PATIENCE
    while sum(map(len, entries(path).values())) < count:
        assert time.monotonic() < until, "the tournament did not get going"
        await asyncio.sleep(0.02)


async def returning(name: str, protocol: str, port: int) -> ClientReport:
    """A player that comes back after the server died: by its token, or where there is none by its name."""
    if protocol == "json":
        return await JsonClient(name, Deliberate, returns=10.0).run(HOST, port, tries=100, pause=0.1)
    while True:
        client = NeuClient(name, Deliberate)
        report = await client.run(HOST, port, tries=100, pause=0.1)
        if report.won is not None or report.games == 0:
            return report


@pytest.mark.parametrize(("protocol", "kill_at"), [("json", 10), ("json", 90), ("neu", 60)])
def test_a_killed_server_resumes_its_tournament_with_its_players(tmp_path: Path, protocol: str, kill_at: int) -> None:
    path, port = tmp_path / "s.db", free_port()
    names = ["a", "b", "c", "d", "e"]

    async def scenario() -> tuple[dict[str, list[bytes]], list[ClientReport], bytes]:
        async with asyncio.TaskGroup() as group:
            with serve(port, path, 5, protocol) as first:
                players = [group.create_task(returning(name, protocol, port)) for name in names]
                await until_written(path, kill_at)
                first.send_signal(signal.SIGKILL)
            before = entries(path)
            with serve(port, path, 5, protocol, "--return-time", "8") as second:
                output, _ = await asyncio.to_thread(second.communicate, None, 30)
        return before, [player.result() for player in players], output

    before, reports, output = asyncio.run(scenario())
    after = entries(path)
    assert sum(map(len, before.values())) >= kill_at
    for match, written in before.items():
        assert after[match][: len(written)] == written
    with SQLiteStore(path) as store:
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        result = read_result(store, head.id)
    assert result.failures == result.cheaters == ()
    assert sorted(result.winners + result.losers) == names
    assert [report.name for report in reports if report.won] == list(result.winners)
    assert b'"winners":["' in output


def test_what_was_cut_short_is_left_alone_if_so_wished(tmp_path: Path) -> None:
    path, port = tmp_path / "s.db", free_port()

    async def scenario() -> None:
        async with asyncio.TaskGroup() as group:
            with serve(port, path, 2, "json") as first:
                players = [
                    group.create_task(JsonClient(name, Deliberate).run(HOST, port, tries=100, pause=0.1))
                    for name in "ab"
                ]
                await until_written(path, 5)
                first.send_signal(signal.SIGKILL)
            await asyncio.wait(players)
            with serve(port, path, 2, "json", "--no-resume") as second:
                for name in "ab":
                    group.create_task(JsonClient(name, greedy, inline=True).run(HOST, port, tries=100, pause=0.1))
                await asyncio.to_thread(second.communicate, None, 30)

    asyncio.run(scenario())
    with SQLiteStore(path) as store:
        first, second = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        assert store.result(first.id) is None
        assert set(read_result(store, second.id).winners) <= {"a", "b"}


def test_players_who_do_not_come_back_have_failed(tmp_path: Path) -> None:
    path, port = tmp_path / "s.db", free_port()

    async def scenario() -> Any:
        async with asyncio.TaskGroup() as group:
            with serve(port, path, 3, "json") as first:
                staying = [group.create_task(returning(name, "json", port)) for name in ("a", "b")]
                leaving = group.create_task(JsonClient("gone", Deliberate).run(HOST, port, tries=100, pause=0.1))
                await until_written(path, 15)
                first.send_signal(signal.SIGKILL)
            with serve(port, path, 3, "json", "--return-time", "2", "--grace", "0.2") as second:
                await asyncio.to_thread(second.communicate, None, 30)
        return [player.result() for player in staying], leaving.result()

    (a, b), gone = asyncio.run(scenario())
    assert gone.won is None
    assert {a.won, b.won} <= {True, False}
    with SQLiteStore(path) as store:
        result = read_result(store, next(store.heads(Filter(kind=RecordKind.TOURNAMENT))).id)
    assert [departure.name for departure in result.failures] == ["gone"]
    assert sorted(result.winners + result.losers) == ["a", "b"]


def test_a_decided_tournament_does_not_wait_for_players_who_have_signed_up_for_the_next(
    tmp_path: Path,
) -> None:
    path, results = tmp_path / "s.db", list[Any]()
    with SQLiteStore(path) as store:
        asyncio.run(hold(settings(2), [good("a"), good("b")], store=store))
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        entries = store.length(head.id)
    spread(path)
    with closing(sqlite3.connect(path)) as database:  # as if it had been killed when the end had just been told
        database.execute("DELETE FROM entry WHERE record = ? AND number = ?", (head.id, entries - 1))
        database.execute("UPDATE record SET result = NULL WHERE id = ?", (head.id,))
        database.commit()

    async def again() -> None:
        with SQLiteStore(path) as store:
            patient = settings(2, once=False, return_time=3600.0, wait=3600.0)
            server = TournamentServer(GAME, make_dialect("json"), patient, store=store)
            await server.start()
            assert server.resuming == head.id
            async with asyncio.TaskGroup() as group:
                serving = group.create_task(server.run(results.append))
                players = [group.create_task(good(name)(server.port)) for name in "ab"]
                await asyncio.wait(players)
                while len(results) < 2:  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
                    await asyncio.sleep(0.01)
                serving.cancel()

    asyncio.run(again())
    assert [sorted(result.winners + result.losers) for result in results] == [["a", "b"]] * 2
    assert [result.failures for result in results] == [(), ()]


def test_players_of_one_name_all_come_back_after_a_restart_in_the_courses_protocol(tmp_path: Path) -> None:
    path, port = tmp_path / "s.db", free_port()

    async def scenario() -> list[ClientReport]:
        async with asyncio.TaskGroup() as group:
            with serve(port, path, 3, "neu") as first:
                players = [group.create_task(returning("same", "neu", port)) for _ in range(3)]
                await until_written(path, 20)
                first.send_signal(signal.SIGKILL)
            with serve(port, path, 3, "neu", "--return-time", "8") as second:
                await asyncio.to_thread(second.communicate, None, 30)
        return [player.result() for player in players]

    reports = asyncio.run(scenario())
    with SQLiteStore(path) as store:
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        result = read_result(store, head.id)
    assert result.failures == result.cheaters == ()
    assert sorted(result.winners + result.losers) == ["same", "same2", "same3"]
    assert [report.won for report in reports].count(True) == len(result.winners)
