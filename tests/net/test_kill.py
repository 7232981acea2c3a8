"""kill -9 of a server under traffic: acknowledged is there, refused is not, nothing twice, and all matches go on."""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Clock, Terms
from parlour.net.client.report import ClientReport
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from parlour.store import Filter, RecordKind, open_store, read_events
from support import TESTS
from support.doors.traffic import FishTraffic, Server, returning
from support.hall import traffic as hall_traffic
from support.hall.people import session_of
from support.processes.siege import DatabaseStrike, Siege, besieged
from support.store.postgres import PostgresServer
from support.waiting import PATIENCE

KILLS = 3


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "hall.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_schema()


def killed_after(address: str, run: str, answers: int) -> list[bytes]:
    """Return the answers of a hall until it was killed."""
    program = [sys.executable, "-m", hall_traffic.__name__, address, run]
    with subprocess.Popen(program, cwd=TESTS, stdout=subprocess.PIPE) as hall:
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
                france = session_of(hall, "france")
                assert (await france.submit(match, it.Say(Seat("FRANCE"), "still here")))[0].refusal is None
            await hall.close()

    asyncio.run(goes_on())


@pytest.mark.timeout(600)
def test_what_every_door_acknowledged_survives_kill_9_and_nothing_else_does(address: str, tmp_path: Path) -> None:
    siege = asyncio.run(besieged(Siege(address, tmp_path, random.Random(1)), 6))
    assert siege.wrong == []
    assert siege.kills >= 6


@pytest.mark.timeout(600)
def test_what_every_door_acknowledged_survives_the_death_of_the_database(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    chance = random.Random(4)  # which kills one process twice, and all of them twice
    siege = Siege(postgres.new_schema(), tmp_path, chance)
    asyncio.run(besieged(siege, 4, DatabaseStrike(postgres, chance)))
    assert siege.wrong == []


def test_a_tournament_at_the_fish_door_survives_any_number_of_kills(address: str) -> None:
    with Server(address, *FishTraffic.SETTINGS) as server:
        traffic = FishTraffic(server, address)
        assert asyncio.run(traffic.killed(2)) == []
    assert traffic.kills == 2
    assert traffic.moves > 0


@pytest.mark.timeout(240)
def test_a_fish_tournament_and_three_matches_of_diplomacy_all_go_on_after_kill_9(tmp_path: Path) -> None:
    path, names = str(tmp_path / "s.db"), ("dip1", "dip2", "dip3")
    server = Server(path, "--min", "3", "--max", "3", "--rows", "8", "--cols", "8")

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
            server.start()
            players = [group.create_task(returning(name, server.fish_port)) for name in ("a", "b", "c")]
            async with asyncio.timeout(PATIENCE):
                while min(turns()) < 3 or not fish_has_begun():  # noqa: ASYNC110 - it is another program
                    await asyncio.sleep(0.1)
            server.kill()
            before = turns()
            server.start()
            async with asyncio.timeout(PATIENCE):
                await asyncio.wait(players)
                while not all_went_on(before):  # noqa: ASYNC110 - it is another program
                    await asyncio.sleep(0.1)
        return before, [player.result() for player in players]

    asyncio.run(opened())
    with server:
        before, reports = asyncio.run(played())
    assert all(now > then >= 3 for now, then in zip(turns(), before, strict=True))
    assert sorted(report.name for report in reports if report.won is not None) == ["a", "b", "c"]
    with open_store(path) as store:
        for name in names:
            Match.resume(read_events(store, name))
