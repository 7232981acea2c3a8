"""Web push without a payload: the push service wakes the browser, which asks this server for waiting matches.

So push services receive no titles, names or texts. The server identifies itself by VAPID (RFC 8292): a token that is
signed with its key, which is in the store.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from parlour.errors import MissingExtra
from parlour.net.notices.outside import Outside

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

LIFE = 12 * 3600
"""Seconds for which a token is valid; RFC 8292 allows at most a day."""
RENEWED = LIFE / 2
WAITS = 12 * 3600
"""Seconds for which a push service keeps a message for a browser that is off."""
MOST_ORIGINS = 100
GONE = (404, 410)
"""Statuses of an ended subscription."""


class PushKey:
    """The key with which a server identifies itself to push services."""

    def __init__(self, secret: bytes) -> None:
        """Read a key from its 32 bytes; raise MissingExtra if the library is not installed."""
        try:
            from cryptography.hazmat.primitives.asymmetric import ec
            from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
        except ImportError:
            raise MissingExtra("push", "web push") from None
        self._key: EllipticCurvePrivateKey = ec.derive_private_key(int.from_bytes(secret), ec.SECP256R1())
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.public = _base64(point)
        """The public key as browsers and push services expect it."""

    @staticmethod
    def make() -> bytes:
        """Return the bytes of a new key; raise MissingExtra if the library is not installed."""
        try:
            from cryptography.hazmat.primitives.asymmetric import ec
        except ImportError:
            raise MissingExtra("push", "web push") from None
        return ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value.to_bytes(32)

    def token(self, origin: str, contact: str, until: float) -> str:
        """Return a signed token for the push service of an origin."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils

        claims: dict[str, str | int] = {"aud": origin, "exp": int(until)}
        if contact:
            claims["sub"] = contact
        head = _base64(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
        signed = f"{head}.{_base64(json.dumps(claims).encode())}"
        r, s = utils.decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{_base64(r.to_bytes(32) + s.to_bytes(32))}"


class Pusher:
    """Wakes browsers through their push services."""

    def __init__(self, key: PushKey, outside: Outside, contact: str = "") -> None:
        self._key, self.outside, self._contact = key, outside, contact
        self._tokens: dict[str, tuple[float, str]] = {}
        """Token and its time of creation, by origin."""

    @property
    def public_key(self) -> str:
        """The key that a browser needs to subscribe."""
        return self._key.public

    async def wake(self, endpoint: str, now: float) -> bool:
        """Send an empty message; return False if the subscription has ended.

        Raise Unreachable if the push service does not answer.
        """
        token = self._token(self.outside.check(endpoint), now)
        headers = {"Authorization": f"vapid t={token}, k={self._key.public}", "TTL": str(WAITS), "Urgency": "normal"}
        return await self.outside.post(endpoint, headers) not in GONE

    def _token(self, origin: str, now: float) -> str:
        made, token = self._tokens.get(origin, (0.0, ""))
        if not token or not 0 <= now - made < RENEWED:
            token = self._key.token(origin, self._contact, now + LIFE)
            self._tokens.pop(origin, None)
            self._tokens[origin] = now, token
            if len(self._tokens) > MOST_ORIGINS:
                del self._tokens[next(iter(self._tokens))]
        return token


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
