"""The doors that `parlour serve` opens: what belongs to a door is closed with it, and each says who is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from parlour.cli.serve import command
from parlour.cli.servers import serving
from parlour.cli.servers.doors import DOORS
from parlour.cli.servers.serving import make_doors
from parlour.core.terms import Terms
from parlour.games import load_game
from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.principals import NOBODY
from parlour.net.declaration import DoorDeclaration, Premises
from parlour.net.doors import ServerDoor
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.net.hall import Hall
from parlour.net.settings import SECRET, ServerSettings, gather, option_of
from parlour.referee.conduct import STRICT
from parlour.store import open_store
from parlour.web.site import Site


def unwanted(settings: ServerSettings, hall: Hall) -> tuple[TournamentServer, Callable[[object], None]]:
    pytest.fail("no Fish was wanted")


def test_what_a_door_declares_is_an_option_of_the_command_and_in_the_documentation() -> None:
    documented = Path("docs/how-to/run-a-server.md").read_text()
    options = {parameter.name: parameter for parameter in command.params if isinstance(parameter, click.Option)}
    for declared in DOORS:
        assert declared.port in declared.settings
        assert set(declared.settings) <= set(ServerSettings.__struct_fields__)
        for field in declared.settings:
            assert f"| `{option_of(field)}` |" in documented
            assert field in SECRET or options[field].help
        assert declared.hint("there", "parlour")
    numbering, level = options["daide_numbering"].type, options["daide_level"].type
    assert isinstance(numbering, click.Choice)
    assert isinstance(level, click.IntRange)
    assert (list(numbering.choices), level.max) == (["clients", "document"], 60)


async def test_pages_are_closed_with_their_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Site] = []
    monkeypatch.setattr(Site, "close", lambda site: closed.append(site))
    with open_store(str(tmp_path / "parlour.db")) as store:
        hall, accounts = Hall(store), Accounts(store)
        await hall.start()
        settings = ServerSettings(http_port=0)
        (door,) = make_doors(Premises(settings, hall, accounts, NOBODY, None, unwanted), DOORS[:1])
        await door.open()
        assert closed == []
        await door.close()
        await hall.close()
        accounts.close()
    assert len(closed) == 1


async def numbers(address: str) -> list[str]:
    """Return the metrics of an HTTP door."""
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
            wanted = [declared for declared in DOORS if declared.name != "mila"]
            doors = make_doors(Premises(settings, hall, accounts, NOBODY, None, tournaments), wanted)
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


def test_a_standby_has_loaded_its_doors_before_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise imports, half a second of work, would lie between the end of one server and the doors of the next."""

    class Claimed(Exception): ...

    loaded: list[str] = []

    def load(declared: DoorDeclaration) -> Callable[[Premises], ServerDoor]:
        loaded.append(declared.name)
        return make(declared)

    def claim(*_: object, standby: bool) -> None:
        raise Claimed

    make = DoorDeclaration.load
    monkeypatch.setattr(DoorDeclaration, "load", load)
    monkeypatch.setattr(serving, "_claim", claim)
    monkeypatch.setattr(serving, "set_up_log", lambda *_: None)
    gathered = gather({"store": str(tmp_path / "parlour.db"), "only": "http,daide"}, {}, None)
    for standby in (False, True):
        with pytest.raises(Claimed):
            serving.serve_all(gathered, unwanted, standby=standby)
        assert loaded == (["http", "daide"] if standby else [])
