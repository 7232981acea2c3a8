"""Passwords that one must say to take a seat in a match: kept only as digests, worked out off the loop."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets

_COST = 1 << 13
MAX_PASSWORD = 200


async def digest_of(password: str) -> str:
    """What is kept of a password; nothing if there is none."""
    return await asyncio.to_thread(_digest, password[:MAX_PASSWORD], secrets.token_hex(8)) if password else ""


async def fits(password: str, digest: str) -> bool:
    """Whether that is the password that the digest was made of; where there is none, any will do."""
    if not digest:
        return True
    salt, _, _ = digest.partition("$")
    found = await asyncio.to_thread(_digest, password[:MAX_PASSWORD], salt)
    return hmac.compare_digest(found, digest)


def _digest(password: str, salt: str) -> str:
    made = hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt.encode(), n=_COST, r=8, p=1, dklen=32)
    return f"{salt}${made.hex()}"
