"""Tokens: long random texts that prove an identity. Only their digests are stored."""

from __future__ import annotations

import hashlib
import secrets
from enum import StrEnum

from parlour.net.permission_errors import bad_token
from parlour.store import Store, Token

LONGEST = 256


class Purpose(StrEnum):
    """Purpose of a token."""

    SIGN_IN = "sign in"
    INVITATION = "invitation"
    ONCE = "once"
    """A one-time password, which is valid for one sign-in."""


def new_token(account: str, purpose: Purpose, now: float, lifetime: float) -> tuple[str, Token]:
    """Return a new token as its holder gets it, and the write that makes it valid."""
    text = secrets.token_urlsafe(32)
    return text, Token(digest_of(text), account, purpose.value, now, now + lifetime)


async def find_token(store: Store, text: str, purpose: Purpose, now: float) -> Token:
    """Return the stored token if it is valid for the purpose; raise Denied otherwise."""
    if not text or len(text) > LONGEST:
        raise bad_token()
    token = await store.fetch(store.token, digest_of(text))
    if token is None or token.purpose != purpose.value or token.expires <= now:
        raise bad_token()
    return token


def digest_of(text: str) -> bytes:
    """Return the stored digest of a token. Tokens are random and long, so one pass is enough."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
