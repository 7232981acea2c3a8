"""Accounts: who registers, signs in and out, changes a password, invites, and is locked out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import secrets
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from enum import StrEnum

import msgspec

from parlour.errors import ConflictError, Denied, StoreError
from parlour.net.accounts.limits import AccountLimits, Buckets, network_of
from parlour.net.accounts.passwords import SHORTEST, Passwords
from parlour.net.accounts.roles import AccountRole
from parlour.net.accounts.tokens import Purpose, digest_of, find_token, new_token
from parlour.net.denials import (
    DenialCode,
    bad_sign_in,
    bad_token,
    bad_value,
    name_taken,
    not_allowed,
    not_signed_in,
    unknown_account,
)
from parlour.store import Account, AccountChange, AllRevoked, Revoked, Store, Token

ADMIN = "admin"
LONGEST_NAME = 100
"""The account that bots of the `diplomacy` package sign in to has a name of 93 characters."""
ONCE = "once:"
"""Before the digest of a password that is good for one sign-in."""
RESERVED = frozenset({ADMIN, "administrator", "house", "moderator", "observer", "omniscient", "parlour", "system"})
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
PLACES = 10
"""From how many addresses an account may be tried as fast as from one."""
RETURNED = 7 / 8
"""Of a sign-in, if the password was right: the limit is for those who guess, and many bots may share an address."""
MAX_KNOWN = 10_000
"""How many who are here are remembered."""

_log = logging.getLogger(__name__)


class Registration(StrEnum):
    """Who may have an account."""

    OPEN = "open"
    INVITATION = "invitation"
    CLOSED = "closed"


class Identity(msgspec.Struct, frozen=True):
    """Who somebody is, as proved by a token."""

    name: str
    is_admin: bool
    token: Token


class Accounts:
    """The accounts of a server. Whatever may not be done is Denied, in the same words on every door.

    Those who are here are remembered, so that a request need not ask the store. That is sound because one server at a
    time claims a store: nobody else revokes a token or locks an account.
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
    ) -> None:
        limits = limits or AccountLimits()
        self._store = store
        self._registration = registration
        self._lifetime = lifetime
        self._clock = clock
        self._known: OrderedDict[str, Identity] = OrderedDict()
        self._max_known = max_known
        self._ended = 0
        """How often tokens were revoked."""
        self.passwords = passwords or Passwords()
        # In one go as much as in a minute or an hour, then at that rate. An account may be tried from several places,
        # or else one of them could lock it out.
        self._of_address = Buckets(limits.sign_ins_per_minute / MINUTE, limits.sign_ins_per_minute)
        self._of_account = Buckets(PLACES * limits.sign_ins_per_minute / MINUTE, PLACES * limits.sign_ins_per_minute)
        self._registrations = Buckets(limits.registrations_per_hour / HOUR, limits.registrations_per_hour)

    def close(self) -> None:
        """End the threads that make digests."""
        self.passwords.close()

    # Coming and going

    async def register(
        self, name: str, password: str, address: str = "", *, invitation: str = "", shortest: int = SHORTEST
    ) -> None:
        """Open an account; Denied if its name is taken or cannot be one, or if that needs an invitation.

        A door whose clients have always taken any password may ask for a shorter one.
        """
        now = self._clock()
        if self._registration is Registration.CLOSED:
            raise not_allowed("whoever runs this server", "open an account")
        self._registrations.demand(network_of(address), now, "new accounts")
        name = checked_name(name)
        spent: list[Revoked] = []
        if self._registration is Registration.INVITATION:
            spent.append(Revoked((await self._invitation(invitation, now)).digest))
        if await self._store.fetch(self._store.account, name) is not None:
            raise name_taken(name)
        account = Account(name, await self.passwords.digest(password, shortest=shortest), AccountRole.PLAYER.value, now)
        try:
            await self._store.keep(*spent, account)
        except ConflictError:
            # Somebody was quicker, with the invitation or with the name.
            if spent:
                await self._invitation(invitation, now)
            raise name_taken(name) from None

    async def sign_in(self, name: str, password: str, address: str = "") -> str:
        """A token for the account; Denied if the name or the password is wrong, or after too many guesses."""
        now = self._clock()
        self._of_address.demand(network_of(address), now, "sign-ins")
        self._of_account.demand(name[:LONGEST_NAME], now, "sign-ins")
        account = await self._store.fetch(self._store.account, name) if is_name(name) else None
        digest = "" if account is None else account.password.removeprefix(ONCE)
        if not await self.passwords.matches(digest, password) or account is None:
            raise bad_sign_in()
        if account.locked:
            raise _locked(name)
        self._of_address.give(network_of(address), now, RETURNED)
        self._of_account.give(name, now, RETURNED)
        text, token = new_token(name, Purpose.SIGN_IN, now, self._lifetime)
        spent = [Revoked(digest_of(account.password)), AccountChange(name, password="")]
        try:
            await self._store.keep(token, *(spent if account.password.startswith(ONCE) else ()))
        except ConflictError:  # a one-time password, and somebody was quicker
            raise bad_sign_in() from None
        return text

    async def identify(self, token: str) -> Identity:
        """Who holds the token; Denied if it counts no longer."""
        if not token:
            raise not_signed_in("do that")
        now = self._clock()
        known = self._known.get(token) or await self._meet(token, now)
        if known.token.expires <= now:
            del self._known[token]
            raise bad_token()
        return known

    def known(self, token: str) -> Identity | None:
        """Who holds a token that was seen lately and still counts; None if one has to ask by identify."""
        known = self._known.get(token)
        return None if known is None or known.token.expires <= self._clock() else known

    async def sign_out(self, identity: Identity, *, everywhere: bool = False) -> None:
        """Let a token count no longer, or all tokens of the account."""
        write = AllRevoked(identity.name) if everywhere else Revoked(identity.token.digest)
        with contextlib.suppress(ConflictError):  # it counted no longer already
            await self._store.keep(write)
        self._forget(identity.name)

    async def change_password(self, identity: Identity, old: str, new: str) -> None:
        """Have another password; every other token ends. After a one-time password no old one is asked for."""
        self._of_account.demand(identity.name, self._clock(), "sign-ins")
        account = await self._account(identity.name)
        if account.password and not await self.passwords.matches(account.password, old):
            raise Denied(DenialCode.WRONG_PASSWORD, "the old password is wrong")
        digest = await self.passwords.digest(new)
        change = AccountChange(identity.name, password=digest)
        await self._store.keep(change, AllRevoked(identity.name), identity.token)
        self._forget(identity.name)

    # What the administrator does

    async def ensure_admin(self, password: str = "") -> str:
        """Have an administrator with that password; without one, at the first start, a one-time password to print."""
        account = await self._store.fetch(self._store.account, ADMIN)
        if account is None:
            await self._store.keep(Account(ADMIN, "", AccountRole.ADMIN.value, self._clock()))
        if not password:
            return await self._set_one_time(ADMIN) if account is None else ""
        if account is None or not await self.passwords.matches(account.password, password):
            digest = await self.passwords.digest(password)
            await self._store.keep(AccountChange(ADMIN, password=digest), AllRevoked(ADMIN))
            self._forget(ADMIN)
        return ""

    async def invite(self, identity: Identity, lifetime: float = 7 * DAY) -> str:
        """An invitation for one new account."""
        require_admin(identity)
        text, token = new_token("", Purpose.INVITATION, self._clock(), lifetime)
        await self._store.keep(token)
        return text

    async def lock(self, identity: Identity, name: str, locked: bool = True) -> None:
        """Lock somebody out, at once, or let them in again."""
        require_admin(identity)
        if name == ADMIN:
            raise bad_value("name: the administrator cannot be locked out")
        await self._account(name)
        await self._store.keep(AccountChange(name, locked=locked), *([AllRevoked(name)] if locked else []))
        self._forget(name)

    async def set_admin(self, identity: Identity, name: str, admin: bool) -> None:
        """Make somebody an administrator, or no more; the first of them always is one."""
        require_admin(identity)
        if name == ADMIN:
            raise bad_value("name: the administrator stays one")
        await self._account(name)
        role = AccountRole.ADMIN if admin else AccountRole.PLAYER
        await self._store.keep(AccountChange(name, role=role.value))
        self._forget(name)

    async def close_account(self, identity: Identity, name: str) -> None:
        """Let nobody sign in to an account any more: one's own, or, for an administrator, another.

        Its name stays taken, since records tell of what was done under it.
        """
        if name != identity.name:
            require_admin(identity)
        if name == ADMIN:
            raise bad_value("name: the administrator's account cannot be closed")
        await self._account(name)
        await self._store.keep(AccountChange(name, locked=True), AllRevoked(name))
        self._forget(name)

    async def reset_password(self, identity: Identity, name: str) -> str:
        """A one-time password for somebody who forgot theirs; all their tokens end."""
        require_admin(identity)
        await self._account(name)
        return await self._set_one_time(name)

    async def sweep(self) -> None:
        """Forget tokens that have expired."""
        await self._store.keep(AllRevoked(by=self._clock()))

    async def keep_swept(self, every: float = HOUR) -> None:
        """Forget tokens that have expired, now and again and again, until cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreError as error:
                _log.warning("tokens that have expired are still there: %s", error)
            await asyncio.sleep(every)

    # Inside

    async def _meet(self, text: str, now: float) -> Identity:
        """Who holds a token that was not seen lately."""
        ended = self._ended
        token = await find_token(self._store, text, Purpose.SIGN_IN, now)
        account = await self._account(token.account)
        known = Identity(account.name, account.role == AccountRole.ADMIN.value, token)
        if ended != self._ended:  # meanwhile some token was revoked, perhaps this one
            return await self._meet(text, now)
        self._known[text] = known
        if len(self._known) > self._max_known:
            self._known.popitem(last=False)
        return known

    async def _set_one_time(self, name: str) -> str:
        once = secrets.token_urlsafe(12)
        digest = ONCE + await self.passwords.digest(once)
        guard = Token(digest_of(digest), name, Purpose.ONCE.value, self._clock(), math.inf)
        await self._store.keep(AccountChange(name, password=digest), AllRevoked(name), guard)
        self._forget(name)
        return once

    def _forget(self, name: str) -> None:
        """Ask the store again who holds the tokens of an account, since some of them were revoked."""
        self._ended += 1
        for text in [text for text, known in self._known.items() if known.name == name]:
            del self._known[text]

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
    """Denied unless it is the administrator."""
    if not identity.is_admin:
        raise not_allowed("the administrator", "do that")


def is_name(name: str) -> bool:
    """Whether it can be the name of an account: printable, without spaces around it, spelt in one way only."""
    plain = bool(name) and len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()
    return plain and unicodedata.is_normalized("NFC", name)


def checked_name(name: str) -> str:
    """The name, if a new account may have it; Denied otherwise."""
    if not is_name(name):
        raise bad_value(f"name: expected 1 to {LONGEST_NAME} printable characters and no space around them")
    if unicodedata.normalize("NFKC", name).casefold() in RESERVED:
        raise name_taken(name)
    return name


def _locked(name: str) -> Denied:
    return Denied(DenialCode.NOT_ALLOWED, f"the account {name!r} is locked: ask whoever runs the server")
