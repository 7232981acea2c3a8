"""A restored copy of a store: no token counts that was revoked since, for none of that copy does."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from parlour.errors import Denied, StoreError
from parlour.net.accounts.accounts import Accounts, Registration
from parlour.net.accounts.passwords import Passwords
from parlour.net.accounts.revocations import Revocations, revocations_path
from parlour.store import AllRevoked, SQLiteStore, Write
from support.hall.quick_passwords import QUICK

SECRET = "long enough"


class Server:
    """A server's accounts on a store that is a file, started again and again."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "parlour.db"
        self.copy = folder / "copy.db"
        beside = revocations_path(str(self.path))
        assert beside is not None
        self.beside = beside

    def run(self, story: Callable[[Accounts], Awaitable[None]], *, beside: bool = True) -> None:
        async def told() -> None:
            with SQLiteStore(self.path) as store:
                revocations = Revocations(store, self.beside if beside else None)
                accounts = Accounts(
                    store, registration=Registration.INVITATION, revocations=revocations, passwords=Passwords(QUICK)
                )
                await accounts.start()
                try:
                    await story(accounts)
                finally:
                    accounts.close()

        asyncio.run(told())

    def back_up(self) -> None:
        shutil.copy(self.path, self.copy)

    def restore(self) -> None:
        shutil.copy(self.copy, self.path)


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def begin(server: Server) -> dict[str, str]:
    """Return a store with an administrator, two of her tokens and an invitation."""
    found: dict[str, str] = {}

    async def story(accounts: Accounts) -> None:
        await accounts.ensure_admin(SECRET)
        for name in ("stolen", "other"):
            found[name] = await accounts.sign_in("admin", SECRET)
        admin = await accounts.identify(found["other"])
        found["invitation"] = await accounts.invite(admin)

    server.run(story)
    return found


async def counts(accounts: Accounts, token: str) -> bool:
    try:
        await accounts.identify(token)
    except Denied:
        return False
    return True


def test_a_token_that_was_revoked_stays_so_after_a_copy_was_restored(server: Server) -> None:
    found = begin(server)
    server.back_up()

    async def revoke(accounts: Accounts) -> None:
        await accounts.sign_out(await accounts.identify(found["stolen"]))
        assert await counts(accounts, found["other"])

    async def afterwards(accounts: Accounts) -> None:
        assert not await counts(accounts, found["stolen"])
        assert not await counts(accounts, found["other"]), "nobody can tell which were revoked"
        with pytest.raises(Denied, match="invitation"):
            await accounts.register("new", SECRET, invitation=found["invitation"])
        found["fresh"] = await accounts.sign_in("admin", SECRET)

    async def again(accounts: Accounts) -> None:
        assert await counts(accounts, found["fresh"]), "that is so once, not at each start"

    server.run(revoke)
    server.restore()
    server.run(afterwards)
    server.run(again)


def test_without_a_restored_copy_tokens_count_on(server: Server) -> None:
    found = begin(server)

    async def revoke(accounts: Accounts) -> None:
        assert await counts(accounts, found["other"])
        await accounts.sign_out(await accounts.identify(found["stolen"]))

    async def afterwards(accounts: Accounts) -> None:
        assert await counts(accounts, found["other"])
        assert not await counts(accounts, found["stolen"])

    server.run(revoke)
    server.run(afterwards)


def test_a_copy_since_which_nothing_was_revoked_keeps_its_tokens(server: Server) -> None:
    found = begin(server)
    server.back_up()

    async def afterwards(accounts: Accounts) -> None:
        assert await counts(accounts, found["stolen"])

    server.restore()
    server.run(afterwards)


@pytest.mark.parametrize("content", [None, b"", b"nonsense", b"9" * 100])
def test_a_store_without_the_file_beside_it_counts_as_restored(server: Server, content: bytes | None) -> None:
    found = begin(server)
    if content is None:
        server.beside.unlink()
    else:
        server.beside.write_bytes(content)

    async def afterwards(accounts: Accounts) -> None:
        assert not await counts(accounts, found["other"])

    server.run(afterwards)
    assert server.beside.read_bytes().isdigit()


def test_a_store_that_is_no_file_has_none_beside_it_and_tokens_count(server: Server) -> None:
    found = begin(server)

    async def afterwards(accounts: Accounts) -> None:
        assert await counts(accounts, found["other"])

    server.run(afterwards, beside=False)
    assert revocations_path("postgresql://somewhere/parlour") is None


def test_a_one_time_password_still_lets_somebody_in(server: Server) -> None:
    once: list[str] = []

    async def first(accounts: Accounts) -> None:
        once.append(await accounts.ensure_admin())

    async def afterwards(accounts: Accounts) -> None:
        assert await counts(accounts, await accounts.sign_in("admin", once[0]))

    server.run(first)
    server.beside.unlink()
    server.run(afterwards)


def test_the_file_is_for_the_owner_only_and_says_so_if_it_cannot_be_written(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    begin(server)
    assert server.beside.stat().st_mode & 0o777 == 0o600
    server.beside = server.path.parent / "no such folder" / "file"

    async def story(accounts: Accounts) -> None:
        await accounts.sign_in("admin", SECRET)

    server.run(story)
    assert "cannot be written" in caplog.text


def test_a_revocation_that_was_never_stored_does_not_make_the_store_an_older_copy(server: Server) -> None:
    begin(server)

    async def killed(accounts: Accounts) -> None:
        """Count one revocation in the file while the write of the next one fails, and stop there."""
        store, kept = accounts._store, accounts._store.keep

        async def failing(*writes: Write) -> None:
            if any(isinstance(write, AllRevoked) for write in writes):
                raise StoreError("the disk is full")
            await kept(*writes)
            with contextlib.suppress(StoreError):
                await accounts._revocations.keep(AllRevoked("nobody"))

        store.keep = failing  # type: ignore[method-assign]
        await accounts._revocations.keep()
        store.keep = kept  # type: ignore[method-assign]

    async def again(accounts: Accounts) -> None:
        assert await accounts._revocations.start() is False

    server.run(killed)
    server.run(again)
