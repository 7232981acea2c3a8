"""The doors that `parlour serve` opens: what belongs to a door is closed with it, and each says who is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.cli.serving import _doors
from parlour.core.terms import Terms
from parlour.games import load_game
from parlour.net.accounts.accounts import Accounts
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.net.hall import Hall
from parlour.net.settings import ServerSettings
from parlour.referee.conduct import STRICT
from parlour.store import open_store
from parlour.web.site import Site


def test_pages_are_closed_with_their_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Site] = []
    monkeypatch.setattr(Site, "close", lambda site: closed.append(site))

    async def opened_and_closed() -> None:
        with open_store(str(tmp_path / "parlour.db")) as store:
            hall, accounts = Hall(store), Accounts(store)
            await hall.start()
            settings = ServerSettings(http_port=0)
            (door,) = _doors(settings, hall, accounts, None, ("http",), lambda *_: pytest.fail("no Fish was wanted"))
            await door.open()
            assert closed == []
            await door.close()
            await hall.close()
            accounts.close()

    asyncio.run(opened_and_closed())
    assert len(closed) == 1


async def numbers(address: str) -> list[str]:
    """What operators see at an HTTP door."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(address))
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    text = (await reader.read()).decode()
    writer.close()
    return text.splitlines()


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def test_operators_see_how_many_are_connected_at_each_door(tmp_path: Path) -> None:
    def tournaments(settings: ServerSettings, store: object) -> tuple[TournamentServer, Callable[[object], None]]:
        fish = Settings(terms=Terms(STRICT), host=settings.host, port=settings.fish_port)
        return TournamentServer(load_game("fish"), make_dialect("json"), fish), lambda result: None

    async def opened_and_asked() -> None:
        with open_store(str(tmp_path / "parlour.db")) as store:
            hall, accounts = Hall(store), Accounts(store)
            await hall.start()
            settings = ServerSettings(http_port=0, fish_port=0, daide_port=0)
            doors = _doors(settings, hall, accounts, None, ("http", "fish", "daide"), tournaments)
            for door in doors:
                await door.open()
            http, fish, daide = doors
            guests = [await asyncio.open_connection("127.0.0.1", port_of(door.address)) for door in (fish, fish, daide)]
            while (fish.connections, daide.connections) != (2, 1):  # noqa: ASYNC110
                await asyncio.sleep(0.01)  # real sockets are accepted in real time
            told = await numbers(http.address)
            assert 'parlour_connections{door="http"} 1' in told
            assert 'parlour_connections{door="fish"} 2' in told
            assert 'parlour_connections{door="daide"} 1' in told
            assert "parlour_matches_awake 0" in told
            for _, writer in guests:
                writer.close()
            for door in doors:
                await door.close()
            await hall.close()
            accounts.close()

    asyncio.run(opened_and_asked())
