"""Opens the doors of a server for `parlour serve`: says where each listens and what to try, and stops in time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

import click
import msgspec

from parlour.cli.calling import program
from parlour.errors import ConfigError
from parlour.net.accounts.accounts import DAY, Accounts, Registration
from parlour.net.accounts.limits import AccountLimits
from parlour.net.doors import HttpDoor, ServerDoor, closed_together, tls_context
from parlour.net.fish.door import FishDoor
from parlour.net.fish.server import TournamentServer
from parlour.net.framing.listener import connections_allowed
from parlour.net.hall import Hall
from parlour.net.logs import set_up_log
from parlour.net.loops import ask_for_files, quick_loop, settle_down
from parlour.net.settings import GatheredSettings, ServerSettings, read_ports, strange_variables
from parlour.net.setup import HallLimits
from parlour.store import open_store

DOORS = ("http", "mila", "fish", "daide")

MakeFish = Callable[[ServerSettings, Any], tuple[TournamentServer, Callable[[Any], None]]]
"""Makes the tournament server, given the settings and the store, and what prints its results."""


def serve_all(gathered: GatheredSettings, make_fish: MakeFish) -> None:
    """Serve on one store, behind every door that is wanted, until told to stop."""
    settings = gathered.settings
    wanted = settings.only or DOORS
    if unknown := [door for door in wanted if door not in DOORS]:
        raise ConfigError(f"only: there is no door {unknown[0][:40]!r}, expected {', '.join(DOORS)}", field="only")
    set_up_log(settings.log, settings.log_level)
    log = logging.getLogger("parlour.settings")
    for line in gathered.lines():
        log.info(line)
    for line in strange_variables(os.environ):
        log.warning(line)
    tls = tls_context(settings.tls_certificate, settings.tls_key)
    ask_for_files()
    settings = _within_files(settings, wanted)
    with open_store(settings.store) as store:
        store.claim()
        with contextlib.suppress(KeyboardInterrupt):
            quick_loop().run(_serve(settings, store, tls, wanted, make_fish))


def _within_files(settings: ServerSettings, wanted: Sequence[str]) -> ServerSettings:
    """The settings with no more connections at each door than leave files to the others, and to the store."""
    ports = {"mila": settings.mila_port, "daide": settings.daide_port}
    allowed = connections_allowed(sum(ports.get(door, 0) is not None for door in wanted))
    if allowed >= settings.connections:
        return settings
    log = logging.getLogger("parlour.settings")
    log.warning("connections: %d at each door, since this process may open few files (ulimit -n)", allowed)
    return msgspec.structs.replace(settings, connections=allowed)


async def _serve(settings: ServerSettings, store: Any, tls: Any, wanted: tuple[str, ...], make_fish: MakeFish) -> None:
    limits = HallLimits(matches=settings.matches, matches_of_one=settings.matches_per_account)
    accounts = _accounts(settings, store)
    hall = Hall(store, limits=limits, passwords=accounts.passwords)
    await hall.start()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    doors: list[ServerDoor] = []
    sweeping: asyncio.Task[None] | None = None
    try:
        if once := await accounts.ensure_admin(settings.admin_password):
            click.echo(f"the account admin has the one-time password {once}", err=True)
        sweeping = asyncio.ensure_future(accounts.keep_swept())
        for door in _doors(settings, hall, accounts, tls, wanted, make_fish):
            await door.open()
            doors.append(door)
            click.echo(f"{door.name} listens on {door.address}: {_hint(door)}", err=True)
        settle_down()
        await _run(doors, stop)
        click.echo("stopping", err=True)
    finally:
        await closed_together(doors, settings.stop_time)
        if sweeping is not None:
            sweeping.cancel()
        await hall.close()
        accounts.close()


async def _run(doors: list[ServerDoor], stop: asyncio.Event) -> None:
    """Serve until told to stop, or until a door fails."""
    serving = [asyncio.ensure_future(door.run()) for door in doors]
    stopping = asyncio.ensure_future(stop.wait())
    done, _ = await asyncio.wait((*serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    for task in done:
        if task is not stopping:
            task.result()


def _doors(
    settings: ServerSettings, hall: Hall, accounts: Accounts, tls: Any, wanted: tuple[str, ...], make_fish: MakeFish
) -> list[ServerDoor]:
    doors: list[ServerDoor] = []
    bounds: dict[str, Any] = {
        "host": settings.host,
        "tls": tls,
        "connections": settings.connections,
        "connections_of_one": settings.connections_per_address,
        "max_message": settings.max_body,
        "trusted_proxies": settings.trusted_proxies,
        "stop_time": settings.stop_time,
    }
    daide = _Daide(settings, hall) if "daide" in wanted and settings.daide_port is not None else None
    mila = _mila_route(settings, hall, accounts, daide)
    if "http" in wanted:
        doors.append(_http_door(settings, hall, accounts, mila, doors, bounds))
    if "mila" in wanted and settings.mila_port is not None:
        from starlette.applications import Starlette

        app = Starlette(routes=[mila])
        doors.append(HttpDoor(app, port=settings.mila_port, name="mila", scheme="ws", **bounds))
    if "fish" in wanted:
        tournaments, report = make_fish(settings, hall.store)
        tournaments.lodge = hall.lodge
        doors.append(FishDoor(tournaments, report))
    if daide is not None:
        doors.append(daide)
    return doors


def _mila_route(settings: ServerSettings, hall: Hall, accounts: Accounts, daide: _Daide | None) -> Any:
    """The websocket of clients of the `diplomacy` package: the same door on every port where it is."""
    from parlour.net.mila.door import MilaDoor
    from parlour.net.mila.endpoint import mila_route
    from parlour.net.mila.hall_host import HallHost

    port = {} if daide is None else {"daide_port": daide.port_of}
    host = HallHost(hall, accounts, bot_account=settings.mila_bot, **port)
    return mila_route(MilaDoor(host), settings.origins)


def _http_door(
    settings: ServerSettings,
    hall: Hall,
    accounts: Accounts,
    mila: Any,
    doors: Sequence[ServerDoor],
    bounds: dict[str, Any],
) -> HttpDoor:
    """The API and the pages, beside the websocket of Diplomacy clients."""
    from parlour.net.http.app import Service, make_app
    from parlour.web.site import Site

    site = Site(hall, accounts)
    service = Service(hall, accounts, settings, connections=lambda: {door.name: door.connections for door in doors})
    app = make_app(service, [mila, *site.routes()])
    return HttpDoor(app, port=settings.http_port, closed=site.close, **bounds)


class _Daide:
    """The door for DAIDE bots, opened and run like the others."""

    name = "daide"

    def __init__(self, settings: ServerSettings, hall: Hall) -> None:
        from parlour.games.diplomacy.map import named
        from parlour.net.daide.door import MOST, DaideDoor
        from parlour.net.daide.options import read_options
        from parlour.net.daide.tokens import Numbering

        assert settings.daide_port is not None
        self._host, self._port = settings.host, settings.daide_port
        options = read_options(settings.daide_level, settings.daide_mtl, settings.daide_options)
        board, years = named(settings.daide_map), settings.daide_years
        self._door = DaideDoor(
            hall,
            options,
            board=board,
            config={"last_year": board.year + years - 1} if years else {},
            numbering=Numbering(settings.daide_numbering),
            ports=read_ports(settings.daide_ports),
            most=min(MOST, settings.connections),
        )

    @property
    def address(self) -> str:
        return f"{self._host}:{self._door.port}"

    @property
    def connections(self) -> int:
        return self._door.connections

    async def port_of(self, match: str) -> int:
        """Where bots of a match connect."""
        return await self._door.port_of(match)

    async def open(self) -> None:
        await self._door.open(self._host, self._port)

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def close(self) -> None:
        await self._door.close()


def _accounts(settings: ServerSettings, store: Any) -> Accounts:
    limits = AccountLimits(settings.sign_ins_per_minute, settings.registrations_per_hour)
    registration = Registration(settings.registration)
    return Accounts(store, limits=limits, registration=registration, lifetime=settings.token_days * DAY)


def _hint(door: ServerDoor) -> str:
    """What to try at a door."""
    return {
        "http": f"open it in a browser, or curl {door.address}/api/v1/matches; "
        f"Diplomacy: {program()} join ws{door.address.removeprefix('http')} --match ID --power FRANCE --agent broker",
        "mila": f"clients of the diplomacy package, or {program()} join {door.address} --match ID --agent broker",
        "fish": f"{program()} join {door.address} --game fish --agent greedy",
        "daide": f"let a DAIDE bot connect, or {program()} join daide://{door.address} --agent search",
    }[door.name]
