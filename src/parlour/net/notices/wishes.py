"""The wishes of accounts: the mail address and the browsers that are notified when a match waits."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.store import Setting, Store

KEY = "notices "
"""Prefix of the keys of settings, before the account's name."""
SECRET = "notice secret"
MOST_BROWSERS = 10
CONFIRMED_WITHIN = 2 * 86_400.0
"""Seconds in which a mail address must be confirmed."""


class Wishes(msgspec.Struct, frozen=True, omit_defaults=True):
    """The notices that an account wants."""

    mail: str = ""
    confirmed: bool = False
    """True if the address was confirmed through the link in a mail to it."""
    asked: float = 0.0
    """Time at which the address was given."""
    proof: str = ""
    """Digest of the token that confirms the address."""
    browsers: tuple[str, ...] = ()
    """Endpoints of push services, the newest last."""


class WishBook:
    """Stores the wishes of accounts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changing = asyncio.Lock()
        self._secret = b""

    async def start(self) -> None:
        """Read the secret that signs links in mails, or make one."""
        self._secret = await self.setting(SECRET) or secrets.token_bytes(32)
        await self._store.keep(Setting(SECRET, self._secret))

    async def setting(self, key: str) -> bytes:
        """Return a setting of the store, empty if it was never set."""
        return await self._store.fetch(self._store.setting, key) or b""

    async def of(self, account: str) -> Wishes:
        """Return the wishes of an account."""
        try:
            return msgspec.json.decode(await self.setting(KEY + account) or b"{}", type=Wishes)
        except UNREADABLE:
            return Wishes()

    async def ask_mail(self, account: str, mail: str, now: float) -> str:
        """Store an unconfirmed mail address; return the token that confirms it."""
        token = secrets.token_urlsafe(24)
        async with self._changing:
            wishes = await self.of(account)
            await self._keep(account, msgspec.structs.replace(
                wishes, mail=mail, confirmed=False, asked=now, proof=_digest(token)
            ))  # fmt: skip
        return token

    async def confirm_mail(self, account: str, token: str, now: float) -> bool:
        """Confirm the address of the account; return False if the token is wrong or expired."""
        async with self._changing:
            wishes = await self.of(account)
            good = bool(wishes.proof) and hmac.compare_digest(wishes.proof, _digest(token))
            if not good or not 0 <= now - wishes.asked <= CONFIRMED_WITHIN:
                return False
            await self._keep(account, msgspec.structs.replace(wishes, confirmed=True, proof=""))
        return True

    async def forget_mail(self, account: str) -> None:
        """Delete the mail address of an account."""
        async with self._changing:
            wishes = await self.of(account)
            await self._keep(account, msgspec.structs.replace(wishes, mail="", confirmed=False, proof=""))

    async def add_browser(self, account: str, endpoint: str) -> None:
        """Notify an account in one more browser; beyond MOST_BROWSERS the oldest is dropped."""
        await self._set_browsers(account, endpoint, wanted=True)

    async def remove_browser(self, account: str, endpoint: str) -> None:
        """Stop notifying an account in a browser."""
        await self._set_browsers(account, endpoint, wanted=False)

    async def _set_browsers(self, account: str, endpoint: str, *, wanted: bool) -> None:
        async with self._changing:
            wishes = await self.of(account)
            others = [one for one in wishes.browsers if one != endpoint]
            kept = [*others, endpoint][-MOST_BROWSERS:] if wanted else others
            await self._keep(account, msgspec.structs.replace(wishes, browsers=tuple(kept)))

    async def _keep(self, account: str, wishes: Wishes) -> None:
        await self._store.keep(Setting(KEY + account, msgspec.json.encode(wishes)))

    def stop_proof(self, account: str, mail: str) -> str:
        """Return the proof for the link that stops mail to an account."""
        return hmac.new(self._secret, f"stop\0{account}\0{mail}".encode(), "sha256").hexdigest()

    async def is_stop_proof(self, account: str, proof: str) -> bool:
        """Return True if the proof is of a link in a mail to the account."""
        wishes = await self.of(account)
        return bool(wishes.mail) and hmac.compare_digest(self.stop_proof(account, wishes.mail).encode(), proof.encode())


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
