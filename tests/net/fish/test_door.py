"""The door of Fish: it says where it listens, ends when it is closed, and hides no failure of its tournaments."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something happens.

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from parlour.errors import StoreError
from parlour.games.fish import GAME
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.report import ClientReport
from parlour.net.fish.door import LONGEST_PAUSE, PAUSE, FishDoor
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.hall import Hall
from parlour.store import SQLiteStore
from parlour.tournament.knock_out.events import TournamentResult
from support.fish.wire import HOST, greedy, settings
from support.simulation.world import SimulatedLoop


def door(report: object = None, **more: object) -> FishDoor:
    server = TournamentServer(GAME, make_dialect("json"), settings(2, **more))
    return FishDoor(server, report if callable(report) else lambda result: None)


async def is_open(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        _, writer = await asyncio.open_connection(host, int(port))
    except OSError:
        return False
    writer.close()
    return True


@pytest.mark.parametrize("runs", [True, False])
async def test_a_door_that_is_closed_ends_quietly_and_listens_no_more(runs: bool) -> None:
    made = door(wait=3600.0)
    await made.open()
    address = made.address
    assert address.startswith(f"{HOST}:")
    assert await is_open(address)
    running = asyncio.ensure_future(made.run()) if runs else None
    await asyncio.sleep(0)
    await made.close()
    if running is not None:
        await running
    assert not await is_open(address)


async def test_what_goes_wrong_in_a_tournament_is_raised() -> None:
    def report(result: TournamentResult | None) -> None:
        raise RuntimeError("nobody reads that")

    made = door(report, wait=0.0, tries=1)
    await made.open()
    with pytest.raises(RuntimeError, match="nobody reads that"):
        await made.run()


@pytest.mark.parametrize("fails_at", [1, 6], ids=["at the start", "in a match"])
def test_tournaments_go_on_on_the_same_port_when_a_store_that_failed_answers_again(
    fails_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[TournamentResult | None] = []
    kept = starts = 0

    async def player(name: str, port: int) -> ClientReport:
        patient = JsonClient(name, greedy, returns=3600.0, returns_early=3600.0, inline=True)
        return await patient.run(HOST, port, pause=0.01)

    async def scenario() -> list[ClientReport]:
        with SQLiteStore(tmp_path / "s.db") as store:
            hall = Hall(store)
            await hall.start()
            keep, fetch = store.keep, store.fetch

            async def failing(*writes: Any) -> None:
                nonlocal kept
                kept += 1
                if fails_at <= kept < fails_at + 3:  # meanwhile nobody is called back in vain
                    raise StoreError("the disk is full")
                await keep(*writes)

            async def failing_once(*given: Any, **named: Any) -> Any:
                nonlocal starts
                starts += 1
                if starts == 2:
                    raise StoreError("it does not even answer")
                return await fetch(*given, **named)

            monkeypatch.setattr(store, "keep", failing)
            monkeypatch.setattr(store, "fetch", failing_once)
            monkeypatch.setattr("parlour.net.fish.door.PAUSE", 0.01)
            patient = settings(2, wait=3600.0, return_time=3600.0, grace=60.0, once=False)
            made = FishDoor(TournamentServer(GAME, make_dialect("json"), patient, hall=hall), results.append)
            await made.open()
            running = asyncio.ensure_future(made.run())
            port = int(made.address.rpartition(":")[2])
            reports = list(await asyncio.gather(player("a", port), player("b", port)))
            while not results:  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
                await asyncio.sleep(0.01)
            await made.close()
            await running
            await hall.close()
            return reports

    reports = asyncio.run(scenario())
    assert starts >= 3
    assert kept > fails_at
    assert [result and (result.failures, result.cheaters) for result in results] == [((), ())]
    assert sorted(report.name for report in reports if report.won is not None) == ["a", "b"]


class Failing:
    """A server whose store fails again and again, and what it does in between."""

    def __init__(self, *does: str) -> None:
        self._does = list(does)

    async def run(self, report: Callable[[TournamentResult | None], None]) -> None:
        while self._does:
            if (step := self._does.pop(0)) == "fails":
                raise StoreError("the disk is full")
            assert step == "holds one"
            report(None)

    def renewed(self) -> Failing:
        return self

    async def try_store(self) -> None:
        """It keeps what is small."""

    async def start(self) -> None:
        """It listens."""


@pytest.mark.parametrize(
    ("does", "seconds"),
    [
        (["fails"], PAUSE),
        (["fails"] * 3, 7 * PAUSE),
        (["fails", "fails", "holds one", "fails"], 4 * PAUSE),
        (["fails"] * 10, 63 * PAUSE + 4 * LONGEST_PAUSE),
    ],
)
def test_a_store_that_goes_on_to_fail_is_tried_ever_less_often(does: list[str], seconds: float) -> None:
    with contextlib.closing(SimulatedLoop()) as loop:
        begun = loop.time()
        loop.run_until_complete(FishDoor(cast(TournamentServer, Failing(*does)), lambda result: None).run())
        assert round(loop.time() - begun, 3) == seconds
