"""The door of Fish: it says where it listens, ends when it is closed, and hides no failure of its tournaments."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something happens.

from __future__ import annotations

import asyncio

import pytest

from fish_wire import HOST, settings
from parlour.games.fish import GAME
from parlour.net.fish.door import FishDoor
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.tournament.values import TournamentResult


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
def test_a_door_that_is_closed_ends_quietly_and_listens_no_more(runs: bool) -> None:
    async def scenario() -> None:
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

    asyncio.run(asyncio.wait_for(scenario(), 30))


def test_what_goes_wrong_in_a_tournament_is_raised() -> None:
    def report(result: TournamentResult | None) -> None:
        raise RuntimeError("nobody reads that")

    async def scenario() -> None:
        made = door(report, wait=0.0, tries=1)
        await made.open()
        with pytest.raises(RuntimeError, match="nobody reads that"):
            await made.run()

    asyncio.run(asyncio.wait_for(scenario(), 30))
