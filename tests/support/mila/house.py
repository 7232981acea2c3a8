"""The door of the `diplomacy` package's protocol on a real socket, before a hall with a store in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette

from parlour.net.accounts.accounts import Accounts, Registration
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.accounts.principals import NOBODY
from parlour.net.doors import HttpDoor
from parlour.net.hall import Hall
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.server_door import mila_route
from parlour.store import SQLiteStore
from support.hall.quick_passwords import QUICK

HOST = "127.0.0.1"
ADMIN = "the administrator"
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
    path: Path,
    *,
    registration: Registration = Registration.OPEN,
    bot_account: str = "",
    bot_password: str = "password",
    origins: Sequence[str] = (),
) -> AsyncIterator[House]:
    """Yield the door on a free port of this machine."""
    with SQLiteStore(path / "mila.db") as store:
        hall = Hall(store)
        await hall.start()
        accounts = Accounts(store, limits=GENEROUS, registration=registration, passwords=Passwords(QUICK))
        await accounts.ensure_admin(ADMIN)
        bot = (await accounts.ensure_bot(bot_account, bot_password))[0] if bot_account else NOBODY
        door = MilaDoor(HallHost(hall, accounts, bot=bot))
        app = Starlette(routes=[mila_route(door, origins)])
        entrance = HttpDoor(app, host=HOST, port=0, name="mila", scheme="ws", stop_time=1.0)
        await entrance.open()
        serving = asyncio.ensure_future(entrance.run())
        try:
            yield House(int(entrance.address.rpartition(":")[2]), door, hall, accounts)
        finally:
            await entrance.close()
            await serving
            await hall.close()
            accounts.close()
