"""Credentials: whatever takes a token or a role away is known at once to all who hold it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from parlour.errors import ConfigError, Denied
from parlour.net.accounts.accounts import Accounts, Identity
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.accounts.principals import NOBODY, of_account
from parlour.store import SQLiteStore
from parlour.testing import FakeClock
from support.hall.quick_passwords import QUICK
from support.waiting import inside

ROOT, SECRET, NEW = "the administrator", "correct horse", "new password"
AT_WILL = AccountLimits(sign_ins_per_minute=1e6, registrations_per_hour=1e6)


class Desk:
    """Accounts, and somebody who is signed in twice."""

    def __init__(self, accounts: Accounts, clock: FakeClock) -> None:
        self.accounts, self.clock = accounts, clock

    async def meet(self) -> Desk:
        await self.accounts.ensure_admin(ROOT)
        self.admin = await self.accounts.identify(await self.accounts.sign_in("admin", ROOT))
        await self.accounts.register("ann", SECRET)
        self.tokens = [await self.accounts.sign_in("ann", SECRET) for _ in range(2)]
        self.here, self.there = [await self.accounts.identify(token) for token in self.tokens]
        return self


WAYS: dict[str, tuple[Callable[[Desk], Awaitable[object]], tuple[bool, bool]]] = {
    "signs out": (lambda desk: desk.accounts.sign_out(desk.here), (False, True)),
    "is revoked": (lambda desk: desk.accounts.revoke(desk.tokens[0]), (False, True)),
    "signs out everywhere": (lambda desk: desk.accounts.sign_out(desk.there, everywhere=True), (False, False)),
    "changes the password": (lambda desk: desk.accounts.change_password(desk.there, SECRET, NEW), (False, True)),
    "is locked": (lambda desk: desk.accounts.lock(desk.admin, "ann"), (False, False)),
    "is closed": (lambda desk: desk.accounts.close_account(desk.there, "ann"), (False, False)),
    "forgot the password": (lambda desk: desk.accounts.reset_password(desk.admin, "ann"), (False, False)),
}  # fmt: skip


def meeting(path: Path, scenario: Callable[[Desk], Awaitable[None]]) -> None:
    async def run() -> None:
        with SQLiteStore(path / "accounts.db") as store:
            clock = FakeClock(1_000_000.0)
            accounts = Accounts(store, limits=AT_WILL, passwords=Passwords(QUICK), clock=clock.now, lifetime=1000.0)
            await scenario(await Desk(accounts, clock).meet())
            accounts.close()

    asyncio.run(run())


@pytest.mark.parametrize("way", WAYS)
@inside(meeting)
async def test_a_token_that_ends_counts_no_longer_where_it_is_in_use(desk: Desk, *, way: str) -> None:
    end, left = WAYS[way]
    told: list[str] = []
    desk.here.heed(lambda: told.append("here"))
    unheed = desk.there.heed(lambda: told.append("there"))
    unheed()
    await end(desk)
    if way == "changes the password":
        assert (desk.here.counts, desk.there.counts) == left
    else:
        assert sorted([desk.here.counts, desk.there.counts]) == sorted(left)
    assert told == ["here"]
    assert (desk.here.who, desk.here.name, desk.here.is_admin) == (NOBODY, "", False)
    with pytest.raises(Denied):
        await desk.accounts.identify(desk.tokens[0])
    if left[1]:
        assert await desk.accounts.identify(desk.tokens[1]) is desk.there
        assert desk.there.who == of_account("ann")


@inside(meeting)
async def test_a_token_that_expires_ends_where_it_is_in_use(desk: Desk) -> None:
    desk.clock.advance(2000.0)
    await desk.accounts.sweep()
    assert not desk.here.counts


@inside(meeting)
async def test_an_administrators_rights_are_given_and_taken_where_the_token_is_in_use(desk: Desk) -> None:
    told: list[bool] = []
    desk.here.heed(lambda: told.append(desk.here.is_admin))
    for admin in (True, True, False):
        await desk.accounts.set_admin(desk.admin, "ann", admin)
    assert told == [True, False]
    assert desk.here is await desk.accounts.identify(desk.tokens[0]), "it is the same token"


@inside(meeting)
async def test_what_was_ended_cannot_be_used_to_end_more(desk: Desk) -> None:
    await desk.accounts.sign_out(desk.here)
    with pytest.raises(Denied):
        await desk.accounts.change_password(desk.here, SECRET, "new password")
    with pytest.raises(Denied):
        await desk.accounts.close_account(desk.here, "ann")
    await desk.accounts.sign_out(desk.here, everywhere=True)
    assert desk.admin.counts, "it ends the tokens of its own account at most"
    assert isinstance(desk.here, Identity)


def test_whoever_heeds_no_longer_is_not_told() -> None:
    credential, told = Credential(of_account("ann"), "ann"), list[int]()
    unheed = credential.heed(lambda: told.append(1))
    unheed()
    unheed()
    credential.end()
    credential.end()
    assert told == []
    assert not credential.counts


@inside(meeting)
async def test_the_operators_bots_have_an_account_that_nobody_registers_first(desk: Desk) -> None:
    accounts = desk.accounts
    who, once = await accounts.ensure_bot("bots")
    assert who == of_account("bots")
    with pytest.raises(Denied, match="taken"):
        await accounts.register("bots", SECRET)
    token = await accounts.sign_in("bots", once)
    assert not (await accounts.identify(token)).is_admin
    assert await accounts.ensure_bot("bots") == (who, ""), "the second start makes nothing new"
    assert (await accounts.identify(token)).counts


@inside(meeting)
async def test_whoever_registered_the_name_of_the_operators_bots_is_locked_out_by_its_password(desk: Desk) -> None:
    assert await desk.accounts.ensure_bot("ann", "the operator's own") == (of_account("ann"), "")
    assert not desk.here.counts
    with pytest.raises(Denied):
        await desk.accounts.sign_in("ann", SECRET)
    assert await desk.accounts.sign_in("ann", "the operator's own")
    for name in ("admin", "", " x"):
        with pytest.raises(ConfigError, match="mila-bot"):
            await desk.accounts.ensure_bot(name)
