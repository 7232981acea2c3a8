"""Accounts under a simulated clock: who gets in, for how long, and what they are told who do not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from parlour.errors import Denied, StoreError
from parlour.net.accounts.accounts import DAY, Accounts, Identity, Registration
from parlour.net.accounts.guesses import HELD_OF_PAIR, LONGEST_HOLD, NAMES
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.names import LONGEST_NAME
from parlour.net.accounts.passwords import Passwords
from parlour.net.accounts.tokens import LONGEST, digest_of
from parlour.net.fair_pool import HOUSE, Requester
from parlour.net.permission_errors import DenialCode
from parlour.store import SQLiteStore, Write
from parlour.testing import FakeClock
from support.hall.quick_passwords import QUICK
from support.waiting import PATIENCE, until

SECRET = "correct horse"
GENEROUS = AccountLimits(sign_ins_per_minute=1000, registrations_per_hour=1000)


class House:
    """A store with accounts, and the clock on its wall."""

    def __init__(self, path: Path) -> None:
        self.store = SQLiteStore(path)
        self.clock = FakeClock(1_000_000.0)
        self.passwords = Passwords(QUICK)
        self.held: list[float] = []
        """For how many seconds sign-ins were held."""
        self.accounts = self.open()

    def open(
        self,
        registration: Registration = Registration.OPEN,
        limits: AccountLimits = GENEROUS,
        max_known: int = 100,
        sleep: Callable[[float], Awaitable[object]] | None = None,
    ) -> Accounts:
        return Accounts(
            self.store,
            limits=limits,
            registration=registration,
            passwords=self.passwords,
            clock=self.clock.now,
            max_known=max_known,
            sleep=sleep or self._hold,
        )

    async def _hold(self, seconds: float) -> None:
        self.held.append(seconds)

    async def enter(self, name: str) -> Identity:
        """Sign in, and say who that is."""
        return await self.accounts.identify(await self.accounts.sign_in(name, SECRET))

    async def admin(self) -> Identity:
        """Return the administrator."""
        await self.accounts.ensure_admin(SECRET)
        return await self.enter("admin")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "kept.db")
    yield made
    made.accounts.close()
    made.store.close()


def denied(act: Callable[[], Awaitable[object]]) -> tuple[str, str]:
    """Return the sentence of a denial."""

    async def awaited() -> object:
        return await act()

    with pytest.raises(Denied) as told:
        asyncio.run(awaited())
    return told.value.code, str(told.value)


BAD_TOKEN = (DenialCode.BAD_TOKEN, "the token is unknown, expired or revoked: sign in again")
WRONG = (DenialCode.WRONG_PASSWORD, "the name or the password is wrong")
NOT_ADMIN = (DenialCode.NOT_ALLOWED, "only the administrator may do that")
USED_UP = (DenialCode.BAD_VALUE, "invitation: unknown, used up or expired")


# Coming and going


async def test_whoever_registers_can_sign_in_and_is_known_by_the_token(house: House) -> None:
    await house.accounts.register("zoë", SECRET)
    token = await house.accounts.sign_in("zoë", SECRET)
    identity = await house.accounts.identify(token)
    assert (identity.name, identity.is_admin) == ("zoë", False)
    assert (await house.open().identify(token)).who == identity.who
    kept = house.store.account("zoë")
    assert kept is not None
    assert kept.password.startswith("$argon2id$")
    assert (kept.created, kept.role) == (1_000_000.0, "")
    assert house.store.token(digest_of(token)) == identity.token


async def test_a_sign_in_tells_the_network_and_a_refused_one_does_not(house: House) -> None:
    told: list[tuple[str, str]] = []
    house.accounts.signed_in = lambda account, network: told.append((account, network))
    await house.accounts.register("zoë", SECRET, "2001:db8::1")
    with pytest.raises(Denied):
        await house.accounts.sign_in("zoë", "wrong", "2001:db8::1")
    await house.accounts.sign_in("zoë", SECRET, "2001:db8::1")
    assert told == [("zoë", "2001:db8::/64")]


def test_tokens_and_invitations_are_too_long_to_guess_and_only_their_digests_are_kept(
    house: House, tmp_path: Path
) -> None:
    async def scenario() -> list[str]:
        await house.accounts.register("zoe", SECRET)
        tokens = [await house.accounts.sign_in("zoe", SECRET) for _ in range(2)]
        return [*tokens, await house.accounts.invite(await house.admin())]

    tokens = asyncio.run(scenario())
    assert len(set(tokens)) == 3
    assert [len(token) for token in tokens] == [43] * 3, "32 bytes by chance"
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not any(token.encode() in kept for token in tokens)
    assert all(digest_of(token) in kept for token in tokens)


async def test_of_two_names_that_look_alike_one_can_be_had_however_close_they_come(house: House) -> None:
    calls = (house.accounts.register(name, SECRET) for name in ("mary", "rnary"))
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert [isinstance(one, Denied) for one in found].count(True) == 1


def test_a_wrong_name_and_a_wrong_password_are_told_alike(house: House) -> None:
    asyncio.run(house.accounts.register("zoe", SECRET))
    assert denied(lambda: house.accounts.sign_in("zoe", "wrong horse")) == WRONG
    assert denied(lambda: house.accounts.sign_in("adam", SECRET)) == WRONG
    assert denied(lambda: house.accounts.sign_in("", "")) == WRONG
    assert denied(lambda: house.accounts.sign_in("half \ud800", SECRET)) == WRONG


def test_tokens_that_do_not_count(house: House) -> None:
    async def scenario() -> str:
        return await house.accounts.invite(await house.admin())

    invitation = asyncio.run(scenario())
    assert denied(lambda: house.accounts.identify("")) == (DenialCode.NOT_SIGNED_IN, "to do that, sign in first")
    assert denied(lambda: house.accounts.identify("made up")) == BAD_TOKEN
    assert denied(lambda: house.accounts.identify("x" * 300)) == BAD_TOKEN
    assert denied(lambda: house.accounts.identify(invitation)) == BAD_TOKEN


def test_nobody_makes_the_store_look_for_a_text_that_is_too_long_for_a_token(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_for: list[bytes] = []
    monkeypatch.setattr(house.store, "token", looked_for.append)
    assert denied(lambda: house.accounts.identify("x" * (LONGEST + 1))) == BAD_TOKEN
    assert not looked_for
    assert denied(lambda: house.accounts.identify("x" * LONGEST)) == BAD_TOKEN
    assert looked_for == [digest_of("x" * LONGEST)]


@pytest.mark.parametrize("known", [True, False], ids=["seen before", "not seen before"])
def test_a_token_expires(house: House, known: bool) -> None:
    async def scenario() -> str:
        await house.accounts.register("zoe", SECRET)
        token = await house.accounts.sign_in("zoe", SECRET)
        house.clock.advance(30 * DAY - 1)
        if known:
            assert (await house.accounts.identify(token)).name == "zoe"
        return token

    token = asyncio.run(scenario())
    house.clock.advance(1)
    assert denied(lambda: house.accounts.identify(token)) == BAD_TOKEN
    assert denied(lambda: house.accounts.identify(token)) == BAD_TOKEN
    assert len(house.store.tokens("zoe")) == 1
    asyncio.run(house.accounts.sweep())
    assert house.store.tokens("zoe") == []


async def test_who_was_seen_lately_is_known_without_asking_the_store_until_the_token_counts_no_longer(
    house: House,
) -> None:
    await house.accounts.register("zoe", SECRET)
    first, second = [await house.accounts.sign_in("zoe", SECRET) for _ in range(2)]
    assert house.accounts.known(first) is None
    zoe = await house.accounts.identify(first)
    assert house.accounts.known(first) == zoe
    await house.accounts.sign_out(zoe)
    assert house.accounts.known(first) is None
    await house.accounts.identify(second)
    house.clock.advance(30 * DAY - 1)
    assert house.accounts.known(second)
    house.clock.advance(1)
    assert house.accounts.known(second) is None


def test_signing_out_ends_one_token_or_all(house: House) -> None:
    async def scenario() -> list[str]:
        await house.accounts.register("zoe", SECRET)
        await house.accounts.register("adam", SECRET)
        tokens = [await house.accounts.sign_in(name, SECRET) for name in ("zoe", "zoe", "adam")]
        first, second, adam = [await house.accounts.identify(token) for token in tokens]
        await house.accounts.sign_out(first)
        await house.accounts.sign_out(first)
        assert await house.accounts.identify(tokens[1]) == second
        await house.accounts.sign_out(second, everywhere=True)
        assert await house.accounts.identify(tokens[2]) == adam
        return tokens

    first, second, adam = asyncio.run(scenario())
    assert denied(lambda: house.accounts.identify(first)) == BAD_TOKEN
    assert denied(lambda: house.accounts.identify(second)) == BAD_TOKEN
    assert denied(lambda: house.open().identify(second)) == BAD_TOKEN
    assert asyncio.run(house.accounts.identify(adam)).name == "adam"


def test_another_password_ends_all_other_tokens(house: House) -> None:
    async def scenario() -> str:
        await house.accounts.register("zoe", SECRET)
        other = await house.accounts.sign_in("zoe", SECRET)
        await house.accounts.identify(other)
        token = await house.accounts.sign_in("zoe", SECRET)
        mine = await house.accounts.identify(token)
        await house.accounts.change_password(mine, SECRET, "battery staple")
        assert await house.accounts.identify(token) == mine
        assert await house.accounts.sign_in("zoe", "battery staple")
        return other

    other = asyncio.run(scenario())
    assert denied(lambda: house.accounts.identify(other)) == BAD_TOKEN
    assert denied(lambda: house.accounts.sign_in("zoe", SECRET)) == WRONG


@pytest.mark.parametrize("change", ["password", "reset", "lock"])
async def test_a_sign_in_that_was_under_way_does_not_outlive_a_change(house: House, change: str) -> None:
    """A thief who signs in again and again is out once the password is another, also when it changes in between."""
    await house.accounts.register("zoe", SECRET)
    zoe, admin = await house.enter("zoe"), await house.admin()
    original = house.passwords.matches

    async def slow(digest: str, password: str, asker: Requester = HOUSE) -> bool:
        house.passwords.matches = original  # type: ignore[method-assign]
        found = await original(digest, password, asker)
        if change == "password":
            await house.accounts.change_password(zoe, SECRET, "battery staple")
        elif change == "reset":
            await house.accounts.reset_password(admin, "zoe")
        else:
            await house.accounts.lock(admin, "zoe")
        return found

    house.passwords.matches = slow  # type: ignore[method-assign]
    with pytest.raises(Denied, match="wrong"):
        await house.accounts.sign_in("zoe", SECRET)
    await house.accounts.lock(admin, "zoe", False)
    kept = [token for token in house.store.tokens("zoe") if token.purpose == "sign in"]
    assert [token.digest for token in kept] == ([zoe.token.digest] if change == "password" else [])


def test_a_password_is_not_changed_by_a_token_that_is_being_revoked(house: House) -> None:
    async def scenario() -> str:
        await house.accounts.register("zoe", SECRET)
        thief, admin = await house.enter("zoe"), await house.admin()
        digest, keep = house.passwords.digest, house.accounts._revocations.keep
        ready, go = asyncio.Event(), asyncio.Event()

        async def slow(password: str, *, asker: Requester = HOUSE) -> str:
            found = await digest(password)
            if password == "the thief's":
                ready.set()
                await go.wait()
            return found

        async def stored(*writes: Write) -> None:
            await keep(*writes)
            house.accounts._revocations.keep = keep  # type: ignore[method-assign]
            go.set()
            await asyncio.sleep(0)

        house.passwords.digest = slow  # type: ignore[method-assign, assignment]
        change = asyncio.ensure_future(house.accounts.change_password(thief, SECRET, "the thief's"))
        await ready.wait()
        house.accounts._revocations.keep = stored  # type: ignore[method-assign]
        once = await house.accounts.reset_password(admin, "zoe")
        with pytest.raises(Denied, match="revoked"):
            await change
        return await house.accounts.sign_in("zoe", once)

    assert asyncio.run(scenario())


def test_the_old_password_is_asked_for(house: House) -> None:
    async def scenario() -> Identity:
        await house.accounts.register("zoe", SECRET)
        return await house.enter("zoe")

    zoe = asyncio.run(scenario())
    wrong = (DenialCode.WRONG_PASSWORD, "the old password is wrong")
    assert denied(lambda: house.accounts.change_password(zoe, "wrong", "battery staple")) == wrong
    assert denied(lambda: house.accounts.change_password(zoe, SECRET, "short"))[0] == DenialCode.BAD_VALUE
    assert asyncio.run(house.accounts.sign_in("zoe", SECRET))


# Names


@pytest.mark.parametrize("name", ["", " zoe", "zoe ", "a\nb", "\x1b[2J", "x" * (LONGEST_NAME + 1), "e\u0301", "\ud800"])
def test_what_cannot_be_a_name(house: House, name: str) -> None:
    told = (DenialCode.BAD_VALUE, f"name: expected 1 to {LONGEST_NAME} printable characters and no space around them")
    assert denied(lambda: house.accounts.register(name, SECRET)) == told


@pytest.mark.parametrize("name", ["admin", "Admin", "ＡＤＭＩＮ", "house", "System"])
def test_names_that_are_reserved(house: House, name: str) -> None:
    assert denied(lambda: house.accounts.register(name, SECRET)) == (
        DenialCode.NAME_TAKEN,
        f"the name {name!r} is taken",
    )


def test_a_name_is_taken_once(house: House) -> None:
    taken = (DenialCode.NAME_TAKEN, "the name 'zoe' is taken")
    asyncio.run(house.accounts.register("zoe", SECRET))
    assert denied(lambda: house.accounts.register("zoe", "battery staple")) == taken
    assert denied(lambda: house.accounts.register("zoe", "short")) == taken, "before anything costs time"
    asyncio.run(house.accounts.register("x" * LONGEST_NAME, SECRET))


def test_of_two_who_want_a_name_at_once_one_gets_it(house: House) -> None:
    async def scenario() -> list[object]:
        calls = [house.accounts.register("zoe", SECRET) for _ in range(2)]
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(scenario())
    assert [answer is None for answer in answers].count(True) == 1
    assert {str(answer) for answer in answers if answer is not None} == {"the name 'zoe' is taken"}


# Invitations


def test_by_invitation_only(house: House) -> None:
    async def scenario() -> tuple[str, str]:
        admin = await house.admin()
        return await house.accounts.invite(admin), await house.accounts.invite(admin, lifetime=60)

    invitation, short = asyncio.run(scenario())
    closed = house.open(Registration.INVITATION)
    needed = (DenialCode.NOT_ALLOWED, "only whoever was invited may open an account")
    assert denied(lambda: closed.register("zoe", SECRET)) == needed
    assert denied(lambda: closed.register("zoe", SECRET, invitation="made up")) == USED_UP
    assert denied(lambda: closed.register("zoe", "short", invitation=invitation))[1].startswith("password:")
    asyncio.run(closed.register("zoe", SECRET, invitation=invitation))
    assert denied(lambda: closed.register("adam", SECRET, invitation=invitation)) == USED_UP
    house.clock.advance(60)
    assert denied(lambda: closed.register("adam", SECRET, invitation=short)) == USED_UP
    assert house.store.account("adam") is None


@pytest.mark.parametrize(("seconds", "counts"), [(7 * DAY - 1, True), (7 * DAY, False)])
def test_an_invitation_counts_for_a_week(house: House, seconds: float, counts: bool) -> None:
    async def scenario() -> str:
        return await house.accounts.invite(await house.admin())

    invitation = asyncio.run(scenario())
    closed = house.open(Registration.INVITATION)
    house.clock.advance(seconds)
    if counts:
        asyncio.run(closed.register("zoe", SECRET, invitation=invitation))
    else:
        assert denied(lambda: closed.register("zoe", SECRET, invitation=invitation)) == USED_UP


def test_of_two_with_the_same_invitation_one_gets_in(house: House) -> None:
    closed = house.open(Registration.INVITATION)

    async def scenario() -> list[object]:
        invitation = await house.accounts.invite(await house.admin())
        calls = [closed.register(name, SECRET, invitation=invitation) for name in ("zoe", "adam")]
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(scenario())
    assert [answer is None for answer in answers].count(True) == 1
    assert {str(answer) for answer in answers if answer} == {USED_UP[1]}


def test_no_new_accounts(house: House) -> None:
    told = (DenialCode.NOT_ALLOWED, "only whoever runs this server may open an account")
    assert denied(lambda: house.open(Registration.CLOSED).register("zoe", SECRET)) == told


# The administrator


def test_at_the_first_start_a_one_time_password_is_made(house: House) -> None:
    async def scenario() -> str:
        once = await house.accounts.ensure_admin()
        assert len(once) == 16
        assert await house.accounts.ensure_admin() == ""
        admin = await house.accounts.identify(await house.accounts.sign_in("admin", once))
        assert (admin.name, admin.is_admin) == ("admin", True)
        await house.accounts.change_password(admin, "", "battery staple")
        await house.accounts.sign_in("admin", "battery staple")
        return once

    once = asyncio.run(scenario())
    assert denied(lambda: house.accounts.sign_in("admin", once)) == WRONG


def test_a_one_time_password_is_good_for_one_sign_in(house: House) -> None:
    async def scenario() -> list[object]:
        once = await house.accounts.ensure_admin()
        calls = [house.accounts.sign_in("admin", once) for _ in range(5)]
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(scenario())
    assert [isinstance(answer, str) for answer in answers].count(True) == 1
    assert {str(answer) for answer in answers if isinstance(answer, Denied)} == {WRONG[1]}
    assert denied(lambda: house.accounts.sign_in("admin", "")) == WRONG


def test_the_password_that_the_operator_gives_counts(house: House) -> None:
    async def scenario() -> str:
        assert await house.accounts.ensure_admin(SECRET) == ""
        token = await house.accounts.sign_in("admin", SECRET)
        await house.accounts.ensure_admin(SECRET)
        assert (await house.accounts.identify(token)).is_admin
        await house.accounts.ensure_admin("battery staple")
        await house.accounts.sign_in("admin", "battery staple")
        return token

    token = asyncio.run(scenario())
    assert denied(lambda: house.accounts.sign_in("admin", SECRET)) == WRONG
    assert denied(lambda: house.accounts.identify(token)) == BAD_TOKEN


def test_the_operator_can_replace_a_one_time_password_that_was_lost(house: House) -> None:
    async def scenario() -> str:
        once = await house.accounts.ensure_admin()
        await house.accounts.ensure_admin(SECRET)
        assert (await house.enter("admin")).is_admin
        return once

    once = asyncio.run(scenario())
    assert denied(lambda: house.accounts.sign_in("admin", once)) == WRONG


def test_what_only_the_administrator_may_do(house: House) -> None:
    async def scenario() -> Identity:
        await house.accounts.register("zoe", SECRET)
        return await house.enter("zoe")

    zoe = asyncio.run(scenario())
    assert denied(lambda: house.accounts.invite(zoe)) == NOT_ADMIN
    assert denied(lambda: house.accounts.lock(zoe, "adam")) == NOT_ADMIN
    assert denied(lambda: house.accounts.reset_password(zoe, "adam")) == NOT_ADMIN


def test_somebody_is_locked_out_at_once_and_let_in_again(house: House) -> None:
    async def scenario() -> tuple[Identity, str]:
        await house.accounts.register("zoe", SECRET)
        token = await house.accounts.sign_in("zoe", SECRET)
        await house.accounts.identify(token)
        admin = await house.admin()
        await house.accounts.lock(admin, "zoe")
        return admin, token

    admin, token = asyncio.run(scenario())
    told = (DenialCode.NOT_ALLOWED, "the account 'zoe' is locked: ask whoever runs the server")
    assert denied(lambda: house.accounts.identify(token)) == BAD_TOKEN
    assert denied(lambda: house.accounts.sign_in("zoe", SECRET)) == told
    assert denied(lambda: house.accounts.sign_in("zoe", "wrong horse")) == WRONG
    asyncio.run(house.accounts.lock(admin, "zoe", locked=False))
    token = asyncio.run(house.accounts.sign_in("zoe", SECRET))
    asyncio.run(house.accounts.lock(admin, "zoe", locked=False))
    assert asyncio.run(house.accounts.identify(token)).name == "zoe"
    unknown = (DenialCode.UNKNOWN_ACCOUNT, "there is no account 'adam' here")
    assert denied(lambda: house.accounts.lock(admin, "adam")) == unknown
    assert denied(lambda: house.accounts.reset_password(admin, "adam")) == unknown
    never = (DenialCode.BAD_VALUE, "name: the administrator cannot be locked out")
    assert denied(lambda: house.accounts.lock(admin, "admin")) == never


def test_a_forgotten_password_is_replaced(house: House) -> None:
    async def scenario() -> str:
        await house.accounts.register("zoe", SECRET)
        token = await house.accounts.sign_in("zoe", SECRET)
        await house.accounts.identify(token)
        once = await house.accounts.reset_password(await house.admin(), "zoe")
        with pytest.raises(Denied):
            await house.accounts.identify(token)
        zoe = await house.accounts.identify(await house.accounts.sign_in("zoe", once))
        await house.accounts.change_password(zoe, "", "battery staple")
        assert await house.accounts.sign_in("zoe", "battery staple")
        return token

    token = asyncio.run(scenario())
    assert denied(lambda: house.accounts.identify(token)) == BAD_TOKEN
    assert denied(lambda: house.accounts.sign_in("zoe", SECRET)) == WRONG


# Limits


def test_guessing_gets_slow_and_a_right_password_is_not_refused(house: House) -> None:
    asyncio.run(house.accounts.register("zoe", SECRET))
    accounts = house.open(limits=AccountLimits(sign_ins_per_minute=3))
    for _ in range(3):
        assert denied(lambda: accounts.sign_in("zoe", "wrong horse", "192.0.2.1")) == WRONG
    assert house.held == []
    assert denied(lambda: accounts.sign_in("zoe", "wrong horse", "192.0.2.1")) == WRONG
    assert asyncio.run(accounts.sign_in("zoe", SECRET, "192.0.2.1"))
    assert house.held == [LONGEST_HOLD] * 2
    for name, address in (("zoe", "192.0.2.2"), ("adam", "192.0.2.1")):  # who did not guess does not wait
        assert denied(lambda name=name, address=address: accounts.sign_in(name, "wrong horse", address)) == WRONG  # type: ignore[misc]
    assert house.held == [LONGEST_HOLD] * 2
    house.clock.advance(60.0)
    asyncio.run(accounts.sign_in("zoe", SECRET, "192.0.2.1"))
    assert len(house.held) == 2


def test_guesses_from_many_addresses_do_not_keep_the_owner_out(house: House) -> None:
    asyncio.run(house.accounts.register("zoe", SECRET))
    accounts = house.open(limits=AccountLimits(sign_ins_per_minute=2))
    for number in range(200):
        assert denied(lambda number=number: accounts.sign_in("zoe", "wrong", f"192.0.2.{number}")) == WRONG  # type: ignore[misc]
    assert asyncio.run(accounts.sign_in("zoe", SECRET, "198.51.100.1"))
    assert house.held == []


def test_many_names_guessed_at_from_one_address_get_slow_too(house: House) -> None:
    accounts = house.open(limits=AccountLimits(sign_ins_per_minute=2))
    for number in range(2 * NAMES):
        assert denied(lambda number=number: accounts.sign_in(f"name {number}", "wrong", "192.0.2.1")) == WRONG  # type: ignore[misc]
    assert house.held == []
    assert denied(lambda: accounts.sign_in("another", "wrong", "192.0.2.1")) == WRONG
    assert house.held == [3.0]


def test_a_laboratory_signs_in_at_once(house: House) -> None:
    async def scenario() -> int:
        accounts = house.open(limits=AccountLimits())
        names = [f"bot {number}" for number in range(84)]
        await asyncio.gather(*(accounts.register(name, SECRET, "192.0.2.1") for name in names))
        return len(await asyncio.gather(*(accounts.sign_in(name, SECRET, "192.0.2.1") for name in names)))

    assert asyncio.run(scenario()) == 84
    assert house.held == []


def test_only_so_many_sign_ins_are_held_at_once(house: House) -> None:
    async def scenario() -> list[str]:
        accounts = house.open(limits=AccountLimits(sign_ins_per_minute=1), sleep=lambda seconds: forever.wait())
        with pytest.raises(Denied):
            await accounts.sign_in("zoe", "wrong", "192.0.2.1")
        held = [asyncio.ensure_future(accounts.sign_in("zoe", "wrong", "192.0.2.1")) for _ in range(HELD_OF_PAIR)]
        await asyncio.sleep(0)
        with pytest.raises(Denied) as refused:
            await accounts.sign_in("zoe", "wrong", "192.0.2.1")
        forever.set()
        await asyncio.wait(held)
        with pytest.raises(Denied) as wrong:
            await accounts.sign_in("zoe", "wrong", "192.0.2.1")
        return [refused.value.code, wrong.value.code]

    forever = asyncio.Event()
    assert asyncio.run(scenario()) == [DenialCode.TOO_OFTEN, DenialCode.WRONG_PASSWORD]


def test_the_old_password_is_not_guessed_at_either(house: House) -> None:
    async def scenario() -> Identity:
        await house.accounts.register("zoe", SECRET)
        return await house.enter("zoe")

    zoe = asyncio.run(scenario())
    accounts = house.open(limits=AccountLimits(sign_ins_per_minute=0.1))
    assert denied(lambda: accounts.change_password(zoe, "wrong", "battery staple"))[0] == DenialCode.WRONG_PASSWORD
    assert denied(lambda: accounts.change_password(zoe, SECRET, "battery staple"))[0] == DenialCode.TOO_OFTEN


def test_one_address_opens_only_so_many_accounts(house: House) -> None:
    accounts = house.open(limits=AccountLimits(registrations_per_hour=2))
    for name in ("a", "b"):
        asyncio.run(accounts.register(name, SECRET, "192.0.2.1"))
    told = (DenialCode.TOO_OFTEN, "too many new accounts: try again in 1800.0 s")
    assert denied(lambda: accounts.register("c", SECRET, "192.0.2.1")) == told
    asyncio.run(accounts.register("c", SECRET, "192.0.2.2"))


def test_who_opens_an_account_a_moment_too_early_waits_for_it(house: House) -> None:
    async def sleep(seconds: float) -> None:
        house.clock.advance(seconds)

    accounts = house.open(limits=AccountLimits(registrations_per_hour=600), sleep=sleep)
    for number in range(610):
        asyncio.run(accounts.register(f"bot {number}", SECRET, "192.0.2.1"))


async def test_only_so_many_are_remembered(house: House) -> None:
    accounts = house.open(max_known=2)
    tokens = []
    for name in ("a", "b", "c"):
        await accounts.register(name, SECRET)
        tokens.append(await accounts.sign_in(name, SECRET))
        await accounts.identify(tokens[-1])
    assert len(accounts._known) == 2
    assert [(await accounts.identify(token)).name for token in tokens] == ["a", "b", "c"]


async def test_a_token_that_is_revoked_while_it_is_looked_up_does_not_count(house: House) -> None:
    await house.accounts.register("zoe", SECRET)
    token = await house.accounts.sign_in("zoe", SECRET)
    zoe = await house.open().identify(token)
    original = house.accounts._account

    async def slow(name: str) -> object:
        account = await original(name)
        house.accounts._account = original  # type: ignore[method-assign]
        await house.accounts.sign_out(zoe, everywhere=True)
        return account

    house.accounts._account = slow  # type: ignore[method-assign, assignment]
    for _ in range(2):
        with pytest.raises(Denied, match="revoked"):
            await house.accounts.identify(token)


async def test_an_administrator_makes_another_and_takes_it_back(house: House) -> None:
    await house.accounts.register("ann", SECRET)
    token = await house.accounts.sign_in("ann", SECRET)
    admin, ann = await house.admin(), await house.accounts.identify(token)
    with pytest.raises(Denied):
        await house.accounts.set_admin(ann, "ann", True)
    await house.accounts.set_admin(admin, "ann", True)
    assert (await house.accounts.identify(token)).is_admin, "at once, and for tokens that were seen before"
    await house.accounts.set_admin(admin, "ann", False)
    assert not (await house.accounts.identify(token)).is_admin
    with pytest.raises(Denied, match="stays one"):
        await house.accounts.set_admin(admin, "admin", False)
    with pytest.raises(Denied, match="no account"):
        await house.accounts.set_admin(admin, "nobody", True)


async def test_an_account_is_closed_by_its_owner_or_an_administrator_and_its_name_stays_taken(house: House) -> None:
    for name in ("ann", "bob"):
        await house.accounts.register(name, SECRET)
    admin = await house.admin()
    token = await house.accounts.sign_in("ann", SECRET)
    ann = await house.accounts.identify(token)
    with pytest.raises(Denied):
        await house.accounts.close_account(ann, "bob")
    await house.accounts.close_account(ann, "ann")
    with pytest.raises(Denied):
        await house.accounts.identify(token)
    with pytest.raises(Denied):
        await house.accounts.sign_in("ann", SECRET)
    with pytest.raises(Denied, match="taken"):
        await house.accounts.register("ann", SECRET)
    await house.accounts.close_account(admin, "bob")
    with pytest.raises(Denied):
        await house.accounts.sign_in("bob", SECRET)
    with pytest.raises(Denied, match="cannot be closed"):
        await house.accounts.close_account(admin, "admin")


async def test_expired_tokens_are_swept_again_and_again_though_the_store_fails_in_between(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps: list[float] = []

    async def sweep() -> None:
        sweeps.append(house.clock.now())
        if len(sweeps) == 2:
            raise StoreError("not now")

    monkeypatch.setattr(house.accounts, "sweep", sweep)
    sweeping = asyncio.ensure_future(house.accounts.keep_swept(every=0.001))
    async with asyncio.timeout(PATIENCE):
        while len(sweeps) < 4:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    sweeping.cancel()


async def test_an_account_has_a_bounded_number_of_tokens_and_the_oldest_go_first(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.net.accounts.accounts.MAX_TOKENS", 3)
    for name in ("ann", "bob"):
        await house.accounts.register(name, SECRET)
    other = await house.accounts.sign_in("bob", SECRET)
    tokens = []
    for _ in range(5):
        house.clock.advance(1.0)
        tokens.append(await house.accounts.sign_in("ann", SECRET))
    assert len(house.store.tokens("ann")) == 3
    for token in tokens[:2]:
        with pytest.raises(Denied):
            await house.accounts.identify(token)
    for token in (*tokens[2:], other):
        await house.accounts.identify(token)


ENDINGS: dict[str, Callable[[Accounts, Identity, Identity], Awaitable[object]]] = {
    "sign out": lambda accounts, zoe, admin: accounts.sign_out(zoe),
    "sign out everywhere": lambda accounts, zoe, admin: accounts.sign_out(zoe, everywhere=True),
    "end a token": lambda accounts, zoe, admin: accounts.end_token(zoe, zoe.token.digest),
    "lock": lambda accounts, zoe, admin: accounts.lock(admin, "zoe"),
    "close": lambda accounts, zoe, admin: accounts.close_account(admin, "zoe"),
    "one-time password": lambda accounts, zoe, admin: accounts.reset_password(admin, "zoe"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_token_that_was_revoked_ends_though_the_caller_no_longer_waits(house: House, ending: str) -> None:
    async def scenario() -> None:
        await house.accounts.register("zoe", SECRET)
        zoe, admin = await house.enter("zoe"), await house.admin()
        keep, stored = house.accounts._revocations.keep, asyncio.Event()

        async def slow(*writes: Write) -> None:
            await keep(*writes)
            await stored.wait()

        house.accounts._revocations.keep = slow  # type: ignore[method-assign]
        asked = asyncio.ensure_future(ENDINGS[ending](house.accounts, zoe, admin))
        await until(lambda: house.store.token(zoe.token.digest) is None)
        asked.cancel()
        await asyncio.wait([asked])
        assert zoe.counts, "nothing was slow, so nothing was tried"
        stored.set()
        async with asyncio.timeout(1.0):
            await until(lambda: not zoe.counts)

    asyncio.run(scenario())


def test_password_changes_of_one_network_wait_in_its_own_queue(house: House) -> None:
    asked: list[Requester] = []

    async def scenario() -> None:
        await house.accounts.register("zoe", SECRET)
        zoe = await house.enter("zoe")
        matches, digest = house.passwords.matches, house.passwords.digest

        async def noted_match(kept: str, password: str, asker: Requester = HOUSE) -> bool:
            asked.append(asker)
            return await matches(kept, password, asker)

        async def noted_digest(password: str, *, shortest: int = 8, asker: Requester = HOUSE) -> str:
            asked.append(asker)
            return await digest(password, shortest=shortest, asker=asker)

        house.passwords.matches = noted_match  # type: ignore[method-assign, assignment]
        house.passwords.digest = noted_digest  # type: ignore[method-assign]
        await house.accounts.change_password(zoe, SECRET, "another password", "192.0.2.7")

    asyncio.run(scenario())
    assert asked == [Requester("192.0.2.7", "zoe")] * 2
