"""Opens the doors of a server for `parlour serve`: prints the address of each and commands to try; stops in time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from parlour import games
from parlour.agents.house_specs import import_house_agents
from parlour.cli.servers.doors import DOORS
from parlour.cli.terminal.calling import program
from parlour.core.game import Plain
from parlour.core.text import hint
from parlour.errors import ConfigError, StoreInUse
from parlour.net.accounts.accounts import DAY, Accounts, Registration
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.principals import NOBODY
from parlour.net.accounts.revocations import Revocations, revocations_path
from parlour.net.crash_guard import CrashGuard, marks_path
from parlour.net.declaration import DoorDeclaration, Premises
from parlour.net.doors import ServerDoor, closed_together, tls_context
from parlour.net.fish.server import TournamentServer
from parlour.net.framing.limiter import connections_allowed
from parlour.net.hall import Hall
from parlour.net.logs import announce, set_up_log
from parlour.net.loops import ask_for_files, quick_loop, settle_down
from parlour.net.settings import GatheredSettings, ServerSettings, strange_variables
from parlour.net.setup import HallLimits
from parlour.net.threads import on_thread
from parlour.store import Store, open_store

MakeFish = Callable[[ServerSettings, Hall], tuple[TournamentServer, Callable[[Any], None]]]
"""Makes the tournament server and the function that prints its results, given the settings and the hall."""


STANDBY_PAUSE = 0.5
"""Seconds between two attempts of a standby server to claim the store."""


def serve_all(gathered: GatheredSettings, make_fish: MakeFish, *, verbose: bool = False, standby: bool = False) -> None:
    """Open the requested doors on one store, and serve until a signal stops the server.

    A standby server opens its doors when no other server uses the store.
    """
    settings = gathered.settings
    known = [declared.name for declared in DOORS]
    if unknown := [name for name in settings.only if name not in known]:
        raise ConfigError(f"only: there is no door {unknown[0][:40]!r}, expected {', '.join(known)}", field="only")
    wanted = [declared for declared in DOORS if not settings.only or declared.name in settings.only]
    set_up_log(settings.log, settings.log_level)
    log = logging.getLogger("parlour.settings")
    for line in gathered.lines() if verbose else (gathered.summary(),):
        log.info(line)
    for line in strange_variables(os.environ):
        log.warning(line)
    _check_map(settings.map)
    tls = tls_context(settings.tls_certificate, settings.tls_key)
    ask_for_files()
    settings = _within_files(settings, wanted)
    with open_store(settings.store) as store, contextlib.suppress(KeyboardInterrupt):
        if standby:  # import now, so that taking over is quick
            for declared in wanted:
                declared.load()
        _claim(store, settings.log, standby=standby)
        quick_loop().run(_serve(settings, store, tls, wanted, make_fish))


def _check_map(name: str) -> None:
    """Raise ConfigError for a map that no game offers."""
    options = [option for game in games.games() for option in games.declared(game).options if option.name == "map"]
    known = [value for option in options for value in option.values]
    if name and name not in known:
        raise ConfigError(f"map: expected one of {', '.join(known)}, got {name!r:.60}{hint(name, known)}", field="map")


def _claim(store: Store, log: str, *, standby: bool) -> None:
    """Claim the store for this server; a standby server waits until the store is free."""
    told = False
    while True:
        try:
            store.claim()
            return
        except StoreInUse:
            if not standby:
                raise
        if not told:
            announce(log, "stands by until the server that uses the store ends", standby=True)
            told = True
        time.sleep(STANDBY_PAUSE)


def _within_files(settings: ServerSettings, wanted: Sequence[DoorDeclaration]) -> ServerSettings:
    """Return the settings, with fewer connections per door if this process may open too few files for all of them."""
    allowed = connections_allowed(sum(getattr(settings, declared.port) is not None for declared in wanted))
    if allowed >= settings.connections:
        return settings
    log = logging.getLogger("parlour.settings")
    log.warning("connections: %d at each door, since this process may open few files (ulimit -n)", allowed)
    return msgspec.structs.replace(settings, connections=allowed)


async def _serve(
    settings: ServerSettings, store: Any, tls: Any, wanted: Sequence[DoorDeclaration], make_fish: MakeFish
) -> None:
    limits = HallLimits(
        matches=settings.matches,
        matches_of_one=settings.matches_per_account,
        match_bytes=settings.bytes_per_match,
        account_bytes=settings.bytes_per_account,
        message_length=settings.message_length,
        messages_per_turn=settings.messages_per_turn,
    )
    accounts = _accounts(settings, store)
    guard = CrashGuard(store, marks_path(settings.store))
    usual: dict[str, Plain] = {"map": settings.map} if settings.map else {}
    hall = Hall(store, limits=limits, names=accounts.names, guard=guard, usual=usual)
    accounts.signed_in = hall.quotas.signed_in
    await hall.start()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    doors: list[ServerDoor] = []
    sweeping: asyncio.Task[None] | None = None
    try:
        await accounts.start()
        if once := await accounts.ensure_admin(settings.admin_password):
            announce(settings.log, f"the account admin has the one-time password {once}", secret=True)
        bot, once = NOBODY, ""
        if settings.mila_bot:
            bot, once = await accounts.ensure_bot(settings.mila_bot, settings.mila_bot_password)
        if once:
            announce(settings.log, f"the account {settings.mila_bot} has the one-time password {once}", secret=True)
        sweeping = asyncio.ensure_future(accounts.keep_swept())
        hints = {declared.name: declared.hint for declared in wanted}
        for door in make_doors(Premises(settings, hall, accounts, bot, tls, make_fish), wanted):
            await door.open()
            doors.append(door)
            hint = hints[door.name](door.address, program())
            announce(settings.log, f"{door.name} listens on {door.address}: {hint}", door=door.name)
        settle_down()
        hall.spawn(on_thread(import_house_agents))  # otherwise the first request for one would delay all others
        await _run(doors, stop)
        announce(settings.log, "stopping")
    finally:
        await closed_together(doors, settings.stop_time)
        if sweeping is not None:
            sweeping.cancel()
        await hall.close()
        accounts.close()


async def _run(doors: list[ServerDoor], stop: asyncio.Event) -> None:
    """Serve until stop is set or a door ends; raise the error of a door that failed."""
    serving = [asyncio.ensure_future(door.run()) for door in doors]
    stopping = asyncio.ensure_future(stop.wait())
    done, _ = await asyncio.wait((*serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    for task in done:
        if task is not stopping:
            task.result()


def make_doors(premises: Premises, wanted: Sequence[DoorDeclaration]) -> list[ServerDoor]:
    """Return all requested doors that have a port, in the order of the list; none is open yet."""
    opened = [declared for declared in wanted if getattr(premises.settings, declared.port) is not None]
    # The websocket of Diplomacy clients reports where DAIDE bots connect, so the DAIDE door is made first.
    for declared in sorted(opened, key=lambda declared: declared.name != "daide"):
        premises.doors.append(declared.load()(premises))
    order = [declared.name for declared in opened]
    premises.doors.sort(key=lambda door: order.index(door.name))
    return premises.doors


def _accounts(settings: ServerSettings, store: Any) -> Accounts:
    limits = AccountLimits(settings.sign_ins_per_minute, settings.registrations_per_hour)
    registration = Registration(settings.registration)
    revocations = Revocations(store, revocations_path(settings.store))
    lifetime = settings.token_days * DAY
    return Accounts(store, limits=limits, registration=registration, lifetime=lifetime, revocations=revocations)
