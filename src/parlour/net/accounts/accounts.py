"""Accounts: registration, sign-in and sign-out, passwords, invitations, and locks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from enum import StrEnum
from weakref import WeakValueDictionary

from parlour.errors import ConfigError, ConflictError, Denied, StoreError
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.guesses import LONGEST_HOLD, Guesses
from parlour.net.accounts.limits import AccountLimits, Buckets, network_of
from parlour.net.accounts.names import LONGEST_NAME, TakenNames, checked_name, is_name, is_of_house
from parlour.net.accounts.passwords import SHORTEST, Passwords
from parlour.net.accounts.principals import Principal, of_account
from parlour.net.accounts.revocations import Revocations
from parlour.net.accounts.tokens import Purpose, digest_of, find_token, new_token
from parlour.net.fair_pool import Requester
from parlour.net.permission_errors import (
    DenialCode,
    bad_sign_in,
    bad_token,
    bad_value,
    name_taken,
    not_allowed,
    not_signed_in,
    too_often,
    unknown_account,
)
from parlour.net.shared_work import carried_through
from parlour.store import Account, AccountChange, AllRevoked, Revoked, Store, Token, Write

ADMIN = "admin"
ONCE = "once:"
"""Prefix of the digest of a one-time password."""
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
MAX_KNOWN = 10_000
"""Maximum number of token holders in the cache."""
MAX_TOKENS = 1000
"""Maximum number of tokens per account; beyond that the oldest are revoked."""

_log = logging.getLogger(__name__)


class AccountRole(StrEnum):
    """Role of an account on the whole server; sessions decide its role in a match."""

    PLAYER = ""
    ADMIN = "admin"


class Registration(StrEnum):
    """Rule for opening an account."""

    OPEN = "open"
    INVITATION = "invitation"
    CLOSED = "closed"


class Identity(Credential):
    """An identity proved by a token. All doors share the one Identity object of a token in use."""

    __slots__ = ("account", "token")

    def __init__(self, account: str, is_admin: bool, token: Token) -> None:
        super().__init__(of_account(account), account, is_admin=is_admin, expires=token.expires)
        self.account = account
        """The name of the account, also after the token is revoked."""
        self.token = token


class Accounts:
    """The accounts of a server. A forbidden request raises Denied, with the same message at every door.

    Holders of tokens are cached, so that a request need not read the store. That is safe because one server at a time
    claims a store: no other program revokes a token or locks an account.
    """

    def __init__(
        self,
        store: Store,
        *,
        limits: AccountLimits | None = None,
        registration: Registration = Registration.OPEN,
        lifetime: float = 30 * DAY,
        passwords: Passwords | None = None,
        clock: Callable[[], float] = time.time,
        max_known: int = MAX_KNOWN,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        revocations: Revocations | None = None,
    ) -> None:
        limits = limits or AccountLimits()
        self._store = store
        self._revocations = revocations or Revocations(store)
        self._registration = registration
        self._lifetime = lifetime
        self._clock = clock
        self._known: OrderedDict[str, Identity] = OrderedDict()
        self._max_known = max_known
        self._used: WeakValueDictionary[bytes, Identity] = WeakValueDictionary()
        """Identities in use by some connection, by the digest of the token."""
        self.names = TakenNames(store)
        """The skeletons of all account names."""
        self._registering = asyncio.Lock()
        self._changing = asyncio.Lock()
        """Lock from a revocation until it has taken effect in memory, so that a revoked token is not stored again."""
        self._ended = 0
        """Number of changes to cached identities, by which a running lookup detects one."""
        self.passwords = passwords or Passwords()
        self._sleep = sleep
        self._guesses = Guesses(limits.sign_ins_per_minute, clock=clock, sleep=sleep)
        # A burst may be as large as the number allowed per minute or hour.
        self._changes = Buckets(limits.sign_ins_per_minute / MINUTE, max(1.0, limits.sign_ins_per_minute))
        self._registrations = Buckets(limits.registrations_per_hour / HOUR, limits.registrations_per_hour)
        self.signed_in: Callable[[str, str], None] = lambda account, network: None
        """Called with the account and the network of each sign-in, and of each token that is used."""

    def close(self) -> None:
        """End the threads that compute digests."""
        self.passwords.close()

    async def start(self) -> None:
        """Revoke all tokens if the store is a restored copy, and load the table of look-alike characters."""
        await self._revocations.start()
        await asyncio.to_thread(is_of_house, ADMIN)

    # Registration and sign-in

    async def register(
        self, name: str, password: str, address: str = "", *, invitation: str = "", shortest: int = SHORTEST
    ) -> None:
        """Open an account; raise Denied if its name is taken or invalid, or if an invitation is missing.

        `shortest` is the minimum length of the password, for doors whose clients always accepted shorter ones.
        """
        now = self._clock()
        if self._registration is Registration.CLOSED:
            raise not_allowed("whoever runs this server", "open an account")
        await self._make_room_for_account(network_of(address), now)
        name = checked_name(name)
        spent: list[Revoked] = []
        if self._registration is Registration.INVITATION:
            spent.append(Revoked((await self._invitation(invitation, now)).digest))
        if await self.names.looks_taken(name):
            raise name_taken(name)
        asker = Requester(network_of(address), name)
        digest = await self.passwords.digest(password, shortest=shortest, asker=asker)
        account = Account(name, digest, AccountRole.PLAYER.value, now)
        try:
            async with self._registering:  # so that of two similar names only one is registered
                if await self.names.looks_taken(name):
                    raise name_taken(name)
                await (self._revocations.keep if spent else self._store.keep)(*spent, account)
                await self.names.add(name)
        except ConflictError:
            # Another request used the invitation or the name first.
            if spent:
                await self._invitation(invitation, now)
            raise name_taken(name) from None

    async def open_guest(self, address: str = "") -> str:
        """Open an account with a random name and without a password; return a token for it."""
        name, password = f"guest-{secrets.token_hex(3)}", secrets.token_urlsafe(24)
        await self.register(name, password, address)
        token = await self.sign_in(name, password, address)
        await self._store.keep(AccountChange(name, password=""))
        return token

    async def has_password(self, identity: Credential) -> bool:
        """Return True if the account has a password, so that its holder can sign in again."""
        return bool((await self._account(identity.name)).password)

    async def tokens_of(self, identity: Credential) -> list[Token]:
        """Return the sign-in tokens of an account, the newest first."""
        held = await self._store.fetch(self._store.tokens, identity.name)
        return sorted((one for one in held if one.purpose == Purpose.SIGN_IN.value), key=lambda one: -one.created)

    async def end_token(self, identity: Credential, digest: bytes) -> None:
        """Revoke a token of your own account."""
        if any(one.digest == digest for one in await self.tokens_of(identity)):
            await self._revoke(identity.name, Revoked(digest), ended=lambda token: token.digest == digest)

    async def sign_in(self, name: str, password: str, address: str = "") -> str:
        """Return a token for the account; raise Denied if name or password is wrong, or the account is locked.

        After wrong passwords from the same address it takes longer, but a right one is not refused because of them.
        """
        asker = Requester(network_of(address), name[:LONGEST_NAME])
        await self._guesses.hold(*asker)
        now = self._clock()
        account = await self._store.fetch(self._store.account, name) if is_name(name) else None
        digest = "" if account is None else account.password.removeprefix(ONCE)
        if not await self.passwords.matches(digest, password, asker) or account is None:
            self._guesses.wrong(*asker)
            raise bad_sign_in()
        if account.locked:
            raise _locked(name)
        text, token = new_token(name, Purpose.SIGN_IN, now, self._lifetime)
        spent = [Revoked(digest_of(account.password)), AccountChange(name, password="")]
        try:
            await self._store.keep(token, *(spent if account.password.startswith(ONCE) else ()))
            await self._revoke_oldest(name)
        except ConflictError:  # the one-time password was used meanwhile
            raise bad_sign_in() from None
        await self._require_unchanged(account, token)
        self.signed_in(name, asker.network)
        return text

    async def _require_unchanged(self, account: Account, token: Token) -> None:
        """Revoke a new token if the password was changed or the account was locked meanwhile, and raise Denied.

        The token may have been stored just after all others were revoked. Any later change revokes it.
        """
        now = await self._account(account.name)
        expected = "" if account.password.startswith(ONCE) else account.password
        if now.locked or now.password != expected:
            with contextlib.suppress(ConflictError):
                await self._revocations.keep(Revoked(token.digest))
            raise bad_sign_in()

    async def identify(self, token: str, address: str = "") -> Identity:
        """Return the holder of a token that came from an address; raise Denied if the token is not valid."""
        if not token:
            raise not_signed_in("do that")
        now = self._clock()
        known = self._known.get(token) or await self._meet(token, now)
        if known.token.expires <= now:
            del self._known[token]
            known.end()
            raise bad_token()
        if address:
            self.signed_in(known.account, network_of(address))
        return known

    def known(self, token: str) -> Identity | None:
        """Return the holder of a valid token from the cache; None if identify must be called."""
        known = self._known.get(token)
        return None if known is None or known.token.expires <= self._clock() else known

    async def sign_out(self, identity: Identity, *, everywhere: bool = False) -> None:
        """Revoke a token, or all tokens of the account."""
        name, digest = identity.account, identity.token.digest
        if everywhere:
            await self._revoke(name, AllRevoked(name))
        else:
            await self._revoke(name, Revoked(digest), ended=lambda token: token.digest == digest)

    async def revoke(self, token: str) -> None:
        """Revoke a token, if it is valid."""
        with contextlib.suppress(Denied):
            await self.sign_out(await self.identify(token))

    async def change_password(self, identity: Identity, old: str, new: str, address: str = "") -> None:
        """Set a new password and revoke every other token. After a one-time password the old one is not checked."""
        name = identity.account
        self._changes.demand(name, self._clock(), "sign-ins")
        account, asker = await self._account(name), Requester(network_of(address), name)
        if account.password and not await self.passwords.matches(account.password, old, asker):
            raise Denied(DenialCode.WRONG_PASSWORD, "the old password is wrong")
        digest = await self.passwords.digest(new, asker=asker)

        def still_there() -> None:
            if not identity.counts:  # the token was revoked meanwhile, and must not be stored again
                raise bad_token()

        writes = AccountChange(name, password=digest), AllRevoked(name), identity.token
        await self._revoke(name, *writes, ended=lambda token: token != identity.token, check=still_there)

    # Administration

    async def ensure_admin(self, password: str = "") -> str:
        """Create the administrator, or set the given password. Return a one-time password if new and without one."""
        return await self._ensure(ADMIN, AccountRole.ADMIN, password)

    async def ensure_bot(self, name: str, password: str = "") -> tuple[Principal, str]:
        """Create the account for the operator's bots, or set the given password; warn if it exists and none is given.

        Return its principal, and a one-time password if the account is new and no password is given.
        """
        if not is_name(name) or name == ADMIN:
            raise ConfigError(f"mila-bot: expected a name for an account, got {name[:40]!r}", field="mila_bot")
        known = await self._store.fetch(self._store.account, name) is not None
        once = await self._ensure(name, AccountRole.PLAYER, password)
        if known and not password:
            _log.warning("mila-bot: the account %s exists, and its holder may now take any vacant seat", name[:80])
        return of_account(name), once

    async def _ensure(self, name: str, role: AccountRole, password: str) -> str:
        account = await self._store.fetch(self._store.account, name)
        if account is None:
            await self._store.keep(Account(name, "", role.value, self._clock()))
        if not password:
            return await self._set_one_time(name) if account is None else ""
        if account is None or not await self.passwords.matches(account.password, password):
            digest = await self.passwords.digest(password)
            await self._revoke(name, AccountChange(name, password=digest), AllRevoked(name))
        return ""

    async def invite(self, identity: Identity, lifetime: float = 7 * DAY) -> str:
        """Return an invitation for one new account. For administrators."""
        require_admin(identity)
        text, token = new_token("", Purpose.INVITATION, self._clock(), lifetime)
        await self._store.keep(token)
        return text

    async def lock(self, identity: Identity, name: str, locked: bool = True) -> None:
        """Lock an account and revoke its tokens, or unlock it. For administrators."""
        require_admin(identity)
        if name == ADMIN:
            raise bad_value("name: the administrator cannot be locked out")
        await self._account(name)
        if locked:
            await self._revoke(name, AccountChange(name, locked=True), AllRevoked(name))
        else:
            await self._revoke(name, AccountChange(name, locked=False), ended=lambda token: False)

    async def set_admin(self, identity: Identity, name: str, admin: bool) -> None:
        """Make an account an administrator, or no longer one. The account `admin` always remains one."""
        require_admin(identity)
        if name == ADMIN:
            raise bad_value("name: the administrator stays one")
        await self._account(name)
        role = AccountRole.ADMIN if admin else AccountRole.PLAYER

        async def work() -> None:
            await self._store.keep(AccountChange(name, role=role.value))
            self._forget(name)
            for known in [known for known in self._used.values() if known.account == name]:
                known.grade(admin)

        await carried_through(work())

    async def close_account(self, identity: Identity, name: str) -> None:
        """Close an account permanently: the caller's own, or, for an administrator, another.

        Its name stays taken, because records contain it.
        """
        if name != identity.account or not identity.counts:
            require_admin(identity)
        if name == ADMIN:
            raise bad_value("name: the administrator's account cannot be closed")
        await self._account(name)
        await self._revoke(name, AccountChange(name, locked=True), AllRevoked(name))

    async def reset_password(self, identity: Identity, name: str) -> str:
        """Return a one-time password for an account and revoke its tokens. For administrators."""
        require_admin(identity)
        await self._account(name)
        return await self._set_one_time(name)

    async def sweep(self) -> None:
        """Delete expired tokens, and end their use in open connections."""
        now = self._clock()
        for known in [known for known in self._used.values() if known.token.expires <= now]:
            known.end()
        await self._store.keep(AllRevoked(by=now))

    async def keep_swept(self, every: float = HOUR) -> None:
        """Delete expired tokens, now and periodically, until cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreError as error:
                _log.warning("expired tokens cannot be deleted: %s", error)
            await asyncio.sleep(every)

    # Internals

    async def _revoke_oldest(self, name: str) -> None:
        """Revoke the oldest tokens of an account if it has too many."""
        kept = [
            token
            for token in await self._store.fetch(self._store.tokens, name)
            if token.purpose == Purpose.SIGN_IN.value
        ]
        if len(kept) > MAX_TOKENS:
            with contextlib.suppress(ConflictError):  # one of these tokens was revoked meanwhile
                await self._revocations.keep(*(Revoked(token.digest) for token in kept[:-MAX_TOKENS]))
            left = {token.digest for token in kept[-MAX_TOKENS:]}
            self._end(name, lambda token: token.digest not in left)

    async def _meet(self, text: str, now: float) -> Identity:
        """Return the holder of a token that is not in the cache."""
        ended = self._ended
        token = await find_token(self._store, text, Purpose.SIGN_IN, now)
        account = await self._account(token.account)
        if account.locked:
            raise bad_token()
        if ended != self._ended:  # a token was revoked meanwhile, perhaps this one
            return await self._meet(text, now)
        known = self._used.get(token.digest)
        if known is None or not known.counts:
            known = Identity(account.name, account.role == AccountRole.ADMIN.value, token)
            self._used[token.digest] = known
        self._known[text] = known
        if len(self._known) > self._max_known:
            self._known.popitem(last=False)
        return known

    async def _set_one_time(self, name: str) -> str:
        once = secrets.token_urlsafe(12)
        digest = ONCE + await self.passwords.digest(once)
        guard = Token(digest_of(digest), name, Purpose.ONCE.value, self._clock(), math.inf)
        await self._revoke(name, AccountChange(name, password=digest), AllRevoked(name), guard)
        return once

    async def _revoke(
        self,
        name: str,
        *writes: Write,
        ended: Callable[[Token], bool] = lambda token: True,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Store writes that revoke tokens of an account, and end those tokens wherever they are in use.

        Both happen even if the caller is cancelled meanwhile: a slow disk must not leave a revoked token in use.
        `check` is called first, and may raise Denied. A token that was revoked already is not an error.
        """

        async def work() -> None:
            async with self._changing:
                check()
                with contextlib.suppress(ConflictError) if isinstance(writes[0], Revoked) else nullcontext():
                    await self._revocations.keep(*writes)
                self._end(name, ended)

        await carried_through(work())

    def _end(self, name: str, revoked: Callable[[Token], bool] = lambda token: True) -> None:
        """End revoked tokens of an account wherever they are in use."""
        self._forget(name)
        for known in [known for known in self._used.values() if known.account == name and revoked(known.token)]:
            known.end()

    def _forget(self, name: str) -> None:
        """Drop an account's tokens from the cache, because something about them has changed."""
        self._ended += 1
        for text in [text for text, known in self._known.items() if known.account == name]:
            del self._known[text]

    async def _make_room_for_account(self, network: str, now: float) -> None:
        """Count a registration. If there were too many, wait if the wait is short, else raise Denied."""
        wait = self._registrations.take(network, now)
        if 0.0 < wait <= LONGEST_HOLD:
            await self._sleep(wait)
            wait = self._registrations.take(network, self._clock())
        if wait:
            raise too_often("new accounts", wait)

    async def _invitation(self, text: str, now: float) -> Token:
        if not text:
            raise not_allowed("whoever was invited", "open an account")
        try:
            return await find_token(self._store, text, Purpose.INVITATION, now)
        except Denied:
            raise bad_value("invitation: unknown, used up or expired") from None

    async def _account(self, name: str) -> Account:
        account = await self._store.fetch(self._store.account, name) if is_name(name) else None
        if account is None:
            raise unknown_account(name)
        return account


def require_admin(identity: Identity) -> None:
    """Raise Denied unless the identity is an administrator's."""
    if not identity.is_admin:
        raise not_allowed("the administrator", "do that")


def _locked(name: str) -> Denied:
    return Denied(DenialCode.NOT_ALLOWED, f"the account {name!r} is locked: ask whoever runs the server")
