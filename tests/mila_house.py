"""The door of the `diplomacy` package's protocol on a real socket, before a hall with a store in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import argon2
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from parlour.net.accounts.accounts import Accounts, Registration
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.hall import Hall
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.pump import MAX_FRAME, Pump
from parlour.net.mila.values import OWN_AGENT
from parlour.store import SQLiteStore

HOST = "127.0.0.1"
ADMIN = "the administrator"
QUICK = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
GENEROUS = AccountLimits(sign_ins_per_minute=100_000, registrations_per_hour=100_000)


@dataclass
class House:
    """A server as a test sees it."""

    port: int
    door: MilaDoor
    hall: Hall
    accounts: Accounts


@asynccontextmanager
async def mila_server(
    path: Path, *, registration: Registration = Registration.OPEN, bot_account: str = ""
) -> AsyncIterator[House]:
    """The door on a free port of this machine."""
    with SQLiteStore(path / "mila.db") as store:
        hall = Hall(store)
        await hall.start()
        accounts = Accounts(store, limits=GENEROUS, registration=registration, passwords=Passwords(QUICK))
        await accounts.ensure_admin(ADMIN)
        door = MilaDoor(HallHost(hall, accounts, bot_account=bot_account))
        try:
            async with serve(_meet(door), HOST, 0, max_size=MAX_FRAME, compression=None) as server:
                yield House(server.sockets[0].getsockname()[1], door, hall, accounts)
        finally:
            await hall.close()
            accounts.close()


def _meet(door: MilaDoor) -> Any:
    async def frames(socket: ServerConnection) -> AsyncIterator[bytes | str]:
        with suppress(ConnectionClosed):
            async for frame in socket:
                yield frame

    async def meet(socket: ServerConnection) -> None:
        async def send(texts: Sequence[bytes]) -> None:
            with suppress(ConnectionClosed):
                for text in texts:
                    await socket.send(text.decode())

        assert socket.request is not None
        pump = Pump(door, send, address=HOST, regrades=socket.request.headers.get("User-Agent") == OWN_AGENT)
        await pump.run(frames(socket))

    return meet


async def forever() -> None:
    """Wait until cancelled."""
    await asyncio.Event().wait()
